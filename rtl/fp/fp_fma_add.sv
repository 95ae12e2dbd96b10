// Second stage of the multiply-add: sum or difference as sign and magnitude, and the zeros ahead of its first one. Combinational.
module fp_fma_add
  import fp_pkg::*;
(
    input  front_t     front_i,
    input  back_t      back_i,
    input  logic       sign_i,      // of `front_i`
    input  logic       subtract_i,
    output sum_t       sum_o,
    output logic [5:0] zeros_o,
    output logic       sign_o
);

  sum_t front, back;
  assign front = {1'b0, front_i, 4'd0};
  assign back  = {2'd0, back_i};

  logic negative;
  assign negative = subtract_i && front < back;

  always_comb begin
    if (!subtract_i) sum_o = front + back;
    else if (negative) sum_o = back - front;
    else sum_o = front - back;
  end

  // The difference of equal numbers is +0.
  assign sign_o  = subtract_i ? (sign_i ^ negative) && front != back : sign_i;
  assign zeros_o = leading_zeros({sum_o, 11'd0});

endmodule
