// The bare array of a partition, words and then spare rows: one port, read data a cycle after the access, no reset (content is unknown until written).
module tensor_spad_array
  import tensor_pkg::*;
  import secded_pkg::code_t;
(
    input  logic       clk_i,
    input  logic       en_i,
    input  logic       we_i,
    input  spad_row_t  row_i,
    input  code_t      wdata_i,
    output code_t      rdata_o
);

  code_t mem[SpadWords+SpadSpares];

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (we_i) mem[row_i] <= wdata_i;
      else rdata_o <= mem[row_i];
    end
  end

endmodule
