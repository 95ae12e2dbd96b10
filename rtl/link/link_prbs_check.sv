// PRBS checker of one lane. Until it is locked it follows the received bits and asks whether they obey the recurrence; once locked it runs
// on its own, so that each wrong bit counts once. Constant data obeys no PRBS here, and bits count only while locked: silence is never
// "no errors".
module link_prbs_check
  import link_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input logic       enable_i,
    input logic [1:0] select_i,
    input logic       idle_i,   // electrical idle
    input word_t      word_i,   // any bit alignment
    input logic       clear_i,

    output logic        locked_o,
    output logic        inverted_o,     // the bits are the complement of the sequence
    output logic [63:0] bits_o,
    output logic [31:0] errors_o,       // saturates
    output logic [7:0]  lock_losses_o,  // saturates
    output logic        lock_lost_o     // one cycle
);

  localparam logic [2:0] WordsToLock = 3'd7;  // 8 words: 128 bits that obey
  localparam logic [5:0] WindowLast = 6'd63;  // 64 words: 1024 bits
  localparam logic [10:0] LossErrors = 11'd256;

  history_t history_q;
  logic locked_q, inverted_q;
  logic [1:0] select_q;
  logic [2:0] good_q, inverse_q;
  logic [5:0] window_q;
  logic [10:0] window_errors_q, window_errors;
  logic [63:0] bits_q;
  logic [31:0] errors_q;
  logic [32:0] errors_sum;
  logic [7:0] losses_q;
  logic [4:0] wrong_bits;
  word_t predicted, difference;
  logic constant, obeys, inverse, loses, run;

  assign run = enable_i && !idle_i && select_q == select_i;
  assign constant = word_i == '0 || word_i == '1;

  always_comb begin
    predicted  = locked_q ? prbs_word(select_i, history_q) : prbs_expect(select_i, history_q, word_i);
    difference = word_i ^ predicted;
  end
  assign obeys = difference == '0 && !constant;
  assign inverse = difference == '1 && !constant;
  assign wrong_bits = 5'($countones(difference));
  assign window_errors = window_errors_q + 11'(wrong_bits);
  assign errors_sum = {1'b0, errors_q} + 33'(wrong_bits);
  assign loses = locked_q && (!run || (window_q == WindowLast && window_errors > LossErrors));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      history_q       <= '0;
      locked_q        <= 1'b0;
      inverted_q      <= 1'b0;
      select_q        <= '0;
      good_q          <= '0;
      inverse_q       <= '0;
      window_q        <= '0;
      window_errors_q <= '0;
    end else begin
      select_q <= select_i;
      if (!run || loses) begin
        locked_q        <= 1'b0;
        inverted_q      <= 1'b0;
        good_q          <= '0;
        inverse_q       <= '0;
        window_q        <= '0;
        window_errors_q <= '0;
      end else if (locked_q) begin
        history_q       <= history_push(history_q, predicted);
        window_q        <= window_q + 6'd1;
        window_errors_q <= window_q == WindowLast ? '0 : window_errors;
      end else begin
        history_q <= history_push(history_q, word_i);
        good_q    <= obeys ? good_q + 3'd1 : '0;
        inverse_q <= inverse ? inverse_q + 3'd1 : '0;
        if (obeys && good_q == WordsToLock) begin
          locked_q   <= 1'b1;
          inverted_q <= 1'b0;
        end else if (inverse && inverse_q == WordsToLock) inverted_q <= 1'b1;
        else if (!inverse) inverted_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bits_q   <= '0;
      errors_q <= '0;
      losses_q <= '0;
    end else if (clear_i) begin
      bits_q   <= '0;
      errors_q <= '0;
      losses_q <= '0;
    end else begin
      if (locked_q && run) begin
        bits_q   <= bits_q + 64'(tern_pkg::LaneWidth);
        errors_q <= errors_sum[32] ? '1 : errors_sum[31:0];
      end
      if (loses && losses_q != '1) losses_q <= losses_q + 8'd1;
    end
  end

  assign locked_o = locked_q;
  assign inverted_o = inverted_q;
  assign bits_o = bits_q;
  assign errors_o = errors_q;
  assign lock_losses_o = losses_q;
  assign lock_lost_o = loses;

endmodule
