// The longest run of passing taps of one lane's sweep, the first of the longest.
module hbm_window
  import hbm_pkg::*;
(
    input  logic    clk_i,
    input  logic    rst_ni,
    input  logic    clear_i,
    input  logic    step_i,    // a tap was tried; taps come from 0 upwards
    input  tap_t    tap_i,
    input  logic    pass_i,
    output window_t window_o
);
  typedef logic [TapWidth:0] length_t;
  tap_t start_q;
  length_t run_q, best_q;
  window_t window_q;

  length_t run;
  assign run = pass_i ? run_q + length_t'(1) : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_q <= '0;
      run_q <= '0;
      best_q <= '0;
      window_q <= '0;
    end else if (clear_i) begin
      start_q <= '0;
      run_q <= '0;
      best_q <= '0;
      window_q <= '0;
    end else if (step_i) begin
      run_q <= run;
      if (run_q == '0) start_q <= tap_i;
      if (run > best_q) begin
        best_q <= run;
        window_q <= '{valid: 1'b1, first: run_q == '0 ? tap_i : start_q, last: tap_i};
      end
    end
  end
  assign window_o = window_q;
endmodule
