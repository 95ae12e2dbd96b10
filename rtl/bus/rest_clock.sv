// The clock of a block that rests while it has nothing to do: it runs while `wake_i` holds and for 2^RestLog2 - 1 cycles after, so that what is
// within has come to rest before it stops. It runs again in the very cycle in which `wake_i` rises, and throughout a reset.
module rest_clock #(
    parameter int unsigned RestLog2 = 6
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic wake_i,
    input  logic hold_i,  // runs, and does not count as work
    /* verilator coverage_off */  // clock_gate.sv says why
    output logic clk_o,
    /* verilator coverage_on */
    output logic on_o     // the last edge of `clk_i` was one of `clk_o`
);

  typedef logic [RestLog2-1:0] rest_t;
  rest_t rest_q;
  logic on_q, run;
  assign run = wake_i || hold_i || rest_q != '1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rest_q <= '0;
      on_q   <= 1'b1;
    end else begin
      on_q <= run;
      if (wake_i) rest_q <= '0;
      else if (rest_q != '1) rest_q <= rest_q + rest_t'(1);
    end
  end
  assign on_o = on_q;

  clock_gate u_gate (
      .clk_i,
      .rst_ni,
      .en_i(run),
      .clk_o
  );

endmodule
