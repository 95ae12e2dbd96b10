// AXI over packets, both ways, and packets of the mesh besides.
module link_bridge
  import link_pkg::*;
  import tern_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input logic        up_i,  // a session lives; 0 for a cycle or more between two
    input logic [15:0] timeout_i,

    input  axi_req_t axi_req_i,  // to the neighbour
    output axi_rsp_t axi_rsp_o,
    output axi_req_t axi_req_o,  // from the neighbour
    input  axi_rsp_t axi_rsp_i,

    // Packets of the mesh: requests, responses. Without a session they are taken and thrown away.
    input  flit_t [1:0]                mesh_flit_i,
    output logic  [1:0]                mesh_ready_o,
    output logic  [1:0]                mesh_valid_o,
    output logic  [1:0][63:0]          mesh_data_o,  // head, then flits
    input  logic  [1:0]                mesh_pop_i,

    output flit_t                      flit_o,
    input  logic                       flit_ready_i,
    input  logic [NumClasses-1:0][7:0] available_i,

    input  logic                       slot_valid_i,
    input  logic [1:0]                 slot_kind_i,
    input  logic [63:0]                slot_i,
    output logic [NumClasses-1:0]      freed_o,
    output logic [NumClasses-1:0][7:0] used_o,

    output bridge_events_t events_o
);

  logic [1:0] timed_out, refused, stale;
  logic dropped, framing_error, overflow;
  assign events_o = {timed_out, refused, stale, dropped, framing_error, overflow};

  // Received packets
  logic [2:0] valid, pop;
  logic [2:0][63:0] packet;
  link_queues u_queues (
      .clk_i,
      .rst_ni,
      .slot_valid_i,
      .slot_kind_i,
      .slot_i,
      .abort_i(!up_i),
      .valid_o(valid),
      .data_o(packet),
      .pop_i(pop),
      .used_o,
      .framing_error_o(framing_error),
      .overflow_o(overflow)
  );

  assign freed_o = pop;

  // A queue's packets are the bridge's or the mesh's; write answers are the bridge's.
  logic [2:0] own_valid, own_pop;
  assign own_valid[2] = valid[2];
  assign pop[2] = own_pop[2];
  for (genvar q = 0; q < 2; q++) begin : gen_steer
    link_steer u_steer (
        .clk_i,
        .rst_ni,
        .valid_i(valid[q]),
        .data_i(packet[q]),
        .pop_o(pop[q]),
        .valid_o({mesh_valid_o[q], own_valid[q]}),
        .pop_i({mesh_pop_i[q], own_pop[q]})
    );
    assign mesh_data_o[q] = packet[q];
  end

  // Towards the neighbour
  flit_t [5:0] flit;
  flit_t write_flit, read_flit, write_resp_flit, read_resp_flit;
  logic [5:0] flit_ready;
  logic aw_ready, w_ready, b_valid, ar_ready, r_valid;
  axi_b_t b;
  axi_r_t r;

  // The neighbour's window begins at 0.
  axi_ax_t aw_there, ar_there;
  always_comb begin
    aw_there = axi_req_i.aw;
    aw_there.addr[39:32] = '0;
    ar_there = axi_req_i.ar;
    ar_there.addr[39:32] = '0;
  end

  link_write_out u_write_out (
      .clk_i,
      .rst_ni,
      .up_i,
      .timeout_i,
      .aw_valid_i(axi_req_i.aw_valid),
      .aw_i(aw_there),
      .aw_ready_o(aw_ready),
      .w_valid_i(axi_req_i.w_valid),
      .w_i(axi_req_i.w),
      .w_ready_o(w_ready),
      .b_valid_o(b_valid),
      .b_o(b),
      .b_ready_i(axi_req_i.b_ready),
      .flit_o(write_flit),
      .flit_ready_i(flit_ready[0]),
      .resp_valid_i(own_valid[2]),
      .resp_i(packet[2]),
      .resp_pop_o(own_pop[2]),
      .timed_out_o(timed_out[0]),
      .refused_o(refused[0]),
      .stale_o(stale[0])
  );

  link_read_out u_read_out (
      .clk_i,
      .rst_ni,
      .up_i,
      .timeout_i,
      .ar_valid_i(axi_req_i.ar_valid),
      .ar_i(ar_there),
      .ar_ready_o(ar_ready),
      .r_valid_o(r_valid),
      .r_o(r),
      .r_ready_i(axi_req_i.r_ready),
      .flit_o(read_flit),
      .flit_ready_i(flit_ready[1]),
      .resp_valid_i(own_valid[1]),
      .resp_i(packet[1]),
      .resp_pop_o(own_pop[1]),
      .timed_out_o(timed_out[1]),
      .refused_o(refused[1]),
      .stale_o(stale[1])
  );

  always_comb begin
    axi_rsp_o.aw_ready = aw_ready;
    axi_rsp_o.w_ready = w_ready;
    axi_rsp_o.b_valid = b_valid;
    axi_rsp_o.b = b;
    axi_rsp_o.ar_ready = ar_ready;
    axi_rsp_o.r_valid = r_valid;
    axi_rsp_o.r = r;
  end

  // From the neighbour
  logic write_push, read_push, push_error, push_orphan, write_full, read_full;
  logic [5:0] push_node;
  logic [7:0] push_tag;
  logic [3:0] push_beats;
  logic aw_valid, w_valid, ar_valid, b_ready, r_ready;
  axi_ax_t aw, ar;
  axi_w_t w;

  link_request_in u_request_in (
      .clk_i,
      .rst_ni,
      .req_valid_i(own_valid[0]),
      .req_i(packet[0]),
      .req_pop_o(own_pop[0]),
      .up_i,
      .used_i(used_o[0]),
      .popped_i(pop[0]),
      .aw_valid_o(aw_valid),
      .aw_o(aw),
      .aw_ready_i(axi_rsp_i.aw_ready),
      .w_valid_o(w_valid),
      .w_o(w),
      .w_ready_i(axi_rsp_i.w_ready),
      .ar_valid_o(ar_valid),
      .ar_o(ar),
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
      .up_i,
      .push_node_i(push_node),
      .push_tag_i(push_tag),
      .push_beats_i(push_beats),
      .write_full_o(write_full),
      .read_full_o(read_full),
      .b_valid_i(axi_rsp_i.b_valid),
      .b_i(axi_rsp_i.b),
      .b_ready_o(b_ready),
      .r_valid_i(axi_rsp_i.r_valid),
      .r_i(axi_rsp_i.r),
      .r_ready_o(r_ready),
      .write_flit_o(write_resp_flit),
      .write_flit_ready_i(flit_ready[2]),
      .read_flit_o(read_resp_flit),
      .read_flit_ready_i(flit_ready[3])
  );

  always_comb begin
    axi_req_o.aw_valid = aw_valid;
    axi_req_o.aw = aw;
    axi_req_o.w_valid = w_valid;
    axi_req_o.w = w;
    axi_req_o.b_ready = b_ready;
    axi_req_o.ar_valid = ar_valid;
    axi_req_o.ar = ar;
    axi_req_o.r_ready = r_ready;
  end

  assign flit = {mesh_flit_i, read_resp_flit, write_resp_flit, read_flit, write_flit};
  assign mesh_ready_o = flit_ready[5:4];
  link_arbiter #(
      .Sources(6)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .up_i,
      .available_i,
      .flit_i(flit),
      .ready_o(flit_ready),
      .flit_o,
      .ready_i(flit_ready_i),
      .dropped_o(dropped)
  );

endmodule
