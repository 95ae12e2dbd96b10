// Keeps AXI's order within an ID across a choice of routes: an ID has transactions on one route at a time, and a
// transaction for another route waits until the ID is idle (AMBA AXI4, A5.3: responses of one ID come in order).
module axi_id_track #(
    parameter int unsigned RouteWidth = 2,
    parameter int unsigned CountWidth = 4
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    // May a transaction with this ID take this route now?
    input  logic [tern_pkg::AxiIdWidth-1:0] query_id_i,
    input  logic [RouteWidth-1:0]           query_route_i,
    output logic                            allowed_o,
    output logic                            open_o,         // it has some open
    input  logic                            start_i,        // it does
    // Where does an answer with this ID belong?
    input  logic [tern_pkg::AxiIdWidth-1:0] answer_id_i,
    output logic [RouteWidth-1:0]           answer_route_o,
    input  logic                            finish_i        // its last beat passes
);
  localparam int unsigned NumIds = 1 << tern_pkg::AxiIdWidth;

  logic [NumIds-1:0][RouteWidth-1:0] route_q;
  logic [NumIds-1:0][CountWidth-1:0] count_q;

  assign allowed_o = count_q[query_id_i] == '0 || (route_q[query_id_i] == query_route_i && count_q[query_id_i] != '1);
  assign open_o = count_q[query_id_i] != '0;
  assign answer_route_o = route_q[answer_id_i];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      route_q <= '0;
      count_q <= '0;
    end else begin
      if (start_i) route_q[query_id_i] <= query_route_i;
      if (!(start_i && finish_i && query_id_i == answer_id_i)) begin
        if (start_i) count_q[query_id_i] <= count_q[query_id_i] + 1'b1;
        if (finish_i) count_q[answer_id_i] <= count_q[answer_id_i] - 1'b1;
      end
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> allowed_o);
  assert property (@(posedge clk_i) disable iff (!rst_ni) finish_i |-> count_q[answer_id_i] != '0);
`endif
endmodule
