// The generator of one lane: xorshift, 32 bits (Marsaglia 2003). `number_o` is the next number, there before the step that takes it. A
// write wins over a step. After reset the state is 1.
module fp_random (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        step_i,
    input  logic        write_i,
    input  logic [31:0] state_i,
    output logic [31:0] state_o,
    output logic [31:0] number_o
);

  logic [31:0] state_q, left, right;
  assign left = state_q ^ (state_q << 13);
  assign right = left ^ (left >> 17);
  assign number_o = right ^ (right << 5);
  assign state_o = state_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= 32'd1;
    else if (write_i) state_q <= state_i == '0 ? 32'd1 : state_i;
    else if (step_i) state_q <= number_o;
  end

endmodule
