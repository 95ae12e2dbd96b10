// One step of one row and column: a stationary element in either bank, and a multiply-add. The sum comes from above and leaves below
// FmaLatency cycles later, also where the row takes no part.
//
// A moving element passes to the right in one cycle. Registers load only what is valid, so that what stands idle keeps still.
module tensor_cell
  import tensor_pkg::*;
  import fp_pkg::*;
(
    input  logic           clk_i,
    input  logic           rst_ni,
    input  logic           load_i,
    input  logic           load_bank_i,
    input  logic    [31:0] load_value_i,
    input  moving_t        moving_i,
    output moving_t        moving_o,
    input  logic           valid_i,
    input  logic    [31:0] sum_i,
    output logic           valid_o,
    output logic    [31:0] sum_o,
    output flags_t         flags_o
);

  // One copy of the code for all instances: a model of the whole array is compiled in seconds instead of minutes.
  /* verilator no_inline_module */

  logic [31:0] bank0_q, bank1_q, stationary;
  always_ff @(posedge clk_i) begin
    if (load_i && !load_bank_i) bank0_q <= load_value_i;
    if (load_i && load_bank_i) bank1_q <= load_value_i;
  end
  assign stationary = moving_i.sbank ? bank1_q : bank0_q;

  logic take_part_q, transpose_q, sbank_q;
  logic [31:0] value_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      take_part_q <= 1'b0;
      transpose_q <= 1'b0;
    end else begin
      take_part_q <= moving_i.take_part;
      transpose_q <= moving_i.transpose;
    end
  end
  always_ff @(posedge clk_i) begin
    if (moving_i.take_part || moving_i.transpose) sbank_q <= moving_i.sbank;
    if (moving_i.take_part) value_q <= moving_i.value;
  end
  assign moving_o = '{take_part: take_part_q, transpose: transpose_q, sbank: sbank_q, value: value_q};

  logic product_valid;
  logic [31:0] product;
  flags_t product_flags;
  fp_fma u_fma (
      .clk_i,
      .rst_ni,
      .en_i(1'b1),
      .valid_i(valid_i && moving_i.take_part),
      .a_i(moving_i.value),
      .b_i(stationary),
      .c_i(sum_i),
      .valid_o(product_valid),
      .result_o(product),
      .flags_o(product_flags)
  );

  // The way past the multiply-add.
  logic pass;
  logic [FmaLatency-1:0] pass_q;
  logic [FmaLatency-1:0][31:0] passed_q;
  assign pass = valid_i && !moving_i.take_part;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) pass_q <= '0;
    else pass_q <= {pass_q[FmaLatency-2:0], pass};
  end
  always_ff @(posedge clk_i) begin
    if (pass) passed_q[0] <= moving_i.transpose ? stationary : sum_i;
    for (int i = 1; i < int'(FmaLatency); i++) if (pass_q[i-1]) passed_q[i] <= passed_q[i-1];
  end

  assign valid_o = product_valid || pass_q[FmaLatency-1];
  assign sum_o = product_valid ? product : passed_q[FmaLatency-1];
  assign flags_o = product_valid ? product_flags : '0;

endmodule
