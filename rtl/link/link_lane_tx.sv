// One transmitting lane: ordered sets as they are, data scrambled, or a PRBS with injected errors. Output registered.
module link_lane_tx
  import link_pkg::*;
#(
    parameter logic [1:0] Lane = 2'd0
) (
    input logic clk_i,
    input logic rst_ni,

    // One source a cycle; none is electrical idle. PRBS wins.
    input logic  set_valid_i,
    input word_t set_word_i,
    input logic  data_valid_i,
    input word_t data_word_i,

    input logic       prbs_enable_i,
    input logic [1:0] prbs_select_i,
    input logic       inject_load_i,   // replaces the number of errors still to be sent
    input logic [7:0] inject_count_i,

    output word_t tx_data_o,
    output logic  tx_idle_o
);

  // Data and PRBS share the sequence register: each starts from its seed when the other source, or none, was on.
  history_t history_q, history;
  logic data_q, prbs_q;
  logic [1:0] select_q;
  logic [7:0] inject_q;
  logic [3:0] position_q;
  word_t sequence_word, word_d;
  logic idle_d, inject;

  assign inject = prbs_enable_i && inject_q != '0;

  always_comb begin
    history = history_q;
    if (prbs_enable_i && (!prbs_q || select_q != prbs_select_i)) history = prbs_seed(prbs_select_i, Lane);
    else if (!prbs_enable_i && data_valid_i && !data_q) history = scrambler_seed(Lane);
    sequence_word = prbs_enable_i ? prbs_word(prbs_select_i, history) : scrambler_word(history);
  end

  always_comb begin
    idle_d = 1'b0;
    word_d = '0;
    if (prbs_enable_i) word_d = sequence_word ^ (inject ? 16'd1 << position_q : '0);
    else if (data_valid_i) word_d = sequence_word ^ data_word_i;
    else if (set_valid_i) word_d = set_word_i;
    else idle_d = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      history_q  <= '0;
      data_q     <= 1'b0;
      prbs_q     <= 1'b0;
      select_q   <= '0;
      inject_q   <= '0;
      position_q <= '0;
      tx_data_o  <= '0;
      tx_idle_o  <= 1'b1;
    end else begin
      if (prbs_enable_i || data_valid_i) history_q <= history_push(history, sequence_word);
      data_q   <= data_valid_i && !prbs_enable_i;
      prbs_q   <= prbs_enable_i;
      select_q <= prbs_select_i;
      if (inject_load_i) inject_q <= inject_count_i;
      else if (inject) begin
        inject_q   <= inject_q - 8'd1;
        position_q <= position_q + 4'd5;  // visits every bit of a word
      end
      tx_data_o <= word_d;
      tx_idle_o <= idle_d;
    end
  end

endmodule
