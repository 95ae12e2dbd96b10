// A FIFO whose input is at its output in the same cycle while nothing else waits.
module mesh_fifo #(
    parameter int unsigned Depth = 8,  // a power of two
    parameter type T = logic
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    // In: room is the writer's business (credits).
    input  logic                     push_i,
    input  T                         data_i,
    // Out: `pop_i` only with `valid_o`; it may depend on it and on `data_o`.
    output logic                     valid_o,
    output T                         data_o,
    input  logic                     pop_i,
    output logic [$clog2(Depth+1)-1:0] count_o  // what waits, that which comes in now included
);
  localparam int unsigned PtrWidth = $clog2(Depth);
  localparam int unsigned CountWidth = $clog2(Depth + 1);

  T mem_q[Depth];
  logic [PtrWidth-1:0] write_q, read_q;
  logic [CountWidth-1:0] count_q;
  logic store, empty;

  assign empty = count_q == '0;
  assign valid_o = !empty || push_i;
  assign data_o = empty ? data_i : mem_q[read_q];
  assign count_o = count_q + CountWidth'(push_i);
  assign store = push_i && !(empty && pop_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      count_q <= '0;
    end else begin
      count_q <= count_o - CountWidth'(pop_i);
      if (store) write_q <= write_q + 1'b1;
      if (pop_i && !empty) read_q <= read_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (store) mem_q[write_q] <= data_i;
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) pop_i |-> valid_o);
  assert property (@(posedge clk_i) disable iff (!rst_ni) push_i && !pop_i |-> count_q != CountWidth'(Depth));
`endif
endmodule
