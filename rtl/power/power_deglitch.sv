// Synchronises an asynchronous level (2 flip-flops) and follows it once it has been stable for `cycles_i` cycles (0 counts as 1): a lasting
// change shows at level_o with the edge 1 + cycles_i after the one that first samples it.
module power_deglitch (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       async_i,
    input  logic [7:0] cycles_i,
    output logic       sync_o,    // synchronised, not deglitched
    output logic       level_o,
    output logic       glitch_o   // pulse: a change came and went
);

  logic [1:0] sync_q;
  logic level_q, differs;
  logic [7:0] count_q;

  assign differs = sync_q[1] != level_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sync_q  <= '0;
      level_q <= 1'b0;
      count_q <= '0;
    end else begin
      sync_q <= {sync_q[0], async_i};
      if (!differs) begin
        count_q <= '0;
      end else if (9'(count_q) + 9'd1 >= 9'(cycles_i)) begin
        level_q <= sync_q[1];
        count_q <= '0;
      end else begin
        count_q <= count_q + 8'd1;
      end
    end
  end

  assign sync_o   = sync_q[1];
  assign level_o  = level_q;
  assign glitch_o = !differs && count_q != '0;

endmodule
