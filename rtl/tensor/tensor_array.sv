// ROWS x COLS of the array, two steps a row. In double-row mode the sum goes through both steps of a row, else past the second ones. The
// mode changes only while no vector is inside.
//
// Moving elements come in at the left: step s of a row FmaLatency cycles after the step above it, and a column a cycle after the one to its left.
module tensor_array
  import tensor_pkg::*;
  import fp_pkg::*;
#(
    parameter int unsigned ROWS = 8,
    parameter int unsigned COLS = 8
) (
    input  logic                               clk_i,
    input  logic                               rst_ni,
    input  logic                               double_i,
    input  stationary_t [  ROWS-1:0]           load_i,
    input  moving_t     [2*ROWS-1:0]           moving_i,
    input  logic        [  COLS-1:0]           valid_i,
    input  logic        [  COLS-1:0][31:0]     sum_i,
    output logic        [  COLS-1:0]           valid_o,
    output logic        [  COLS-1:0][31:0]     sum_o,
    output flags_t                             flags_o     // of this cycle, all steps together
);

  localparam int unsigned Steps = 2 * ROWS;

  // What enters and leaves each step; index Steps is below the last one.
  logic [Steps-1:0][COLS-1:0] valid_out;
  logic [Steps-1:0][COLS-1:0][31:0] sum_out;
  logic [Steps:0][COLS-1:0] valid_in;
  logic [Steps:0][COLS-1:0][31:0] sum_in;
  flags_t [Steps-1:0][COLS-1:0] flags;

  assign valid_in[0] = valid_i;
  assign sum_in[0] = sum_i;
  assign valid_o = valid_in[Steps];
  assign sum_o = sum_in[Steps];

  for (genvar s = 0; s < int'(Steps); s++) begin : gen_step
    localparam int unsigned Row = s / 2;
    if (s % 2 == 0) begin : gen_first
      // The second step sees nothing unless it is in use.
      assign valid_in[s+1] = double_i ? valid_out[s] : '0;
      assign sum_in[s+1] = sum_out[s];
    end else begin : gen_second
      assign valid_in[s+1] = double_i ? valid_out[s] : valid_out[s-1];
      assign sum_in[s+1] = double_i ? sum_out[s] : sum_out[s-1];
    end

    moving_t [COLS:0] moving;
    assign moving[0] = moving_i[s];
    for (genvar c = 0; c < int'(COLS); c++) begin : gen_column
      tensor_cell u_cell (
          .clk_i,
          .rst_ni,
          .load_i(load_i[Row].valid && load_i[Row].column == lane_t'(c) && (s % 2 == 0 || load_i[Row].second)),
          .load_bank_i(load_i[Row].sbank),
          .load_value_i(load_i[Row].value[s%2]),
          .moving_i(moving[c]),
          .moving_o(moving[c+1]),
          .valid_i(valid_in[s][c]),
          .sum_i(sum_in[s][c]),
          .valid_o(valid_out[s][c]),
          .sum_o(sum_out[s][c]),
          .flags_o(flags[s][c])
      );
    end
    logic unused_moving;
    assign unused_moving = ^moving[COLS];
  end

  always_comb begin
    flags_o = '0;
    for (int s = 0; s < int'(Steps); s++) for (int c = 0; c < int'(COLS); c++) flags_o |= flags[s][c];
  end

endmodule
