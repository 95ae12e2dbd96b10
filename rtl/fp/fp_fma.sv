// a x b + c on fp32, rounded once. One result a cycle, FmaLatency cycles after its operands; while `en_i` is low everything stands still.
// The registers of a stage load only what is valid, and so keep still between.
module fp_fma
  import fp_pkg::*;
  import fp_fma_pkg::*;
(
    input  logic          clk_i,
    input  logic          rst_ni,
    input  logic          en_i,
    input  logic          valid_i,
    input  logic   [31:0] a_i,
    input  logic   [31:0] b_i,
    input  logic   [31:0] c_i,
    output logic          valid_o,
    output logic   [31:0] result_o,
    output flags_t        flags_o
);

  logic [FmaLatency-1:0] valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else if (en_i) valid_q <= {valid_q[FmaLatency-2:0], valid_i};
  end
  assign valid_o = valid_q[FmaLatency-1];

  // Multiply and align.
  front_t front, front_q;
  back_t back, back_q;
  exponent_t exponent, exponent_q1, exponent_q2;
  logic sign, sign_q1, subtract, subtract_q;
  class_e kind, kind_q1, kind_q2;
  logic sign_special, sign_special_q1, sign_special_q2;
  logic invalid, invalid_q1, invalid_q2, nan_in, nan_in_q1, nan_in_q2;

  always_comb begin
    front = '0;
    back = '0;
    exponent = '0;
    sign = 1'b0;
    subtract = 1'b0;
    kind = ClassNumber;
    sign_special = 1'b0;
    invalid = 1'b0;
    nan_in = 1'b0;
    if (valid_i) align(a_i, b_i, c_i, front, back, exponent, sign, subtract, kind, sign_special, invalid, nan_in);
  end

  always_ff @(posedge clk_i) begin
    if (en_i && valid_i) begin
      front_q         <= front;
      back_q          <= back;
      exponent_q1     <= exponent;
      sign_q1         <= sign;
      subtract_q      <= subtract;
      kind_q1         <= kind;
      sign_special_q1 <= sign_special;
      invalid_q1      <= invalid;
      nan_in_q1       <= nan_in;
    end
  end

  // Add and count leading zeros.
  sum_t sum, sum_q;
  logic [5:0] zeros, zeros_q;
  logic sign_sum, sign_q2;

  always_comb begin
    sum = '0;
    zeros = '0;
    sign_sum = 1'b0;
    if (valid_q[0]) add(front_q, back_q, sign_q1, subtract_q, sum, zeros, sign_sum);
  end

  always_ff @(posedge clk_i) begin
    if (en_i && valid_q[0]) begin
      sum_q           <= sum;
      zeros_q         <= zeros;
      sign_q2         <= sign_sum;
      exponent_q2     <= exponent_q1;
      kind_q2         <= kind_q1;
      sign_special_q2 <= sign_special_q1;
      invalid_q2      <= invalid_q1;
      nan_in_q2       <= nan_in_q1;
    end
  end

  // Normalise and round.
  logic [31:0] result, result_q;
  flags_t flags, flags_q;

  always_comb begin
    result = '0;
    flags = '0;
    if (valid_q[1]) round(sum_q, zeros_q, exponent_q2, sign_q2, kind_q2, sign_special_q2, invalid_q2, nan_in_q2, result, flags);
  end

  always_ff @(posedge clk_i) begin
    if (en_i && valid_q[1]) begin
      result_q <= result;
      flags_q  <= flags;
    end
  end
  assign result_o = result_q;
  assign flags_o  = flags_q;

endmodule
