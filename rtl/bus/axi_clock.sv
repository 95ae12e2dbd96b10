// The clock of what lies between buses: runs while anything is shown at any of their ports, and for a while after. What is inside then either comes
// out or waits for something outside, which shows when it comes.
module axi_clock #(
    parameter int unsigned Ports = 2
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    input  tern_pkg::axi_req_t [Ports-1:0] req_i,
    input  tern_pkg::axi_rsp_t [Ports-1:0] rsp_i,
    output logic                           clk_o
);

  logic shown;
  always_comb begin
    shown = 1'b0;
    for (int p = 0; p < int'(Ports); p++)
      if (req_i[p].aw_valid || req_i[p].w_valid || req_i[p].ar_valid || rsp_i[p].b_valid || rsp_i[p].r_valid) shown = 1'b1;
  end

  logic [5:0] rest_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rest_q <= '0;
    else if (shown) rest_q <= '0;
    else if (rest_q != '1) rest_q <= rest_q + 6'd1;
  end
  clock_gate u_gate (
      .clk_i,
      .rst_ni,
      .en_i(shown || rest_q != '1),
      .clk_o
  );

  logic unused;
  assign unused = ^{req_i, rsp_i};

endmodule
