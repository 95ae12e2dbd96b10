// The clock of what lies between buses: runs while anything is shown at any of their ports, and for a while after. What is inside then either comes
// out or waits for something outside, which shows when it comes.
module axi_clock #(
    parameter int unsigned Ports = 2
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    input  tern_pkg::axi_req_t [Ports-1:0] req_i,
    input  tern_pkg::axi_rsp_t [Ports-1:0] rsp_i,
    /* verilator coverage_off */  // clock_gate.sv says why
    output logic                           clk_o
    /* verilator coverage_on */
);

  logic shown;
  always_comb begin
    shown = 1'b0;
    for (int p = 0; p < int'(Ports); p++)
      if (req_i[p].aw_valid || req_i[p].w_valid || req_i[p].ar_valid || rsp_i[p].b_valid || rsp_i[p].r_valid) shown = 1'b1;
  end

  logic on;
  rest_clock u_clock (
      .clk_i,
      .rst_ni,
      .wake_i(shown),
      .hold_i(1'b0),
      .clk_o,
      .on_o(on)
  );

  logic unused;
  assign unused = ^{req_i, rsp_i, on};

endmodule
