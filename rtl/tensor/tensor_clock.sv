// The clock of the engine: runs while `wake_i` holds and for a while after, so that everything within has come to rest before it stops (the
// longest that counts time there, the limiter, counts to 255).
module tensor_clock (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic wake_i,
    input  logic hold_i,  // runs, and does not count as work
    output logic clk_o
);

  logic [9:0] rest_q;
  logic run;
  assign run = wake_i || hold_i || rest_q != '1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rest_q <= '0;
    else if (wake_i) rest_q <= '0;
    else if (rest_q != '1) rest_q <= rest_q + 10'd1;
  end
  clock_gate u_gate (
      .clk_i,
      .rst_ni,
      .en_i(run),
      .clk_o
  );

endmodule
