// Takes a host access from the reference domain to the core domain and its answer back, by a four-phase handshake:
//
//   ref:  req up (access stable) ........ ack seen: take the answer, req down ..... ack down seen: free
//   core:        req seen: run the access, answer stable, ack up ..... req down seen: ack down
//
// The core may have no clock or sit in reset at any moment. An access that is not through after timeout_cycles_i ends with an error, and
// then `flush` clears the core side's view of the handshake asynchronously, so that it works without a clock: req and ack read 0 there, and
// an access that has started runs to its end but its answer is dropped. Nothing of it can be taken for the answer to a later access.
module core_bridge
  import host_pkg::*;
(
    // Reference domain. access_i is stable while valid_i waits for ready_o; timeout_o and answer_o come with ready_o.
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic [15:0]  timeout_cycles_i,
    input  logic         valid_i,
    input  core_access_t access_i,
    output logic         ready_o,
    output logic         timeout_o,
    output core_answer_t answer_o,

    // Core domain. run_access_o is stable while run_valid_o waits for run_ready_i.
    input  logic         clk_core_i,
    input  logic         rst_core_ni,
    output logic         run_valid_o,
    output core_access_t run_access_o,
    input  logic         run_ready_i,
    input  core_answer_t run_answer_i
);

  logic req, flush, ack;
  core_access_t access;
  core_answer_t answer;

  core_bridge_ref i_ref (
      .clk_i,
      .rst_ni,
      .timeout_cycles_i,
      .valid_i,
      .access_i,
      .ready_o,
      .timeout_o,
      .answer_o,
      .req_o(req),
      .flush_o(flush),
      .access_o(access),
      .ack_i(ack),
      .answer_i(answer)
  );

  core_bridge_core i_core (
      .clk_i(clk_core_i),
      .rst_ni(rst_core_ni),
      .req_i(req),
      .flush_i(flush),
      .access_i(access),
      .ack_o(ack),
      .answer_o(answer),
      .run_valid_o,
      .run_access_o,
      .run_ready_i,
      .run_answer_i
  );

endmodule
