// Stops a clock. The enable is taken at the falling edge, so the gated clock has whole pulses only: `en_i` of a cycle says whether its
// ending edge happens. A cell of its own, so that a library's clock gate can take its place.
//
// Both clocks rise in one step of evaluation: the gated one is a function of `clk_i` and of what stands still while `clk_i` is high. So data
// may pass between the two like within one domain. It lives on that one step, and a toggle counter is one more reader of the clock
// that a simulator might give a step of its own. So gated clocks are not counted.
/* verilator coverage_off */
module clock_gate (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic en_i,
    output logic clk_o
);

  logic en_q;
  always_ff @(negedge clk_i or negedge rst_ni) begin
    if (!rst_ni) en_q <= 1'b1;
    else en_q <= en_i;
  end
  assign clk_o = clk_i & en_q;

endmodule
/* verilator coverage_on */
