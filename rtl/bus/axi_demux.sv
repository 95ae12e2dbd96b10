// One manager to the targets of the address map. Requests wait in FIFOs on the manager's side, answers in FIFOs on the
// targets' sides, so that no output depends on an input of the same cycle.
//
// Order: an ID stays on one target while it has transactions open. A write address moves to another target only when all
// write data before it is delivered, so data for a target that has its address never queues behind a slower target
// (across two linked chips that would be a cycle of waiting).
module axi_demux #(
    parameter axi_route_pkg::routes_t Allowed = '1  // everything else answers DECERR
) (
    input  logic                                              clk_i,
    input  logic                                              rst_ni,
    input  tern_pkg::axi_req_t                                req_i,
    output tern_pkg::axi_rsp_t                                rsp_o,
    output tern_pkg::axi_req_t [axi_route_pkg::NumRoutes-1:0] target_req_o,
    input  tern_pkg::axi_rsp_t [axi_route_pkg::NumRoutes-1:0] target_rsp_i
);
  import tern_pkg::*;
  import axi_route_pkg::*;

  // Requests.
  logic aw_valid, aw_pop, w_valid, w_pop, ar_valid, ar_pop;
  logic aw_space, w_space, ar_space;
  axi_ax_t aw, ar;
  axi_w_t w;
  axi_fifo #(.T(axi_ax_t)) u_aw (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(req_i.aw_valid), .ready_o(aw_space), .data_i(req_i.aw),
      .valid_o(aw_valid), .ready_i(aw_pop), .data_o(aw));
  axi_fifo #(.T(axi_w_t)) u_w (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(req_i.w_valid), .ready_o(w_space), .data_i(req_i.w),
      .valid_o(w_valid), .ready_i(w_pop), .data_o(w));
  axi_fifo #(.T(axi_ax_t)) u_ar (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(req_i.ar_valid), .ready_o(ar_space), .data_i(req_i.ar),
      .valid_o(ar_valid), .ready_i(ar_pop), .data_o(ar));

  // Answers.
  logic [NumRoutes-1:0] b_valid, b_pop, b_space, r_valid, r_pop, r_space;
  axi_b_t [NumRoutes-1:0] b;
  axi_r_t [NumRoutes-1:0] r;
  for (genvar t = 0; t < NumRoutes; t++) begin : gen_answer
    axi_fifo #(.T(axi_b_t)) u_b (
        .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(target_rsp_i[t].b_valid), .ready_o(b_space[t]),
        .data_i(target_rsp_i[t].b), .valid_o(b_valid[t]), .ready_i(b_pop[t]), .data_o(b[t]));
    axi_fifo #(.T(axi_r_t)) u_r (
        .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(target_rsp_i[t].r_valid), .ready_o(r_space[t]),
        .data_i(target_rsp_i[t].r), .valid_o(r_valid[t]), .ready_i(r_pop[t]), .data_o(r[t]));
  end

  // Write address and data. `w_open_q` counts bursts whose address has passed and whose data has not.
  localparam int unsigned MaxOpen = 7;
  route_e aw_route, w_route_q;
  logic [2:0] w_open_q;
  logic aw_id_ok, aw_go, w_done;
  route_e b_pick, r_pick;
  logic b_any, r_any;

  assign aw_route = route_of(aw.addr, Allowed);
  assign aw_go = aw_valid && aw_id_ok && w_open_q != 3'(MaxOpen) && (w_open_q == '0 || w_route_q == aw_route);
  assign aw_pop = aw_go && target_rsp_i[aw_route].aw_ready;
  assign w_pop = w_valid && w_open_q != '0 && target_rsp_i[w_route_q].w_ready;
  assign w_done = w_pop && w.last;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      w_open_q  <= '0;
      w_route_q <= RouteSram;
    end else begin
      if (aw_pop) w_route_q <= aw_route;
      w_open_q <= w_open_q + 3'(aw_pop) - 3'(w_done);
    end
  end

  // Reads.
  route_e ar_route;
  logic ar_id_ok, ar_go;
  assign ar_route = route_of(ar.addr, Allowed);
  assign ar_go = ar_valid && ar_id_ok;
  assign ar_pop = ar_go && target_rsp_i[ar_route].ar_ready;

  logic [1:0] unused_open;
  logic [$bits(route_e)-1:0] unused_b_route, unused_r_route;
  axi_id_track #(.RouteWidth($bits(route_e))) u_write_ids (
      .clk_i, .rst_ni, .query_id_i(aw.id), .query_route_i(aw_route), .allowed_o(aw_id_ok), .open_o(unused_open[0]), .start_i(aw_pop),
      .answer_id_i(b[b_pick].id), .answer_route_o(unused_b_route), .finish_i(b_any && req_i.b_ready));
  axi_id_track #(.RouteWidth($bits(route_e))) u_read_ids (
      .clk_i, .rst_ni, .query_id_i(ar.id), .query_route_i(ar_route), .allowed_o(ar_id_ok), .open_o(unused_open[1]), .start_i(ar_pop),
      .answer_id_i(r[r_pick].id), .answer_route_o(unused_r_route),
      .finish_i(r_any && req_i.r_ready && r[r_pick].last));

  always_comb begin
    target_req_o = '0;
    for (int unsigned t = 0; t < NumRoutes; t++) begin
      target_req_o[t].aw_valid = aw_go && 32'(aw_route) == t;
      target_req_o[t].aw       = aw;
      target_req_o[t].w_valid  = w_valid && w_open_q != '0 && 32'(w_route_q) == t;
      target_req_o[t].w        = w;
      target_req_o[t].ar_valid = ar_go && 32'(ar_route) == t;
      target_req_o[t].ar       = ar;
      target_req_o[t].b_ready  = b_space[t];
      target_req_o[t].r_ready  = r_space[t];
    end
  end

  // Answers, round robin over targets. A choice that was shown stays until it is taken. Beats of different targets, and so of different IDs, may
  // alternate: a manager that kept to one target until the end of a burst could wait for one that waits for it at another target.
  route_e b_last_q, r_last_q;
  logic b_hold_q, r_hold_q;

  // The first behind `last`, or else the first of those before it. (A remainder would be a divider: there are five routes.)
  function automatic route_e next_of(logic [NumRoutes-1:0] valid, route_e last);
    next_of = last;
    for (int t = NumRoutes - 1; t >= 0; t--) if (valid[t] && 3'(t) < last) next_of = route_e'(3'(t));
    for (int t = NumRoutes - 1; t >= 0; t--) if (valid[t] && 3'(t) > last) next_of = route_e'(3'(t));
  endfunction

  always_comb begin
    b_pick = b_hold_q ? b_last_q : next_of(b_valid, b_last_q);
    r_pick = r_hold_q ? r_last_q : next_of(r_valid, r_last_q);
  end
  assign b_any = b_valid[b_pick];
  assign r_any = r_valid[r_pick];
  always_comb begin
    b_pop         = '0;
    r_pop         = '0;
    b_pop[b_pick] = req_i.b_ready;
    r_pop[r_pick] = req_i.r_ready;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      b_last_q <= RouteSram;
      r_last_q <= RouteSram;
      b_hold_q <= 1'b0;
      r_hold_q <= 1'b0;
    end else begin
      if (b_any) begin
        b_last_q <= b_pick;
        b_hold_q <= !req_i.b_ready;
      end
      if (r_any) begin
        r_last_q <= r_pick;
        r_hold_q <= !req_i.r_ready;
      end
    end
  end

  always_comb begin
    rsp_o.aw_ready = aw_space;
    rsp_o.w_ready  = w_space;
    rsp_o.ar_ready = ar_space;
    rsp_o.b_valid  = b_any;
    rsp_o.b        = b[b_pick];
    rsp_o.r_valid  = r_any;
    rsp_o.r        = r[r_pick];
  end

  logic unused;
  assign unused = ^{unused_open, unused_b_route, unused_r_route};
endmodule
