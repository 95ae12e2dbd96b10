// What a result goes through on its way out: scale, bias, ReLU, narrowing, in this order, each optional. One number a cycle,
// PostLatency cycles; while `en_i` is low everything stands still, the generator too.
//
// The settings hold still while numbers are under way. A step that is off multiplies by 1 and adds -0, which changes nothing. A written
// state of the generator counts from the next cycle on.
module fp_post
  import fp_pkg::*;
(
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             en_i,
    input  logic             scale_en_i,
    input  logic             bias_en_i,
    input  logic             relu_i,
    input  format_e          format_i,
    input  rounding_e        rounding_i,
    input  overflow_e        overflow_i,
    input  logic             valid_i,
    input  logic      [31:0] value_i,
    input  logic      [31:0] scale_i,
    input  logic      [31:0] bias_i,        // of this number; it comes along with it
    output logic             valid_o,
    output logic      [31:0] value_o,
    output flags_t           flags_o,       // of all steps together
    input  logic             state_write_i,
    input  logic      [31:0] state_i,
    output logic      [31:0] state_o
);

  logic scaled_valid, biased_valid;
  logic [31:0] scaled, biased;
  flags_t scaled_flags, biased_flags;

  fp_fma u_scale (
      .clk_i,
      .rst_ni,
      .en_i,
      .valid_i,
      .a_i(value_i),
      .b_i(scale_en_i ? scale_i : Fp32One),
      .c_i(Fp32MinusZero),
      .valid_o(scaled_valid),
      .result_o(scaled),
      .flags_o(scaled_flags)
  );

  // The bias waits for its number.
  logic [FmaLatency-1:0][31:0] bias_q;
  always_ff @(posedge clk_i) if (en_i) bias_q <= {bias_q[FmaLatency-2:0], bias_i};

  fp_fma u_bias (
      .clk_i,
      .rst_ni,
      .en_i,
      .valid_i(scaled_valid),
      .a_i(scaled),
      .b_i(Fp32One),
      .c_i(bias_en_i ? bias_q[FmaLatency-1] : Fp32MinusZero),
      .valid_o(biased_valid),
      .result_o(biased),
      .flags_o(biased_flags)
  );

  flags_t [FmaLatency-1:0] flags_q;  // those of the first step, until the second is done
  always_ff @(posedge clk_i) if (en_i) flags_q <= {flags_q[FmaLatency-2:0], scaled_flags};

  logic [31:0] rectified, narrowed, number;
  flags_t narrowed_flags;
  assign rectified = relu_i && biased[31] ? '0 : biased;  // NaN has no sign here

  fp_random u_random (
      .clk_i,
      .rst_ni,
      .step_i(en_i && biased_valid && rounding_i == RoundStochastic),
      .write_i(state_write_i),
      .state_i,
      .state_o,
      .number_o(number)
  );

  fp_narrow u_narrow (
      .format_i,
      .rounding_i,
      .overflow_i,
      .random_i(number),
      .value_i(rectified),
      .value_o(narrowed),
      .flags_o(narrowed_flags)
  );

  logic valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (en_i) valid_q <= biased_valid;
  end

  logic [31:0] value_q;
  flags_t all_q;
  always_ff @(posedge clk_i) begin
    if (en_i && biased_valid) begin
      value_q <= narrowed;
      all_q   <= flags_q[FmaLatency-1] | biased_flags | narrowed_flags;
    end
  end

  assign valid_o = valid_q;
  assign value_o = value_q;
  assign flags_o = all_q;

endmodule
