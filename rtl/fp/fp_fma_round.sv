// Third stage of the multiply-add: normalised, rounded to nearest with ties to even, packed. Combinational.
module fp_fma_round
  import fp_pkg::*;
(
    input  sum_t             sum_i,
    input  logic      [ 5:0] zeros_i,
    input  exponent_t        exponent_i,
    input  logic             sign_i,
    input  class_e           class_i,
    input  logic             sign_special_i,
    input  logic             invalid_i,
    input  logic             nan_in_i,
    output logic      [31:0] result_o,
    output flags_t           flags_o
);

  exponent_t top, room;
  logic [5:0] shift;
  sum_t normal;
  logic [31:0] unrounded, rounded;  // exponent and fraction; the exponent has one bit more than fp32's, in the sign's place
  logic guard, below, up, inexact, subnormal, overflow;

  always_comb begin
    // The exponent, were the highest bit of the sum a one; no shift may bring it below fp32's lowest.
    top = exponent_i + 9'd2;
    room = exponent_i + 9'd1;
    shift = 9'(zeros_i) < room ? zeros_i : room[5:0];
    normal = sum_i << shift;
    subnormal = !normal[52];
    // The leading one, where there is one, adds 1 to the exponent.
    unrounded = sum_i == '0 ? '0 : {top - 9'(shift) - 9'd1, 23'd0} + 32'(normal[52:29]);
    guard = normal[28];
    below = normal[27:0] != '0;
    inexact = guard || below;
    up = guard && (below || normal[29]);
    rounded = unrounded + 32'(up);
    overflow = rounded[31:23] >= 9'd255;
  end

  // With one more bit, as an unbounded exponent would give it, a number just below the smallest normal one rounds to that when the next
  // bit is a one as well.
  logic tiny;
  assign tiny = subnormal && !(rounded[23] && normal[27]);

  always_comb begin
    result_o = {sign_i, rounded[30:0]};
    flags_o = '{inexact: inexact, underflow: tiny && inexact, default: 1'b0};
    if (overflow) begin
      result_o = {sign_i, 8'hff, 23'd0};
      flags_o.overflow = 1'b1;
      flags_o.inexact = 1'b1;
    end
    if (class_i == ClassInfinity) result_o = {sign_special_i, 8'hff, 23'd0};
    if (class_i == ClassNan) result_o = Fp32Nan;
    if (class_i != ClassNumber) flags_o = '{nan_in: nan_in_i, invalid: invalid_i, default: 1'b0};
  end

endmodule
