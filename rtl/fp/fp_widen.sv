// Any format to fp32, exactly. Values of 8 and 16 bits are in the low bits of `value_i`; the bits above have no say. A format code that
// does not exist gives NaN and `invalid`. Combinational.
module fp_widen
  import fp_pkg::*;
(
    input  format_e        format_i,
    input  logic    [31:0] value_i,
    output logic    [31:0] value_o,
    output flags_t         flags_o
);

  logic [31:0] wide;  // fp32, and bf16 as its upper half
  assign wide = format_i == Bf16 ? {value_i[15:0], 16'h0000} : value_i;

  // fp16 and the FP8 formats as one: 5 bits of exponent, 10 of fraction. The bit patterns of fp8_e5m2 are the upper bytes of fp16's.
  logic sign;
  logic [4:0] exponent;
  logic [9:0] fraction;
  logic [7:0] rebias;  // fp32's bias less that of the format
  logic narrow, legal, special, nan, signalling;

  always_comb begin
    {sign, exponent, fraction} = value_i[15:0];
    rebias = 8'd112;
    narrow = 1'b1;
    legal = 1'b1;
    special = exponent == '1;
    nan = special && fraction != '0;
    signalling = !fraction[9];
    case (format_i)
      Fp16: ;
      Fp8E5m2: begin
        {sign, exponent, fraction} = {value_i[7:0], 8'h00};
        special = exponent == '1;
        nan = special && fraction != '0;
        signalling = !fraction[9];
      end
      Fp8E4m3: begin
        {sign, exponent, fraction} = {value_i[7], 1'b0, value_i[6:0], 7'h00};
        rebias = 8'd120;
        special = value_i[6:0] == '1;
        nan = special;
        signalling = 1'b0;
      end
      Fp32, Bf16: begin
        narrow = 1'b0;
        nan = wide[30:23] == '1 && wide[22:0] != '0;
        signalling = !wide[22];
      end
      default: begin
        legal = 1'b0;
        nan = 1'b1;
      end
    endcase
  end

  logic [ 3:0] zeros;  // ahead of a subnormal's first one
  logic [ 8:0] shifted;
  logic [17:0] magnitude;  // exponent and the upper digits; the lower 13 are 0
  always_comb begin
    zeros = 4'(leading_zeros({fraction, 54'd0}));
    shifted = 9'(fraction << zeros);  // without its leading one
    if (special) magnitude = {8'hff, 10'd0};
    else if (exponent != '0) magnitude = {8'(exponent) + rebias, fraction};
    else if (fraction != '0) magnitude = {rebias - 8'(zeros), shifted, 1'b0};
    else magnitude = '0;
  end

  assign value_o = nan ? Fp32Nan : narrow ? {sign, magnitude, 13'd0} : wide;
  assign flags_o = '{nan_in: nan && legal, invalid: nan && (signalling || !legal), default: 1'b0};

endmodule
