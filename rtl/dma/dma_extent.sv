// How far the rows of a descriptor reach, from the first byte to the last: (rows - 1) * stride + length of source and destination, a bit of
// the rows a cycle.
module dma_extent (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              start_i,
    input  logic [15:0]       rows_i,        // 0 means 1
    input  dma_pkg::length_t  length_i,
    input  dma_pkg::stride_t  src_stride_i,
    input  dma_pkg::stride_t  dst_stride_i,
    output logic              done_o,        // from the next cycle on at the earliest
    output dma_pkg::extent_t  src_bytes_o,
    output dma_pkg::extent_t  dst_bytes_o
);
  import dma_pkg::*;

  localparam int unsigned StepWidth = $bits(stride_t) + 15;  // of the highest bit of the rows
  logic [15:0] rows_q;
  logic [StepWidth-1:0] src_step_q, dst_step_q;
  extent_t src_q, dst_q;

  assign done_o = rows_q == '0;
  assign src_bytes_o = src_q;
  assign dst_bytes_o = dst_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rows_q     <= '0;
      src_step_q <= '0;
      dst_step_q <= '0;
      src_q      <= '0;
      dst_q      <= '0;
    end else if (start_i) begin
      rows_q     <= rows_i == '0 ? '0 : rows_i - 16'd1;
      src_step_q <= StepWidth'(src_stride_i);
      dst_step_q <= StepWidth'(dst_stride_i);
      src_q      <= extent_t'(length_i);
      dst_q      <= extent_t'(length_i);
    end else begin
      rows_q     <= rows_q >> 1;
      src_step_q <= src_step_q << 1;
      dst_step_q <= dst_step_q << 1;
      if (rows_q[0]) begin
        src_q <= src_q + extent_t'(src_step_q);
        dst_q <= dst_q + extent_t'(dst_step_q);
      end
    end
  end
endmodule
