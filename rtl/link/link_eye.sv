// Eye scan: counts where a second sampler, which looks at one lane at another phase and threshold, differs from the sampler that makes the
// data. The sampler itself is analog and sits at the pins.
module link_eye
  import link_pkg::*;
  import link_regs_pkg::*;
  import tern_pkg::NumLanes;
(
    input logic clk_i,
    input logic rst_ni,

    input link_reg2hw_t cfg_i,

    output logic       run_o,     // the sampler is on
    output logic [1:0] lane_o,    // physical
    output logic [5:0] phase_o,   // 1/64 of a bit from the middle, signed
    output logic [6:0] offset_o,  // 4 mV from the middle, signed

    input word_t [NumLanes-1:0] rx_data_i,
    input lanes_t               rx_idle_i,
    input word_t                eye_i,  // of the same bits

    output link_hw2reg_eye_status_t status_o,
    output link_hw2reg_eye_bits_t   bits_o,
    output link_hw2reg_eye_errors_t errors_o
);

  localparam logic [3:0] Settle = 4'd8;  // cycles until the sampler looks where it should

  logic busy_q, done_q, valid_q;
  logic [3:0] settle_q;
  logic [24:0] left_q;
  word_t data_q, eye_q, differs;
  logic [31:0] bits_q, errors_q;
  logic [4:0] wrong;
  logic go, looks;

  assign go = cfg_i.eye_command.go.pulse && cfg_i.eye_command.go.value;
  assign looks = busy_q && settle_q == '0 && left_q != '0;
  always_comb begin
    differs = '0;
    wrong = '0;
    if (valid_q) begin
      differs = data_q ^ eye_q;
      wrong = 5'($countones(differs));
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q   <= 1'b0;
      done_q   <= 1'b0;
      valid_q  <= 1'b0;
      settle_q <= '0;
      left_q   <= '0;
      data_q   <= '0;
      eye_q    <= '0;
      bits_q   <= '0;
      errors_q <= '0;
    end else if (go) begin
      busy_q   <= 1'b1;
      done_q   <= 1'b0;
      valid_q  <= 1'b0;
      settle_q <= Settle;
      left_q   <= 25'd1 << cfg_i.eye_ctrl.words;
      bits_q   <= '0;
      errors_q <= '0;
    end else if (busy_q) begin
      if (settle_q != '0) settle_q <= settle_q - 4'd1;
      if (looks) left_q <= left_q - 25'd1;
      // A lane without a signal brings no bits.
      valid_q <= looks && !rx_idle_i[cfg_i.eye_ctrl.lane];
      data_q  <= rx_data_i[cfg_i.eye_ctrl.lane];
      eye_q   <= eye_i;
      if (valid_q) begin
        bits_q   <= bits_q + 32'd16;
        errors_q <= errors_q + {27'd0, wrong};
      end
      if (settle_q == '0 && left_q == '0 && !valid_q) begin
        busy_q <= 1'b0;
        done_q <= 1'b1;
      end
    end
  end

  assign run_o = busy_q;
  assign lane_o = cfg_i.eye_ctrl.lane;
  assign phase_o = cfg_i.eye_ctrl.phase;
  assign offset_o = cfg_i.eye_ctrl.offset;
  assign status_o.busy = busy_q;
  assign status_o.done = done_q;
  assign bits_o.bits = bits_q;
  assign errors_o.errors = errors_q;

  logic unused;
  assign unused = ^cfg_i;

endmodule
