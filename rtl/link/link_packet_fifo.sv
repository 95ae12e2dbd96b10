// Holds packets until they are read. Flits become visible when their packet is committed, so a reader never meets half a packet.
module link_packet_fifo #(
    parameter int unsigned Depth = 128  // flits, a power of two
) (
    input logic clk_i,
    input logic rst_ni,

    input logic        push_i,      // only while full_o is 0, or together with rollback_i
    input logic [63:0] data_i,
    input logic        commit_i,    // with what is pushed in this cycle
    input logic        rollback_i,  // before what is pushed in this cycle
    output logic       full_o,
    output logic [7:0] used_o,      // flits committed and not read

    output logic        valid_o,
    output logic [63:0] data_o,
    input  logic        pop_i
);

  localparam int unsigned Bits = $clog2(Depth);

  logic [63:0] mem_q[Depth];
  logic [Bits:0] write_q, commit_q, read_q, base, write_d, used;

  assign base = rollback_i ? commit_q : write_q;
  assign write_d = push_i ? base + (Bits + 1)'(1) : base;
  assign full_o = (write_q ^ read_q) == {1'b1, Bits'(0)};

  always_ff @(posedge clk_i) begin
    if (push_i) mem_q[base[Bits-1:0]] <= data_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q  <= '0;
      commit_q <= '0;
      read_q   <= '0;
    end else begin
      write_q <= write_d;
      if (commit_i) commit_q <= write_d;
      if (pop_i) read_q <= read_q + (Bits + 1)'(1);
    end
  end

  assign used = commit_q - read_q;
  assign used_o = 8'(used);
  assign valid_o = read_q != commit_q;
  assign data_o = mem_q[read_q[Bits-1:0]];

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) pop_i |-> valid_o);
  assert property (@(posedge clk_i) disable iff (!rst_ni) push_i && !rollback_i |-> !full_o);
`endif

endmodule
