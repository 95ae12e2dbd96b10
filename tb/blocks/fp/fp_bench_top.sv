// The operations of rtl/fp side by side. fp_post, which is made of them, is a top of its own.
module fp_bench_top
  import fp_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input  format_e        widen_format_i,
    input  logic    [31:0] widen_value_i,
    output logic    [31:0] widen_value_o,
    output flags_t         widen_flags_o,

    input  format_e          narrow_format_i,
    input  rounding_e        narrow_rounding_i,
    input  overflow_e        narrow_overflow_i,
    input  logic      [31:0] narrow_random_i,
    input  logic      [31:0] narrow_value_i,
    output logic      [31:0] narrow_value_o,
    output flags_t           narrow_flags_o,

    input  logic          fma_en_i,
    input  logic          fma_valid_i,
    input  logic   [31:0] fma_a_i,
    input  logic   [31:0] fma_b_i,
    input  logic   [31:0] fma_c_i,
    output logic          fma_valid_o,
    output logic   [31:0] fma_result_o,
    output flags_t        fma_flags_o,

    input  logic        random_step_i,
    input  logic        random_write_i,
    input  logic [31:0] random_state_i,
    output logic [31:0] random_state_o,
    output logic [31:0] random_number_o
);

  fp_widen u_widen (
      .format_i(widen_format_i),
      .value_i(widen_value_i),
      .value_o(widen_value_o),
      .flags_o(widen_flags_o)
  );

  fp_narrow u_narrow (
      .format_i(narrow_format_i),
      .rounding_i(narrow_rounding_i),
      .overflow_i(narrow_overflow_i),
      .random_i(narrow_random_i),
      .value_i(narrow_value_i),
      .value_o(narrow_value_o),
      .flags_o(narrow_flags_o)
  );

  fp_fma u_fma (
      .clk_i,
      .rst_ni,
      .en_i(fma_en_i),
      .valid_i(fma_valid_i),
      .a_i(fma_a_i),
      .b_i(fma_b_i),
      .c_i(fma_c_i),
      .valid_o(fma_valid_o),
      .result_o(fma_result_o),
      .flags_o(fma_flags_o)
  );

  fp_random u_random (
      .clk_i,
      .rst_ni,
      .step_i(random_step_i),
      .write_i(random_write_i),
      .state_i(random_state_i),
      .state_o(random_state_o),
      .number_o(random_number_o)
  );

endmodule
