// The network interface: makes accesses to other nodes into packets, and packets of other nodes into accesses here. An address with bit 39 set is
// that of another node: bits 38:36 are its y, 35:33 its x, 32:0 the address there. docs/mesh.md.
module mesh_ni
  import mesh_pkg::*;
  import mesh_ni_pkg::*;
  import tern_pkg::*;
#(
    parameter int unsigned NumVcs = 4,  // 2 to 4, in two classes
    parameter int unsigned Depth = 8    // places in a channel, of the router and here
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    // Static while accesses are under way, but for `enable_i`: off ends what waits with SLVERR.
    input  logic              enable_i,
    input  config_t           config_i,
    input  logic [15:0]       timeout_i,  // cycles that an access waits for its answer
    // First outputs, when config_i.table_mode.
    input  logic              table_write_i,
    input  node_t             table_node_i,
    input  port_t             table_port_i,
    // Accesses to other nodes, and those of others here.
    input  axi_req_t          axi_req_i,
    output axi_rsp_t          axi_rsp_o,
    output axi_req_t          axi_req_o,
    input  axi_rsp_t          axi_rsp_i,
    // The router's local port.
    output flit_t             flit_o,
    input  logic [MaxVcs-1:0] credit_i,
    input  flit_t             flit_i,
    output logic [MaxVcs-1:0] credit_o,
    output logic              accesses_o,  // to other nodes, without an answer
    output logic              busy_o,      // something is under way that nothing from outside would bring on
    output ni_events_t        events_o
);
  localparam int unsigned OfResponse = channels_of_responses(NumVcs, 2);
  localparam int unsigned OfRequest = channels_of_requests(NumVcs, 2);

  // From the router: a buffer a channel, then by class into queues of whole packets.
  logic [NumVcs-1:0] valid, pop, tail;
  port_t [NumVcs-1:0] port;
  logic [NumVcs-1:0][DataWidth-1:0] data;
  mesh_channels #(
      .NumVcs(NumVcs),
      .Depth(Depth)
  ) u_channels (
      .clk_i,
      .rst_ni,
      .flit_i,
      .credit_o,
      .valid_o(valid),
      .tail_o(tail),
      .port_o(port),
      .data_o(data),
      .pop_i(pop)
  );

  // Queues: 0 requests, 1 read responses, 2 write responses.
  logic [1:0] request_push, request_commit, request_rollback, response_push, response_commit, response_rollback, damaged;
  logic [63:0] request_data, response_data;
  logic [2:0] push, commit, rollback, full, waits, taken;
  logic [2:0][63:0] packet, in_data;
  logic [2:0][7:0] used;
  mesh_ni_in #(
      .Channels(OfRequest),
      .Response(1'b0)
  ) u_requests (
      .clk_i,
      .rst_ni,
      .timeout_i,
      .valid_i(valid[OfRequest-1:0]),
      .tail_i(tail[OfRequest-1:0]),
      .data_i(data[OfRequest-1:0]),
      .pop_o(pop[OfRequest-1:0]),
      .push_o(request_push),
      .commit_o(request_commit),
      .rollback_o(request_rollback),
      .data_o(request_data),
      .full_i({1'b0, full[0]}),
      .read_i({1'b0, taken[0]}),
      .damaged_o(damaged[0])
  );
  mesh_ni_in #(
      .Channels(OfResponse),
      .Response(1'b1)
  ) u_responses (
      .clk_i,
      .rst_ni,
      .timeout_i,
      .valid_i(valid[NumVcs-1:OfRequest]),
      .tail_i(tail[NumVcs-1:OfRequest]),
      .data_i(data[NumVcs-1:OfRequest]),
      .pop_o(pop[NumVcs-1:OfRequest]),
      .push_o(response_push),
      .commit_o(response_commit),
      .rollback_o(response_rollback),
      .data_o(response_data),
      .full_i(full[2:1]),
      .read_i(taken[2:1]),
      .damaged_o(damaged[1])
  );
  assign push = {response_push, request_push[0]};
  assign commit = {response_commit, request_commit[0]};
  assign rollback = {response_rollback, request_rollback[0]};
  assign in_data = {response_data, response_data, request_data};
  for (genvar q = 0; q < 3; q++) begin : gen_queue
    link_packet_fifo #(
        .Depth(q == 2 ? 8 : 64)
    ) u_queue (
        .clk_i,
        .rst_ni,
        .push_i(push[q]),
        .data_i(in_data[q]),
        .commit_i(commit[q]),
        .rollback_i(rollback[q]),
        .full_o(full[q]),
        .used_o(used[q]),
        .valid_o(waits[q]),
        .data_o(packet[q]),
        .pop_i(taken[q])
    );
  end

  // Accesses to other nodes. Answers of one node come in order, those of two may not: another node's turn comes when all have answered.
  logic [5:0] write_node_q, read_node_q;
  logic [2:0] writes_q, reads_q;
  logic aw_open, ar_open, aw_ready, w_ready, ar_ready, b_valid, r_valid;
  axi_b_t b;
  axi_r_t r;
  assign aw_open = writes_q == '0 || axi_req_i.aw.addr[38:33] == write_node_q;
  assign ar_open = reads_q == '0 || axi_req_i.ar.addr[38:33] == read_node_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_node_q <= '0;
      read_node_q  <= '0;
      writes_q     <= '0;
      reads_q      <= '0;
    end else begin
      writes_q <= writes_q + 3'(axi_req_i.aw_valid && axi_rsp_o.aw_ready) - 3'(b_valid && axi_req_i.b_ready);
      reads_q  <= reads_q + 3'(axi_req_i.ar_valid && axi_rsp_o.ar_ready) - 3'(r_valid && r.last && axi_req_i.r_ready);
      if (axi_req_i.aw_valid && aw_open) write_node_q <= axi_req_i.aw.addr[38:33];
      if (axi_req_i.ar_valid && ar_open) read_node_q <= axi_req_i.ar.addr[38:33];
    end
  end

  link_pkg::flit_t [1:0] ask, answer;
  logic [1:0] ask_ready, answer_ready, timed_out, refused, stale;
  link_write_out u_write_out (
      .clk_i,
      .rst_ni,
      .up_i(enable_i),
      .timeout_i,
      .aw_valid_i(axi_req_i.aw_valid && aw_open),
      .aw_i(axi_req_i.aw),
      .aw_ready_o(aw_ready),
      .w_valid_i(axi_req_i.w_valid),
      .w_i(axi_req_i.w),
      .w_ready_o(w_ready),
      .b_valid_o(b_valid),
      .b_o(b),
      .b_ready_i(axi_req_i.b_ready),
      .flit_o(ask[0]),
      .flit_ready_i(ask_ready[0]),
      .resp_valid_i(waits[2]),
      .resp_i(packet[2]),
      .resp_pop_o(taken[2]),
      .timed_out_o(timed_out[0]),
      .refused_o(refused[0]),
      .stale_o(stale[0])
  );
  link_read_out u_read_out (
      .clk_i,
      .rst_ni,
      .up_i(enable_i),
      .timeout_i,
      .ar_valid_i(axi_req_i.ar_valid && ar_open),
      .ar_i(axi_req_i.ar),
      .ar_ready_o(ar_ready),
      .r_valid_o(r_valid),
      .r_o(r),
      .r_ready_i(axi_req_i.r_ready),
      .flit_o(ask[1]),
      .flit_ready_i(ask_ready[1]),
      .resp_valid_i(waits[1]),
      .resp_i(packet[1]),
      .resp_pop_o(taken[1]),
      .timed_out_o(timed_out[1]),
      .refused_o(refused[1]),
      .stale_o(stale[1])
  );
  always_comb begin
    axi_rsp_o.aw_ready = aw_ready && aw_open;
    axi_rsp_o.w_ready = w_ready;
    axi_rsp_o.b_valid = b_valid;
    axi_rsp_o.b = b;
    axi_rsp_o.ar_ready = ar_ready && ar_open;
    axi_rsp_o.r_valid = r_valid;
    axi_rsp_o.r = r;
  end

  // Accesses of others.
  logic write_push, read_push, push_error, push_orphan, write_full, read_full, in_aw_valid, in_w_valid, in_ar_valid, in_b_ready, in_r_ready;
  logic [5:0] push_node;
  logic [7:0] push_tag;
  logic [3:0] push_beats;
  axi_ax_t in_aw, in_ar;
  axi_w_t in_w;
  link_request_in #(
      .Everywhere(1'b1)
  ) u_request_in (
      .clk_i,
      .rst_ni,
      .req_valid_i(waits[0]),
      .req_i(packet[0]),
      .req_pop_o(taken[0]),
      .up_i(enable_i),
      .used_i(used[0]),
      .popped_i(taken[0]),
      .aw_valid_o(in_aw_valid),
      .aw_o(in_aw),
      .aw_ready_i(axi_rsp_i.aw_ready),
      .w_valid_o(in_w_valid),
      .w_o(in_w),
      .w_ready_i(axi_rsp_i.w_ready),
      .ar_valid_o(in_ar_valid),
      .ar_o(in_ar),
      .ar_ready_i(axi_rsp_i.ar_ready),
      .write_push_o(write_push),
      .read_push_o(read_push),
      .push_error_o(push_error),
      .push_orphan_o(push_orphan),
      .push_node_o(push_node),
      .push_tag_o(push_tag),
      .push_beats_o(push_beats),
      .write_full_i(write_full),
      .read_full_i(read_full)
  );
  link_response_out u_response_out (
      .clk_i,
      .rst_ni,
      .write_push_i(write_push),
      .read_push_i(read_push),
      .push_error_i(push_error),
      .push_orphan_i(push_orphan),
      .up_i(enable_i),
      .push_node_i(push_node),
      .push_tag_i(push_tag),
      .push_beats_i(push_beats),
      .write_full_o(write_full),
      .read_full_o(read_full),
      .b_valid_i(axi_rsp_i.b_valid),
      .b_i(axi_rsp_i.b),
      .b_ready_o(in_b_ready),
      .r_valid_i(axi_rsp_i.r_valid),
      .r_i(axi_rsp_i.r),
      .r_ready_o(in_r_ready),
      .write_flit_o(answer[0]),
      .write_flit_ready_i(answer_ready[0]),
      .read_flit_o(answer[1]),
      .read_flit_ready_i(answer_ready[1])
  );
  always_comb begin
    axi_req_o.aw_valid = in_aw_valid;
    axi_req_o.aw = in_aw;
    axi_req_o.w_valid = in_w_valid;
    axi_req_o.w = in_w;
    axi_req_o.b_ready = in_b_ready;
    axi_req_o.ar_valid = in_ar_valid;
    axi_req_o.ar = in_ar;
    axi_req_o.r_ready = in_r_ready;
  end

  // To the router.
  flit_t ask_flit, answer_flit;
  node_t ask_dst, answer_dst;
  logic [1:0] out_ready;
  mesh_ni_tx #(
      .Response(1'b0)
  ) u_ask (
      .clk_i,
      .rst_ni,
      .here_i(config_i.here),
      .packet_i(ask),
      .packet_ready_o(ask_ready),
      .flit_o(ask_flit),
      .dst_o(ask_dst),
      .ready_i(out_ready[0])
  );
  mesh_ni_tx #(
      .Response(1'b1)
  ) u_answer (
      .clk_i,
      .rst_ni,
      .here_i(config_i.here),
      .packet_i(answer),
      .packet_ready_o(answer_ready),
      .flit_o(answer_flit),
      .dst_o(answer_dst),
      .ready_i(out_ready[1])
  );
  mesh_ni_out #(
      .NumVcs(NumVcs),
      .Depth(Depth)
  ) u_out (
      .clk_i,
      .rst_ni,
      .config_i,
      .table_write_i,
      .table_node_i,
      .table_port_i,
      .flit_i({answer_flit, ask_flit}),
      .dst_i({answer_dst, ask_dst}),
      .ready_o(out_ready),
      .flit_o,
      .credit_i
  );

  assign accesses_o = writes_q != '0 || reads_q != '0;
  assign busy_o = accesses_o || valid != '0 || waits != '0 || ask_flit.valid || answer_flit.valid || flit_o.valid;
  assign events_o = '{timed_out: timed_out, refused: refused, stale: stale, damaged: damaged};

  logic unused;
  assign unused = ^{request_push[1], request_commit[1], request_rollback[1], used[2:1], port};
endmodule
