// The core reset: asserted at once, released by the core clock. running_o is what the reference domain sees of it.
module power_core_reset (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic clk_core_i,
    input  logic release_i,
    output logic core_rst_no,
    output logic running_o
);

  logic async_n;
  logic [1:0] core_q, seen_q;
  assign async_n = rst_ni && release_i;

  always_ff @(posedge clk_core_i or negedge async_n) begin
    if (!async_n) core_q <= '0;
    else core_q <= {core_q[0], 1'b1};
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) seen_q <= '0;
    else seen_q <= {seen_q[0], core_q[1]};
  end

  assign core_rst_no = core_q[1];
  assign running_o   = seen_q[1];

endmodule
