// Instructions of one unit that wait for their turn.
module tensor_queue
  import tensor_pkg::*;
(
    input  logic   clk_i,
    input  logic   rst_ni,
    input  logic   flush_i,
    input  logic   push_i,
    input  instr_t instr_i,
    output logic   full_o,
    output logic   valid_o,
    output instr_t instr_o,
    input  logic   pop_i
);

  localparam int unsigned IndexBits = $clog2(QueueDepth);

  instr_t instr_q[QueueDepth];
  logic [IndexBits:0] write_q, read_q;

  assign full_o = write_q == {~read_q[IndexBits], read_q[IndexBits-1:0]};
  assign valid_o = write_q != read_q;
  assign instr_o = instr_q[read_q[IndexBits-1:0]];

  always_ff @(posedge clk_i) if (push_i) instr_q[write_q[IndexBits-1:0]] <= instr_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else if (flush_i) begin
      write_q <= '0;
      read_q  <= '0;
    end else begin
      if (push_i) write_q <= write_q + 1'b1;
      if (pop_i) read_q <= read_q + 1'b1;
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) push_i |-> !full_o)
  else $error("an instruction too many");
`endif

endmodule
