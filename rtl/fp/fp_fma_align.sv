// First stage of the multiply-add: a x b, and the addend, brought to one exponent. Combinational.
//
// Subnormal operands are not normalised first. The larger exponent is the sum's; the other operand is shifted right, and what falls off is
// kept as one sticky bit. Only where the exponents differ by more than the bits below do digits fall off, and then the highest one of the sum
// is far enough above the sticky bit: the operand in front is normal; or the result's last bit has a fixed place, that of fp32's lowest
// exponent; or a product with one subnormal factor is in front, and its highest one is at least 27 bits above.
module fp_fma_align
  import fp_pkg::*;
(
    input  logic      [31:0] a_i,
    input  logic      [31:0] b_i,
    input  logic      [31:0] c_i,
    output front_t           front_o,     // the operand with the larger exponent
    output back_t            back_o,      // the other one, shifted
    output exponent_t        exponent_o,
    output logic             sign_o,      // of `front_o`
    output logic             subtract_o,
    output class_e           class_o,
    output logic             sign_special_o,  // of an infinite result
    output logic             invalid_o,
    output logic             nan_in_o
);

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

  kind_t a, b, c;
  assign a = kind_of(a_i[30:0]);
  assign b = kind_of(b_i[30:0]);
  assign c = kind_of(c_i[30:0]);

  logic sign_product, product_infinite, zero_times_infinity, opposite_infinities, a_zero, b_zero;
  assign sign_product = a_i[31] ^ b_i[31];
  assign a_zero = a_i[30:0] == '0;
  assign b_zero = b_i[30:0] == '0;
  assign product_infinite = a.infinite || b.infinite;
  assign zero_times_infinity = (a_zero && b.infinite) || (a.infinite && b_zero);
  assign opposite_infinities = product_infinite && c.infinite && subtract_o;

  assign subtract_o = sign_product ^ c_i[31];
  assign nan_in_o = a.nan || b.nan || c.nan;
  // A NaN beside an infinity makes no difference of infinities.
  assign invalid_o = zero_times_infinity || (opposite_infinities && !nan_in_o) || a.signalling || b.signalling || c.signalling;
  assign sign_special_o = product_infinite ? sign_product : c_i[31];
  always_comb begin
    if (nan_in_o || invalid_o) class_o = ClassNan;
    else if (product_infinite || c.infinite) class_o = ClassInfinity;
    else class_o = ClassNumber;
  end

  logic [47:0] product;
  logic [51:0] back;
  logic signed [9:0] exponent_product, exponent_addend, distance;
  logic product_in_front, lost;
  logic [5:0] shift;
  always_comb begin
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
  end

endmodule
