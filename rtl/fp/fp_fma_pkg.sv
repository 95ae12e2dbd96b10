// The three stages of the multiply-add between the registers of fp_fma. They are functions, not modules, for the simulator's sake: it keeps one
// copy of each for all the multiply-adds of an array, and calls it only for those that have something to do.
package fp_fma_pkg;
  import fp_pkg::*;

  typedef struct packed {
    logic infinite;
    logic nan;
    logic signalling;
  } kind_t;

  function automatic kind_t kind_of(logic [30:0] value);
    logic top, empty;
    top = value[30:23] == '1;
    empty = value[22:0] == '0;
    return '{infinite: top && empty, nan: top && !empty, signalling: top && !empty && !value[22]};
  endfunction

  // Subnormals have the lowest exponent of the normal ones, and no leading one.
  function automatic logic [23:0] significand_of(logic [30:0] value);
    return {value[30:23] != '0, value[22:0]};
  endfunction
  function automatic logic [7:0] exponent_of(logic [7:0] code);
    return code == 8'd0 ? 8'd1 : code;
  endfunction

  // a x b, and the addend, brought to one exponent.
  //
  // Subnormal operands are not normalised first. The larger exponent is the sum's; the other operand is shifted right, and what falls off is
  // kept as one sticky bit. Only where the exponents differ by more than the bits below do digits fall off, and then the highest one of the sum
  // is far enough above the sticky bit: the operand in front is normal; or the result's last bit has a fixed place, that of fp32's lowest
  // exponent; or a product with one subnormal factor is in front, and its highest one is at least 27 bits above.
  function automatic void align(
      input logic [31:0] a_i, input logic [31:0] b_i, input logic [31:0] c_i,
      output front_t front_o,  // the operand with the larger exponent
      output back_t back_o,  // the other one, shifted
      output exponent_t exponent_o,
      output logic sign_o,  // of `front_o`
      output logic subtract_o, output class_e class_o,
      output logic sign_special_o,  // of an infinite result
      output logic invalid_o, output logic nan_in_o);
    /* verilator no_inline_task */
    kind_t a, b, c;
    logic sign_product, product_infinite, zero_times_infinity, opposite_infinities, a_zero, b_zero;
    logic [47:0] product;
    logic [51:0] back;
    logic signed [9:0] exponent_product, exponent_addend, distance;
    logic product_in_front, lost;
    logic [5:0] shift;
    a = kind_of(a_i[30:0]);
    b = kind_of(b_i[30:0]);
    c = kind_of(c_i[30:0]);
    sign_product = a_i[31] ^ b_i[31];
    a_zero = a_i[30:0] == '0;
    b_zero = b_i[30:0] == '0;
    product_infinite = a.infinite || b.infinite;
    subtract_o = sign_product ^ c_i[31];
    zero_times_infinity = (a_zero && b.infinite) || (a.infinite && b_zero);
    opposite_infinities = product_infinite && c.infinite && subtract_o;
    nan_in_o = a.nan || b.nan || c.nan;
    // A NaN beside an infinity makes no difference of infinities.
    invalid_o = zero_times_infinity || (opposite_infinities && !nan_in_o) || a.signalling || b.signalling || c.signalling;
    sign_special_o = product_infinite ? sign_product : c_i[31];
    if (nan_in_o || invalid_o) class_o = ClassNan;
    else if (product_infinite || c.infinite) class_o = ClassInfinity;
    else class_o = ClassNumber;
    product = 48'(significand_of(a_i[30:0])) * 48'(significand_of(b_i[30:0]));
    exponent_product = 10'(exponent_of(a_i[30:23])) + 10'(exponent_of(b_i[30:23])) - 10'sd127;
    exponent_addend = 10'(exponent_of(c_i[30:23]));
    distance = exponent_product - exponent_addend;
    // A product of nothing has an exponent all the same; it must not push the addend away.
    product_in_front = distance >= 10'sd0 && !a_zero && !b_zero;
    if (!product_in_front) distance = -distance;
    shift = distance > 10'sd63 ? 6'd63 : distance[5:0];
    back = product_in_front ? {1'b0, significand_of(c_i[30:0]), 27'd0} : {product, 4'd0};
    lost = (back & ~(~52'd0 << shift)) != '0;
    // The highest bit is free: a product behind, if any, is shifted.
    back_o = back_t'(back >> shift) | back_t'(lost);
    front_o = product_in_front ? product : {1'b0, significand_of(c_i[30:0]), 23'd0};
    exponent_o = product_in_front ? exponent_product[8:0] : exponent_addend[8:0];
    sign_o = product_in_front ? sign_product : c_i[31];
  endfunction

  // Sum or difference as sign and magnitude, and the zeros ahead of its first one.
  function automatic void add(
      input front_t front_i, input back_t back_i,
      input logic sign_i,  // of `front_i`
      input logic subtract_i, output sum_t sum_o, output logic [5:0] zeros_o, output logic sign_o);
    /* verilator no_inline_task */
    sum_t front, back;
    logic negative;
    front = {1'b0, front_i, 4'd0};
    back = {2'd0, back_i};
    negative = subtract_i && front < back;
    if (!subtract_i) sum_o = front + back;
    else if (negative) sum_o = back - front;
    else sum_o = front - back;
    // The difference of equal numbers is +0.
    sign_o = subtract_i ? (sign_i ^ negative) && front != back : sign_i;
    zeros_o = leading_zeros({sum_o, 11'd0});
  endfunction

  // Normalised, rounded to nearest with ties to even, packed.
  function automatic void round(
      input sum_t sum_i, input logic [5:0] zeros_i, input exponent_t exponent_i, input logic sign_i, input class_e class_i,
      input logic sign_special_i, input logic invalid_i, input logic nan_in_i, output logic [31:0] result_o, output flags_t flags_o);
    /* verilator no_inline_task */
    exponent_t top, room;
    logic [5:0] shift;
    sum_t normal;
    logic [31:0] unrounded, rounded;  // exponent and fraction; the exponent has one bit more than fp32's, in the sign's place
    logic guard, below, up, inexact, subnormal, overflow;
    logic tiny;
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
    // With one more bit, as an unbounded exponent would give it, a number just below the smallest normal one rounds to that when the next
    // bit is a one as well.
    tiny = subnormal && !(rounded[23] && normal[27]);
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
  endfunction

endpackage
