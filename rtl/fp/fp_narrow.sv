// fp32 to any format. The result is in the low bits of `value_o`, zeros above. `random_i` matters to stochastic rounding only. A format
// code that does not exist gives the NaN of fp32 and `invalid`. Combinational.
module fp_narrow
  import fp_pkg::*;
(
    input  format_e          format_i,
    input  rounding_e        rounding_i,
    input  overflow_e        overflow_i,
    input  logic      [31:0] random_i,
    input  logic      [31:0] value_i,
    output logic      [31:0] value_o,
    output flags_t           flags_o
);

  // What the format is. Codes are without their sign.
  logic [3:0] digits;  // of the fraction
  logic [7:0] rebias;  // fp32's bias less that of the format
  logic [14:0] largest, above, nan_code;  // largest finite, what overflow gives instead of it, NaN
  always_comb begin
    case (format_i)
      Fp16: {digits, rebias, largest, above, nan_code} = {4'd10, 8'd112, 15'h7bff, 15'h7c00, 15'h7e00};
      Fp8E4m3: {digits, rebias, largest, above, nan_code} = {4'd3, 8'd120, 15'h007e, 15'h007f, 15'h007f};
      Fp8E5m2: {digits, rebias, largest, above, nan_code} = {4'd2, 8'd112, 15'h007b, 15'h007c, 15'h007e};
      default: {digits, rebias, largest, above, nan_code} = {4'd7, 8'd0, 15'h7f7f, 15'h7f80, 15'h7fc0};
    endcase
  end

  logic sign, infinite, nan;
  assign sign = value_i[31];
  assign infinite = value_i[30:0] == 31'h7f80_0000;
  assign nan = value_i[30:0] > 31'h7f80_0000;

  // The magnitude in units of the target's last bit: an integer, and the first 32 bits of its fraction.
  logic [7:0] exponent;
  logic [6:0] below_normal;  // binades below the target's lowest
  logic [6:0] cut;           // bits behind the target's last, beyond the 13 of fp16
  logic [42:0] units;
  logic [10:0] whole, all_ones;
  logic [31:0] fraction;
  logic [7:0] base;  // the exponent code, less the one that a leading one adds
  logic inexact;
  always_comb begin
    exponent = value_i[30:24] == '0 ? 8'd1 : value_i[30:23];
    below_normal = exponent > rebias ? 7'd0 : rebias[6:0] - exponent[6:0] + 7'd1;
    base = exponent > rebias ? exponent - rebias - 8'd1 : 8'd0;
    cut = 7'd10 - 7'(digits) + below_normal;
    units = {value_i[30:23] != '0, value_i[22:0], 19'd0} >> (cut > 7'd63 ? 6'd63 : cut[5:0]);
    whole = units[42:32];
    fraction = units[31:0];
    // More than 32 bits are cut off far below the subnormals only, where no number but 0 stays.
    inexact = fraction != '0 || (cut > 7'd19 && value_i[30:0] != '0);
  end

  // The target's codes are in the order of the magnitudes, and so the next one is one more.
  logic nearest_up, stochastic_up, up, overflow;
  logic [17:0] code;
  always_comb begin
    nearest_up = fraction[31] && (fraction[30:0] != '0 || whole[0]);
    stochastic_up = random_i < fraction;
    up = rounding_i == RoundStochastic ? stochastic_up : nearest_up;
    code = (18'(base) << digits) + 18'(whole) + 18'(up);
    overflow = code > 18'(largest);
  end

  // In units of half the last bit, as an unbounded exponent would have it, a number may round to the smallest normal one that lies
  // less than one such unit below.
  logic subnormal, tiny;
  always_comb begin
    all_ones = ~(11'h7ff << digits);
    subnormal = whole <= all_ones;
    tiny = subnormal && !(whole == all_ones && fraction[31] &&
                          (rounding_i == RoundStochastic ? random_i < {fraction[30:0], 1'b0} : fraction[30]));
  end

  logic [14:0] overflowed;
  assign overflowed = overflow_i == OverflowInfinity ? above : largest;

  logic [14:0] magnitude;
  logic minus;
  flags_t flags;
  always_comb begin
    minus = sign;
    magnitude = code[14:0];
    flags = '{overflow: overflow, inexact: inexact || overflow, underflow: inexact && tiny, default: 1'b0};
    if (overflow) magnitude = overflowed;
    if (infinite) begin
      magnitude = overflowed;
      flags = '{invalid: overflowed == nan_code, default: 1'b0};
    end
    if (nan) begin
      magnitude = nan_code;
      flags = '{nan_in: 1'b1, invalid: !value_i[22], default: 1'b0};
    end
    if (magnitude == nan_code) minus = 1'b0;
  end

  always_comb begin
    flags_o = flags;
    case (format_i)
      Fp16, Bf16: value_o = {16'd0, minus, magnitude};
      Fp8E4m3, Fp8E5m2: value_o = {24'd0, minus, magnitude[6:0]};
      Fp32: begin
        value_o = nan ? Fp32Nan : value_i;
        flags_o = '{nan_in: nan, invalid: nan && !value_i[22], default: 1'b0};
      end
      default: begin
        value_o = Fp32Nan;
        flags_o = '{invalid: 1'b1, default: 1'b0};
      end
    endcase
  end

endmodule
