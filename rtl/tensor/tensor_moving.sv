// Vectors on their way down the rows: each row sees a vector as many cycles after the row above as a sum takes through it.
module tensor_moving
  import tensor_pkg::*;
  import fp_pkg::*;
#(
    parameter int unsigned ROWS = 8
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic                          double_i,
    input  logic                          valid_i,
    input  vector_t                       vector_i,
    output spad_read_t [  ROWS-1:0]       read_o,
    input  logic       [  ROWS-1:0][63:0] data_i,
    input  logic       [  ROWS-1:0]       bad_i,
    output moving_t    [2*ROWS-1:0]       moving_o,
    output flags_t                        flags_o,
    output logic       [  ROWS-1:0]       bad_o,       // a row met an uncorrectable error
    output spad_addr_t [  ROWS-1:0]       bad_addr_o,
    output slot_t      [  ROWS-1:0]       bad_slot_o
);

  logic [ROWS-1:0] valid;
  vector_t [ROWS-1:0] vector;
  flags_t [ROWS-1:0] flags;

  assign valid[0] = valid_i;
  assign vector[0] = vector_i;

  for (genvar r = 0; r < int'(ROWS); r++) begin : gen_row
    tensor_moving_row #(
        .ROW(r)
    ) u_row (
        .clk_i,
        .rst_ni,
        .valid_i(valid[r]),
        .vector_i(vector[r]),
        .read_o(read_o[r]),
        .data_i(data_i[r]),
        .bad_i(bad_i[r]),
        .moving_o(moving_o[2*r+:2]),
        .flags_o(flags[r]),
        .bad_o(bad_o[r]),
        .bad_addr_o(bad_addr_o[r]),
        .bad_slot_o(bad_slot_o[r])
    );
    if (r + 1 < int'(ROWS)) begin : gen_next
      logic valid_single, valid_double;
      vector_t single, twice;
      tensor_delay #(
          .WIDTH($bits(vector_t)),
          .DEPTH(FmaLatency)
      ) u_first (
          .clk_i,
          .rst_ni,
          .valid_i(valid[r]),
          .value_i(vector[r]),
          .valid_o(valid_single),
          .value_o(single)
      );
      tensor_delay #(
          .WIDTH($bits(vector_t)),
          .DEPTH(FmaLatency)
      ) u_second (
          .clk_i,
          .rst_ni,
          .valid_i(valid_single && double_i),
          .value_i(single),
          .valid_o(valid_double),
          .value_o(twice)
      );
      assign valid[r+1] = double_i ? valid_double : valid_single;
      assign vector[r+1] = double_i ? twice : single;
    end
  end

  always_comb begin
    flags_o = '0;
    for (int r = 0; r < int'(ROWS); r++) flags_o |= flags[r];
  end

endmodule
