// N-of-M debounce with hysteresis around a threshold. The filter changes its state when at least n of the last m samples ask for it:
// inactive, a sample at or above the limit asks; active, a sample below limit - hysteresis asks. The history restarts at each change.
module thermal_filter
  import tern_pkg::temp_t;
(
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         clear_i,   // forget: inactive, no history
    input  logic         sample_i,  // a plausible sample is there
    input  temp_t        temp_i,
    input  temp_t        limit_i,
    input  logic  [11:0] hysteresis_i,
    input  logic  [ 3:0] n_i,       // 0 counts as 1, more than m as m
    input  logic  [ 3:0] m_i,       // 0 counts as 1, more than 8 as 8
    output logic         active_o,
    output logic         begins_o   // active_o rises with the next edge
);

  logic [7:0] history_d, window;
  logic [6:0] history_q;  // the newest sample is not in it yet
  logic active_q, asks, change;
  logic [3:0] n, m, ones;
  logic signed [13:0] release_level;

  assign m = m_i == 4'd0 ? 4'd1 : m_i > 4'd8 ? 4'd8 : m_i;
  assign n = n_i == 4'd0 ? 4'd1 : n_i > m ? m : n_i;
  assign release_level = 14'(limit_i) - $signed({2'b00, hysteresis_i});
  assign asks = active_q ? 14'(temp_i) < release_level : temp_i >= limit_i;

  always_comb begin
    history_d = {history_q, asks};
    window = history_d & ~(8'hff << m);
    ones = '0;
    for (int i = 0; i < 8; i++) ones += 4'(window[i]);
    change = sample_i && ones >= n;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      history_q <= '0;
      active_q  <= 1'b0;
    end else if (clear_i) begin
      history_q <= '0;
      active_q  <= 1'b0;
    end else if (sample_i) begin
      history_q <= change ? '0 : history_d[6:0];
      active_q  <= active_q ^ change;
    end
  end

  assign active_o = active_q;
  assign begins_o = change && !active_q && !clear_i;

endmodule
