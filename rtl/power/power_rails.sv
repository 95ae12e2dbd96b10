// Power-goods: deglitched levels, when each became good, drops and glitches.
module power_rails
  import power_pkg::*;
  import tern_pkg::NumRails;
(
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  rails_t                     pgood_i,        // asynchronous
    input  logic   [ 7:0]              deglitch_i,
    input  time_t                      now_i,
    input  logic                       clear_i,
    output rails_t                     good_o,
    output rails_t                     good_before_o,  // good_o a cycle ago
    output time_t  [NumRails-1:0]      good_at_o,
    output logic   [NumRails-1:0][15:0] drops_o,
    output logic   [NumRails-1:0][15:0] glitches_o
);

  rails_t glitch, sync_unused;

  for (genvar r = 0; r < int'(NumRails); r++) begin : g_rail
    power_deglitch i_deglitch (
        .clk_i,
        .rst_ni,
        .async_i (pgood_i[r]),
        .cycles_i(deglitch_i),
        .sync_o  (sync_unused[r]),
        .level_o (good_o[r]),
        .glitch_o(glitch[r])
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      good_before_o <= '0;
      good_at_o <= '0;
      drops_o <= '0;
      glitches_o <= '0;
    end else begin
      good_before_o <= good_o;
      for (int r = 0; r < int'(NumRails); r++) begin
        if (good_o[r] && !good_before_o[r]) good_at_o[r] <= now_i;
        if (clear_i) begin
          drops_o[r] <= '0;
          glitches_o[r] <= '0;
        end else begin
          if (!good_o[r] && good_before_o[r] && drops_o[r] != '1) drops_o[r] <= drops_o[r] + 16'd1;
          if (glitch[r] && glitches_o[r] != '1) glitches_o[r] <= glitches_o[r] + 16'd1;
        end
      end
    end
  end

  logic unused;
  assign unused = ^sync_unused;

endmodule
