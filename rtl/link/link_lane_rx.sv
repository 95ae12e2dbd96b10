// One receiving lane: finds the bit offset and the polarity from ordered sets by slipping one bit at a time, decodes the sets, and from the
// START sets knows the word at which scrambled data begins. While data runs it still recognises a whole ordered set: the peer retrains.
module link_lane_rx
  import link_pkg::*;
#(
    parameter int unsigned SetsToLock = 4,
    parameter int unsigned SetsToLose = 4
) (
    input logic clk_i,
    input logic rst_ni,

    input logic  enable_i,         // else hunts for nothing
    input logic  restart_i,        // one cycle: align anew
    input logic  accept_start_i,   // START sets count
    input logic  polarity_force_i,
    input logic  polarity_value_i,
    input word_t rx_data_i,
    input logic  rx_idle_i,

    output word_t      word_o,        // as received, polarity undone, not aligned: for PRBS
    output logic       idle_o,
    output logic       locked_o,
    output logic       inverted_o,
    output logic [3:0] offset_o,
    output logic [3:0] lane_o,        // the lane number of the last good set
    output logic       lane_valid_o,
    output logic       set_valid_o,   // one cycle
    output set_t       set_o,
    output logic       data_valid_o,
    output word_t      data_o,        // descrambled
    output logic       lock_lost_o,   // one cycle each
    output logic       set_bad_o
);

  typedef enum logic [1:0] {
    Hunt,
    Track,
    Data
  } mode_e;
  localparam logic [3:0] SlipAfter = 4'd10;  // words; more than one set

  mode_e mode_q;
  logic [31:0] window_q;
  logic idle_q, enable_q, inverted_q, plain0_q, inverse0_q, bad_q, watch_q, pending_q, lane_valid_q, locked_q;
  logic [3:0] offset_q, hunt_q;
  logic [2:0] index_q, good_q, lost_q;
  logic [2:0][15:0] payload_q;
  logic [6:0] pending_count_q;
  history_t history_q;
  set_t set_q;
  logic set_valid_q, lock_lost_q, set_bad_q;

  word_t raw, word, sequence_word;
  logic sync_plain, sync_inverse, sync, wrong, set_ends, set_ok, starts, loses;
  set_t set;

  assign raw = window_q[{1'b0, offset_q}+:16];
  assign word = raw ^ {16{inverted_q}};
  assign sync_plain = plain0_q && raw == Sync1 && !(polarity_force_i && polarity_value_i);
  assign sync_inverse = inverse0_q && raw == ~Sync1 && !(polarity_force_i && !polarity_value_i);
  assign sync = sync_plain || sync_inverse;

  // The set that ends with this word.
  always_comb begin
    unique case (index_q)
      3'd0:    wrong = word != Sync0;
      3'd1:    wrong = word != Sync1;
      3'd5:    wrong = word != ~payload_q[0];
      3'd6:    wrong = word != ~payload_q[1];
      3'd7:    wrong = word != ~payload_q[2] || payload_q[0][3:0] != SetVersion;
      default: wrong = 1'b0;
    endcase
  end
  assign set = {payload_q[0], payload_q[1], payload_q[2]};
  assign set_ends = index_q == 3'd7 && (mode_q == Track || (mode_q == Data && watch_q));
  assign set_ok = set_ends && !bad_q && !wrong;
  assign loses = set_ends && !set_ok && mode_q == Track && (!locked_q || lost_q == 3'(SetsToLose - 1));
  assign starts = mode_q == Track && ((pending_q && pending_count_q == 7'd1) ||
                                      (set_ok && accept_start_i && set.kind == SetStart && set.count == '0));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      window_q <= '0;
      idle_q   <= 1'b1;
    end else begin
      window_q <= {rx_data_i, window_q[31:16]};
      idle_q   <= rx_idle_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mode_q          <= Hunt;
      enable_q        <= 1'b0;
      inverted_q      <= 1'b0;
      plain0_q        <= 1'b0;
      inverse0_q      <= 1'b0;
      bad_q           <= 1'b0;
      watch_q         <= 1'b0;
      pending_q       <= 1'b0;
      lane_valid_q    <= 1'b0;
      locked_q        <= 1'b0;
      offset_q        <= '0;
      hunt_q          <= '0;
      index_q         <= '0;
      good_q          <= '0;
      lost_q          <= '0;
      payload_q       <= '0;
      pending_count_q <= '0;
      set_q           <= '0;
      set_valid_q     <= 1'b0;
      lock_lost_q     <= 1'b0;
      set_bad_q       <= 1'b0;
    end else begin
      plain0_q    <= raw == Sync0;
      inverse0_q  <= raw == ~Sync0;
      set_valid_q <= set_ok;
      set_bad_q   <= set_ends && !set_ok && locked_q && mode_q == Track;
      lock_lost_q <= loses && locked_q;
      index_q     <= index_q + 3'd1;
      bad_q       <= index_q == 3'd7 ? 1'b0 : bad_q | wrong;
      if (index_q == 3'd2) payload_q[0] <= word;
      if (index_q == 3'd3) payload_q[1] <= word;
      if (index_q == 3'd4) payload_q[2] <= word;
      if (polarity_force_i) inverted_q <= polarity_value_i;
      // What was heard stays to be read after a failure, until the next training.
      enable_q <= enable_i;
      if (enable_i && !enable_q) lane_valid_q <= 1'b0;

      if (!enable_i || idle_q || restart_i) begin
        mode_q     <= Hunt;
        locked_q   <= 1'b0;
        good_q     <= '0;
        lost_q     <= '0;
        hunt_q     <= '0;
        pending_q  <= 1'b0;
        watch_q    <= 1'b0;
      end else begin
        unique case (mode_q)
          Hunt: begin
            if (sync) begin
              mode_q     <= Track;
              index_q    <= 3'd2;
              bad_q      <= 1'b0;
              inverted_q <= sync_inverse;
              hunt_q     <= '0;
              good_q     <= '0;
              lost_q     <= '0;
            end else if (hunt_q == SlipAfter) begin
              hunt_q     <= '0;
              offset_q   <= offset_q + 4'd1;
              plain0_q   <= 1'b0;
              inverse0_q <= 1'b0;
            end else hunt_q <= hunt_q + 4'd1;
          end
          Track: begin
            if (set_ok) begin
              set_q        <= set;
              lane_valid_q <= 1'b1;
              lost_q       <= '0;
              if (good_q != 3'(SetsToLock - 1)) good_q <= good_q + 3'd1;
              else locked_q <= 1'b1;
            end else if (set_ends) lost_q <= lost_q + 3'd1;
            if (loses) begin
              mode_q    <= Hunt;
              locked_q  <= 1'b0;
              pending_q <= 1'b0;
            end else if (starts) begin
              mode_q    <= Data;
              pending_q <= 1'b0;
              watch_q   <= 1'b0;
            end else if (set_ok && accept_start_i && set.kind == SetStart) begin
              pending_q       <= 1'b1;
              pending_count_q <= {set.count, 3'd0};
            end else if (pending_q) pending_count_q <= pending_count_q - 7'd1;
          end
          default: begin  // Data: watch for the sets of a peer that retrains
            if (!watch_q && sync && sync_inverse == inverted_q) begin
              watch_q <= 1'b1;
              index_q <= 3'd2;
              bad_q   <= 1'b0;
            end else if (set_ends) watch_q <= 1'b0;
            if (set_ok) set_q <= set;
          end
        endcase
      end
    end
  end

  // Descrambler: loaded at the word boundary at which data begins.
  assign sequence_word = scrambler_word(history_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      history_q    <= '0;
      data_valid_o <= 1'b0;
      data_o       <= '0;
    end else begin
      data_valid_o <= mode_q == Data && !restart_i && !idle_q;
      if (mode_q == Data) begin
        history_q <= history_push(history_q, sequence_word);
        data_o    <= word ^ sequence_word;
      end else history_q <= scrambler_seed(set_q.lane[1:0]);
    end
  end

  assign word_o = window_q[31:16] ^ {16{polarity_force_i ? polarity_value_i : inverted_q}};
  assign idle_o = idle_q;
  assign locked_o = locked_q;
  assign inverted_o = inverted_q;
  assign offset_o = offset_q;
  assign lane_o = set_q.lane;
  assign lane_valid_o = lane_valid_q;
  assign set_valid_o = set_valid_q;
  assign set_o = set_q;
  assign lock_lost_o = lock_lost_q;
  assign set_bad_o = set_bad_q;

endmodule
