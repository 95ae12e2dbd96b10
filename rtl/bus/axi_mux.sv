// Managers, which may use the same IDs, to one subordinate. Fair between them; no output depends on an input of the same cycle. A manager waits
// with an ID that another one has open, so an answer's ID says whose it is; while it waits, who has the ID starts nothing more with it. A
// write address passes only when its manager has data waiting: one that is slow to begin does not block the others.
module axi_mux #(
    parameter int unsigned Managers = 2
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  tern_pkg::axi_req_t [Managers-1:0] req_i,
    output tern_pkg::axi_rsp_t [Managers-1:0] rsp_o,
    output tern_pkg::axi_req_t                target_req_o,
    input  tern_pkg::axi_rsp_t                target_rsp_i
);
  import tern_pkg::*;

  typedef logic [$clog2(Managers)-1:0] manager_t;

  logic [Managers-1:0] aw_valid, aw_pop, aw_space, w_valid, w_pop, w_space, ar_valid, ar_pop, ar_space;
  axi_ax_t [Managers-1:0] aw, ar;
  axi_w_t [Managers-1:0] w;
  for (genvar m = 0; m < int'(Managers); m++) begin : gen_manager
    axi_fifo #(.T(axi_ax_t)) u_aw (
        .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(req_i[m].aw_valid), .ready_o(aw_space[m]), .data_i(req_i[m].aw),
        .valid_o(aw_valid[m]), .ready_i(aw_pop[m]), .data_o(aw[m]));
    axi_fifo #(.T(axi_w_t)) u_w (
        .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(req_i[m].w_valid), .ready_o(w_space[m]), .data_i(req_i[m].w),
        .valid_o(w_valid[m]), .ready_i(w_pop[m]), .data_o(w[m]));
    axi_fifo #(.T(axi_ax_t)) u_ar (
        .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(req_i[m].ar_valid), .ready_o(ar_space[m]), .data_i(req_i[m].ar),
        .valid_o(ar_valid[m]), .ready_i(ar_pop[m]), .data_o(ar[m]));
  end

  logic b_valid, b_pop, b_space, r_valid, r_pop, r_space;
  manager_t b_owner, r_owner;
  axi_b_t b;
  axi_r_t r;
  axi_fifo #(.T(axi_b_t)) u_b (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(target_rsp_i.b_valid), .ready_o(b_space), .data_i(target_rsp_i.b),
      .valid_o(b_valid), .ready_i(b_pop), .data_o(b));
  axi_fifo #(.T(axi_r_t)) u_r (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(target_rsp_i.r_valid), .ready_o(r_space), .data_i(target_rsp_i.r),
      .valid_o(r_valid), .ready_i(r_pop), .data_o(r));

  // The next in turn of those who want; `last` itself comes last. (A remainder would be a divider where managers are three.)
  function automatic manager_t next_of(logic [Managers-1:0] wants, manager_t last);
    next_of = last;
    for (int m = int'(Managers) - 1; m >= 0; m--) if (wants[m] && manager_t'(m) < last) next_of = manager_t'(m);
    for (int m = int'(Managers) - 1; m >= 0; m--) if (wants[m] && manager_t'(m) > last) next_of = manager_t'(m);
  endfunction
  // Someone other than `pick` waits for the ID that `pick` wants.
  function automatic logic is_wanted(logic [Managers-1:0] blocked, axi_ax_t [Managers-1:0] ax, manager_t pick);
    is_wanted = 1'b0;
    for (int unsigned m = 0; m < Managers; m++)
      if (manager_t'(m) != pick && blocked[m] && ax[m].id == ax[pick].id) is_wanted = 1'b1;
  endfunction

  // Writes: data follows in the order of the addresses. A choice that was shown stays. An ID goes to those who were refused it first.
  logic aw_hold_q, aw_go, aw_done, aw_id_ok, aw_id_open, order_space, w_busy, w_go;
  manager_t aw_pick, aw_pick_q, w_owner;
  axi_fifo #(.T(manager_t)) u_order (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(aw_done), .ready_o(order_space), .data_i(aw_pick),
      .valid_o(w_busy), .ready_i(w_go && target_rsp_i.w_ready && w[w_owner].last), .data_o(w_owner));
  logic [Managers-1:0] aw_blocked_q;
  logic aw_ready_to_go, aw_yield;
  assign aw_pick = aw_hold_q ? aw_pick_q : next_of(aw_valid & w_valid, aw_pick_q);
  assign aw_ready_to_go = aw_valid[aw_pick] && w_valid[aw_pick];
  assign aw_yield = !aw_hold_q && aw_ready_to_go &&
                    (!aw_id_ok || (is_wanted(aw_blocked_q, aw, aw_pick) && (aw_id_open || !aw_blocked_q[aw_pick])));
  assign aw_go = aw_hold_q || (aw_ready_to_go && !aw_yield && order_space);
  assign aw_done = aw_go && target_rsp_i.aw_ready;
  assign w_go = w_busy && w_valid[w_owner];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_pick_q    <= '0;
      aw_hold_q    <= 1'b0;
      aw_blocked_q <= '0;
    end else begin
      aw_hold_q <= aw_go && !aw_done;
      if (aw_go || aw_yield) aw_pick_q <= aw_pick;
      if (aw_go || (aw_yield && !aw_id_ok)) aw_blocked_q[aw_pick] <= !aw_go;
    end
  end

  // Reads.
  logic ar_hold_q, ar_go, ar_done, ar_id_ok, ar_id_open, ar_yield;
  manager_t ar_pick, ar_pick_q;
  logic [Managers-1:0] ar_blocked_q;
  assign ar_pick = ar_hold_q ? ar_pick_q : next_of(ar_valid, ar_pick_q);
  assign ar_yield = !ar_hold_q && ar_valid[ar_pick] &&
                    (!ar_id_ok || (is_wanted(ar_blocked_q, ar, ar_pick) && (ar_id_open || !ar_blocked_q[ar_pick])));
  assign ar_go = ar_hold_q || (ar_valid[ar_pick] && !ar_yield);
  assign ar_done = ar_go && target_rsp_i.ar_ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ar_pick_q    <= '0;
      ar_hold_q    <= 1'b0;
      ar_blocked_q <= '0;
    end else begin
      ar_hold_q <= ar_go && !ar_done;
      if (ar_go || ar_yield) ar_pick_q <= ar_pick;
      if (ar_go || (ar_yield && !ar_id_ok)) ar_blocked_q[ar_pick] <= !ar_go;
    end
  end

  axi_id_track #(.RouteWidth($bits(manager_t))) u_write_ids (
      .clk_i, .rst_ni, .query_id_i(aw[aw_pick].id), .query_route_i(aw_pick), .allowed_o(aw_id_ok), .open_o(aw_id_open),
      .start_i(aw_done), .answer_id_i(b.id), .answer_route_o(b_owner), .finish_i(b_valid && b_pop));
  axi_id_track #(.RouteWidth($bits(manager_t))) u_read_ids (
      .clk_i, .rst_ni, .query_id_i(ar[ar_pick].id), .query_route_i(ar_pick), .allowed_o(ar_id_ok), .open_o(ar_id_open),
      .start_i(ar_done), .answer_id_i(r.id), .answer_route_o(r_owner), .finish_i(r_valid && r_pop && r.last));

  assign b_pop = req_i[b_owner].b_ready;
  assign r_pop = req_i[r_owner].r_ready;
  always_comb begin
    aw_pop            = '0;
    w_pop             = '0;
    ar_pop            = '0;
    aw_pop[aw_pick]   = aw_done;
    w_pop[w_owner]    = w_go && target_rsp_i.w_ready;
    ar_pop[ar_pick]   = ar_done;
  end

  always_comb begin
    target_req_o.aw_valid = aw_go;
    target_req_o.aw       = aw[aw_pick];
    target_req_o.w_valid  = w_go;
    target_req_o.w        = w[w_owner];
    target_req_o.b_ready  = b_space;
    target_req_o.ar_valid = ar_go;
    target_req_o.ar       = ar[ar_pick];
    target_req_o.r_ready  = r_space;
  end

  always_comb begin
    for (int unsigned m = 0; m < Managers; m++) begin
      rsp_o[m].aw_ready = aw_space[m];
      rsp_o[m].w_ready  = w_space[m];
      rsp_o[m].ar_ready = ar_space[m];
      rsp_o[m].b_valid  = b_valid && 32'(b_owner) == m;
      rsp_o[m].b        = b;
      rsp_o[m].r_valid  = r_valid && 32'(r_owner) == m;
      rsp_o[m].r        = r;
    end
  end
endmodule
