// Small FIFO. Outputs come from registers only, so no path leads from pop to push_ready. A push into a full FIFO and a pop from an
// empty one are not allowed.
module sram_fifo #(
    parameter int unsigned Width = 8,
    parameter int unsigned Depth = 2,
    localparam int unsigned CountWidth = $clog2(Depth + 1)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  push_i,
    input  logic [     Width-1:0] data_i,
    output logic                  full_o,
    output logic                  valid_o,
    output logic [     Width-1:0] data_o,
    input  logic                  pop_i,
    output logic [CountWidth-1:0] count_o
);

  localparam int unsigned PtrWidth = $clog2(Depth);
  typedef logic [PtrWidth-1:0] ptr_t;

  logic [Depth-1:0][Width-1:0] store_q;
  ptr_t write_q, read_q;
  logic [CountWidth-1:0] count_q;

  function automatic ptr_t next(ptr_t ptr);
    return ptr == ptr_t'(Depth - 1) ? '0 : ptr + 1'b1;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      store_q <= '0;
      write_q <= '0;
      read_q  <= '0;
      count_q <= '0;
    end else begin
      if (push_i) begin
        store_q[write_q] <= data_i;
        write_q <= next(write_q);
      end
      if (pop_i) read_q <= next(read_q);
      count_q <= count_q + CountWidth'(push_i) - CountWidth'(pop_i);
    end
  end

  assign full_o  = count_q == CountWidth'(Depth);
  assign valid_o = count_q != '0;
  assign data_o  = store_q[read_q];
  assign count_o = count_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) push_i |-> !full_o)
  else $error("push into a full FIFO");
  assert property (@(posedge clk_i) disable iff (!rst_ni) pop_i |-> valid_o)
  else $error("pop from an empty FIFO");
`endif

endmodule
