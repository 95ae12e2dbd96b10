// Second stage of the multiply-add: sum or difference as sign and magnitude, and the zeros ahead of its first one. Combinational.
module fp_fma_add
  import fp_pkg::*;
(
    input  sum_t       front_i,
    input  sum_t       back_i,
    input  logic       sign_i,      // of `front_i`
    input  logic       subtract_i,
    output sum_t       sum_o,
    output logic [5:0] zeros_o,
    output logic       sign_o
);

  logic negative;
  assign negative = subtract_i && front_i < back_i;

  always_comb begin
    if (!subtract_i) sum_o = front_i + back_i;
    else if (negative) sum_o = back_i - front_i;
    else sum_o = front_i - back_i;
  end

  // The difference of equal numbers is +0.
  assign sign_o  = subtract_i ? (sign_i ^ negative) && front_i != back_i : sign_i;
  assign zeros_o = leading_zeros({sum_o, 11'd0});

endmodule
