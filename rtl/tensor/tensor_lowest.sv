// Of what goes wrong with one instruction the lowest code, and of one code the lowest detail. It is told when the instruction ends, since only
// then nothing lower can come.
module tensor_lowest
  import tensor_pkg::*;
(
    input  logic   clk_i,
    input  logic   rst_ni,
    input  error_t error_i,
    input  logic   end_i,
    output logic   found_o,  // something went wrong before this cycle
    output error_t error_o   // with `end_i`
);

  error_t told, held_q;
  logic lower;
  assign lower = !held_q.valid || {error_i.code, error_i.detail} < {held_q.code, held_q.detail};
  assign told = error_i.valid && lower ? error_i : held_q;
  assign found_o = held_q.valid;
  always_comb begin
    error_o = told;
    error_o.valid = told.valid && end_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= '0;
    else if (end_i) held_q <= '0;
    else if (error_i.valid) held_q <= told;
  end

endmodule
