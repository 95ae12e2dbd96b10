// A FIFO with valid/ready on both sides. No path from one side to the other: an item spends at least one cycle inside.
module axi_fifo #(
    parameter int unsigned Depth = 2,  // a power of two, 2 or more
    parameter type T = logic
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic clear_i,  // drops what is inside
    input  logic valid_i,
    output logic ready_o,
    input  T     data_i,
    output logic valid_o,
    input  logic ready_i,
    output T     data_o
);
  localparam int unsigned PtrWidth = $clog2(Depth);

  T mem_q[Depth];
  logic [PtrWidth:0] write_q, read_q;  // one bit more than an address tells full from empty
  logic push, pop;

  assign ready_o = !((write_q[PtrWidth] != read_q[PtrWidth]) && (write_q[PtrWidth-1:0] == read_q[PtrWidth-1:0]));
  assign valid_o = write_q != read_q;
  assign data_o = mem_q[read_q[PtrWidth-1:0]];
  assign push = valid_i && ready_o;
  assign pop = valid_o && ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else if (clear_i) begin
      write_q <= '0;
      read_q  <= '0;
    end else begin
      if (push) write_q <= write_q + 1'b1;
      if (pop) read_q <= read_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) mem_q[write_q[PtrWidth-1:0]] <= data_i;
  end
endmodule
