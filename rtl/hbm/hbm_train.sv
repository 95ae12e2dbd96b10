// Training and probe: which page is written and read at which taps, and what follows from it. docs/hbm.md has the four stages.
module hbm_train
  import hbm_pkg::*;
  import hbm_regs_pkg::*;
(
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic                       train_i,           // pulse
    input  logic                       probe_i,           // pulse
    input  logic                       probe_write_i,
    input  logic                       probe_read_i,
    input  logic                       abort_i,           // pulse: ends at once
    input  train_result_reason_e       abort_reason_i,
    input  logic    [             6:0] min_window_i,
    input  logic    [             7:0] settle_i,
    output logic                       done_o,            // pulse: ended by itself
    output logic                       pass_o,            // with done_o, of a training
    output train_result_reason_e       reason_o,
    output logic    [             2:0] lane_o,
    output logic                       direction_o,
    output window_t [       Lanes-1:0] rd_window_o,
    output window_t [       Lanes-1:0] wr_window_o,
    // The taps' registers.
    output logic    [       Lanes-1:0] rd_load_o,
    output logic    [       Lanes-1:0] wr_load_o,
    output tap_t    [       Lanes-1:0] rd_tap_o,
    output tap_t    [       Lanes-1:0] wr_tap_o,
    // The page.
    output logic                       page_write_o,
    output logic                       page_read_o,
    input  logic                       page_done_i,
    input  logic                       page_error_i,
    input  logic    [Lanes-1:0][8:0]   wrong_bits_i
);
  typedef enum logic [2:0] {
    Search,
    ReadSweep,
    WriteSweep,
    Check,
    Probe
  } stage_e;
  typedef enum logic [2:0] {
    Idle,
    SetTaps,
    Settle,
    Write,
    Read,
    Look,
    Centre,
    Judge
  } step_e;

  stage_e stage_q;
  step_e step_q;
  logic asked_q, written_q;
  logic [3:0] wr_try_q, rd_try_q;
  tap_t tap_q;
  logic [7:0] settle_q;
  logic [Lanes-1:0] eye_q;  // lanes that have one
  logic [Lanes-1:0] pass, check_q;
  window_t [Lanes-1:0] rd_window, wr_window;

  function automatic tap_t tap_of_try(logic [3:0] k);
    return {k[0], k[1], k[2], k[3], 2'd2};
  endfunction
  function automatic tap_t middle(window_t window);
    return window.valid ? tap_t'(({1'b0, window.first} + {1'b0, window.last}) >> 1) : MiddleTap;
  endfunction
  function automatic logic [6:0] width(window_t window);
    return window.valid ? {1'b0, window.last} - {1'b0, window.first} + 7'd1 : 7'd0;
  endfunction

  always_comb for (int unsigned lane = 0; lane < Lanes; lane++) pass[lane] = wrong_bits_i[lane] == '0;

  // ---------------------------------------------------------------------------------------------------------------------- windows
  logic start, rd_step, wr_step;
  assign start = train_i && step_q == Idle;
  assign rd_step = step_q == Look && stage_q == ReadSweep;
  assign wr_step = step_q == Look && stage_q == WriteSweep;
  for (genvar lane = 0; lane < Lanes; lane++) begin : g_lane
    hbm_window i_rd (
        .clk_i,
        .rst_ni,
        .clear_i(start),
        .step_i(rd_step),
        .tap_i(tap_q),
        .pass_i(pass[lane] && eye_q[lane]),
        .window_o(rd_window[lane])
    );
    hbm_window i_wr (
        .clk_i,
        .rst_ni,
        .clear_i(start),
        .step_i(wr_step),
        .tap_i(tap_q),
        .pass_i(pass[lane] && eye_q[lane]),
        .window_o(wr_window[lane])
    );
  end

  // ------------------------------------------------------------------------------------------------------------------------- taps
  always_comb begin
    rd_load_o = '0;
    wr_load_o = '0;
    rd_tap_o  = {Lanes{tap_q}};
    wr_tap_o  = {Lanes{tap_q}};
    if (step_q == SetTaps) begin
      unique case (stage_q)
        Search: begin
          rd_load_o = ~eye_q;
          wr_load_o = ~eye_q;
          rd_tap_o  = {Lanes{tap_of_try(rd_try_q)}};
          wr_tap_o  = {Lanes{tap_of_try(wr_try_q)}};
        end
        ReadSweep: rd_load_o = '1;
        WriteSweep: wr_load_o = '1;
        default: ;
      endcase
    end else if (step_q == Centre) begin
      unique case (stage_q)
        Search: begin  // lanes without an eye
          rd_load_o = ~eye_q;
          wr_load_o = ~eye_q;
          rd_tap_o  = {Lanes{MiddleTap}};
          wr_tap_o  = {Lanes{MiddleTap}};
        end
        ReadSweep: begin
          rd_load_o = '1;
          for (int unsigned lane = 0; lane < Lanes; lane++) rd_tap_o[lane] = middle(rd_window[lane]);
        end
        WriteSweep: begin
          wr_load_o = '1;
          for (int unsigned lane = 0; lane < Lanes; lane++) wr_tap_o[lane] = middle(wr_window[lane]);
        end
        default: ;
      endcase
    end
  end

  // --------------------------------------------------------------------------------------------------------------------- judgement
  train_result_reason_e reason;
  logic [2:0] bad_lane;
  logic bad_write;
  always_comb begin
    reason = TrainResultReasonNone;
    bad_lane = '0;
    bad_write = 1'b0;
    // The last assignment wins: reasons from last to first, lanes from high to low, writes before reads.
    for (int unsigned i = 0; i < Lanes; i++)
      if (!check_q[Lanes-1-i]) begin
        reason = TrainResultReasonCheck;
        bad_lane = 3'(Lanes - 1 - i);
      end
    for (int unsigned i = 0; i < Lanes; i++) begin
      if (width(wr_window[Lanes-1-i]) < min_window_i) begin
        reason = TrainResultReasonNarrow;
        bad_lane = 3'(Lanes - 1 - i);
        bad_write = 1'b1;
      end
      if (width(rd_window[Lanes-1-i]) < min_window_i) begin
        reason = TrainResultReasonNarrow;
        bad_lane = 3'(Lanes - 1 - i);
        bad_write = 1'b0;
      end
    end
    for (int unsigned i = 0; i < Lanes; i++) begin
      if (!wr_window[Lanes-1-i].valid) begin
        reason = TrainResultReasonNoWindow;
        bad_lane = 3'(Lanes - 1 - i);
        bad_write = 1'b1;
      end
      if (!rd_window[Lanes-1-i].valid) begin
        reason = TrainResultReasonNoWindow;
        bad_lane = 3'(Lanes - 1 - i);
        bad_write = 1'b0;
      end
    end
    for (int unsigned i = 0; i < Lanes; i++)
      if (!eye_q[Lanes-1-i]) begin
        reason = TrainResultReasonNoEye;
        bad_lane = 3'(Lanes - 1 - i);
        bad_write = 1'b0;
      end
  end

  train_result_reason_e reason_q;
  logic [2:0] lane_q;
  logic direction_q;
  logic page_failed;
  assign page_failed = (step_q == Write || step_q == Read) && page_done_i && page_error_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reason_q <= TrainResultReasonNone;
      lane_q <= '0;
      direction_q <= 1'b0;
    end else if (start) begin
      reason_q <= TrainResultReasonNone;
      lane_q <= '0;
      direction_q <= 1'b0;
    end else if (step_q == Judge) begin
      reason_q <= reason;
      lane_q <= bad_lane;
      direction_q <= bad_write;
    end else if (abort_i) begin
      reason_q <= abort_reason_i;
    end else if (page_failed) begin
      reason_q <= TrainResultReasonBusError;
    end
  end
  assign reason_o = reason_q;
  assign lane_o = lane_q;
  assign direction_o = direction_q;
  assign rd_window_o = rd_window;
  assign wr_window_o = wr_window;

  // ----------------------------------------------------------------------------------------------------------------------- sequence
  logic [Lanes-1:0] eye;
  assign eye = eye_q | pass;

  // What a probe or a stage begins with after its taps have settled.
  function automatic step_e first_page(stage_e stage, logic written, logic probe_write);
    unique case (stage)
      Search, ReadSweep: return written ? Read : Write;
      Probe: return probe_write ? Write : Read;
      default: return Write;
    endcase
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stage_q <= Search;
      step_q <= Idle;
      asked_q <= 1'b0;
      written_q <= 1'b0;
      wr_try_q <= '0;
      rd_try_q <= '0;
      tap_q <= '0;
      settle_q <= '0;
      eye_q <= '0;
      check_q <= '0;
    end else if (abort_i) begin
      step_q <= Idle;
    end else begin
      unique case (step_q)
        Idle: begin
          asked_q <= 1'b0;
          written_q <= 1'b0;
          wr_try_q <= '0;
          rd_try_q <= '0;
          tap_q <= '0;
          if (train_i) begin
            stage_q <= Search;
            step_q <= SetTaps;
            eye_q <= '0;
            check_q <= '0;
          end else if (probe_i) begin
            stage_q <= Probe;
            step_q <= SetTaps;
          end
        end
        SetTaps: begin
          step_q <= Settle;
          settle_q <= settle_i;
        end
        Settle: begin
          settle_q <= settle_q - 8'd1;
          if (settle_q == '0) step_q <= first_page(stage_q, written_q, probe_write_i);
        end
        Write: begin
          asked_q <= !page_done_i;
          if (page_done_i) begin
            written_q <= 1'b1;
            step_q <= page_error_i || (stage_q == Probe && !probe_read_i) ? Idle : Read;
          end
        end
        Read: begin
          asked_q <= !page_done_i;
          if (page_done_i) step_q <= page_error_i ? Idle : Look;
        end
        Look: begin
          step_q <= SetTaps;
          unique case (stage_q)
            Search: begin
              eye_q <= eye;
              rd_try_q <= rd_try_q + 4'd1;
              if (rd_try_q == '1) begin
                wr_try_q <= wr_try_q + 4'd1;
                written_q <= 1'b0;
              end
              if (eye == '1 || (rd_try_q == '1 && wr_try_q == '1)) step_q <= Centre;
            end
            ReadSweep, WriteSweep: begin
              tap_q <= tap_q + tap_t'(1);
              if (tap_q == '1) step_q <= Centre;
            end
            Check: begin
              check_q <= pass;
              step_q <= Judge;
            end
            default: step_q <= Idle;
          endcase
        end
        Centre: begin
          tap_q <= '0;
          written_q <= 1'b0;
          step_q <= SetTaps;
          unique case (stage_q)
            Search: stage_q <= ReadSweep;
            ReadSweep: stage_q <= WriteSweep;
            default: stage_q <= Check;
          endcase
        end
        Judge: step_q <= Idle;
        default: step_q <= Idle;
      endcase
    end
  end

  assign page_write_o = step_q == Write && !asked_q;
  assign page_read_o = step_q == Read && !asked_q;
  always_comb begin
    done_o = page_failed;
    pass_o = 1'b0;
    if (step_q == Judge) begin
      done_o = 1'b1;
      pass_o = stage_q == Check && reason == TrainResultReasonNone;
    end else if (stage_q == Probe && !page_failed) begin
      done_o = step_q == Look || (step_q == Write && page_done_i && !probe_read_i);
    end
  end
endmodule
