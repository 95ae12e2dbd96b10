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

  localparam int unsigned Lsb = SumBits - 24;

  exponent_t top, room, shift;
  sum_t normal;
  logic [32:0] unrounded, rounded;  // exponent and fraction, with two bits more of exponent
  logic guard, below, up, inexact, subnormal, overflow;

  always_comb begin
    // The exponent, were the highest bit of the sum a one; no shift may bring it below fp32's lowest.
    top = exponent_i + 10'(SumBits - 1 - SumUnit);
    room = top - 10'sd1;
    shift = 10'(zeros_i) < room ? 10'(zeros_i) : room;
    normal = sum_i << shift[5:0];
    subnormal = !normal[SumBits-1];
    // The leading one, where there is one, adds 1 to the exponent.
    unrounded = sum_i == '0 ? '0 : {10'(top - shift - 10'sd1), 23'd0} + 33'(normal[SumBits-1:Lsb]);
    guard = normal[Lsb-1];
    below = normal[Lsb-2:0] != '0;
    inexact = guard || below;
    up = guard && (below || normal[Lsb]);
    rounded = unrounded + 33'(up);
    overflow = rounded[32:23] >= 10'd255;
  end

  // With one more bit, as an unbounded exponent would give it, a number just below the smallest normal one rounds to that when the next
  // bit is a one as well.
  logic tiny;
  assign tiny = subnormal && !(rounded[23] && normal[Lsb-2]);

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
