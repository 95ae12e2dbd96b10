// Received packets, by class: 0 requests, 1 read answers, 2 write answers. Whole ones only, in order.
module link_queues
  import link_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input logic        slot_valid_i,
    input logic [1:0]  slot_kind_i,
    input logic [63:0] slot_i,
    input logic        abort_i,       // no session: what is not whole is lost

    output logic [NumClasses-1:0]       valid_o,
    output logic [NumClasses-1:0][63:0] data_o,
    input  logic [NumClasses-1:0]       pop_i,
    output logic [NumClasses-1:0][7:0]  used_o,

    output logic framing_error_o,  // one cycle each
    output logic overflow_o
);

  logic [NumClasses-1:0] push, commit, rollback, full;
  logic [63:0] data;

  link_packet_rx u_packets (
      .clk_i,
      .rst_ni,
      .valid_i(slot_valid_i),
      .kind_i(slot_kind_i),
      .data_i(slot_i),
      .abort_i,
      .push_o(push),
      .commit_o(commit),
      .rollback_o(rollback),
      .data_o(data),
      .full_i(full),
      .framing_error_o,
      .overflow_o
  );

  // What each grants the other end (class_grant) fits.
  for (genvar q = 0; q < int'(NumClasses); q++) begin : gen_queue
    link_packet_fifo #(
        .Depth(q == int'(ClassWriteResp) ? 8 : 128)
    ) u_queue (
        .clk_i,
        .rst_ni,
        .push_i(push[q]),
        .data_i(data),
        .commit_i(commit[q]),
        .rollback_i(rollback[q]),
        .full_o(full[q]),
        .used_o(used_o[q]),
        .valid_o(valid_o[q]),
        .data_o(data_o[q]),
        .pop_i(pop_i[q])
    );
  end

endmodule
