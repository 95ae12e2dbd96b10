// Remembers, in the order in which bursts of an ID were asked for, whom each belongs to and whether it is the last part of its burst.
// Answers of one ID come in that order (AMBA AXI4, A5.3).
module hbm_order #(
    parameter int unsigned Depth = 16  // open bursts of an ID, a power of two
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  logic                            push_i,
    input  logic [tern_pkg::AxiIdWidth-1:0] push_id_i,
    input  logic                            push_engine_i,
    input  logic                            push_final_i,
    output logic                            room_o,         // for one more of push_id_i
    input  logic                            pop_i,
    input  logic [tern_pkg::AxiIdWidth-1:0] pop_id_i,
    output logic                            engine_o,       // of the oldest of pop_id_i
    output logic                            final_o
);
  localparam int unsigned NumIds = 1 << tern_pkg::AxiIdWidth;
  localparam int unsigned PtrWidth = $clog2(Depth);
  typedef logic [PtrWidth:0] ptr_t;  // one bit more than an index tells full from empty

  logic [NumIds-1:0][Depth-1:0] engine_q, final_q;
  ptr_t [NumIds-1:0] push_q, pop_q;
  ptr_t push_ptr, pop_ptr;

  assign push_ptr = push_q[push_id_i];
  assign pop_ptr  = pop_q[pop_id_i];
  assign room_o   = push_ptr - pop_q[push_id_i] != ptr_t'(Depth);
  assign engine_o = engine_q[pop_id_i][pop_ptr[PtrWidth-1:0]];
  assign final_o  = final_q[pop_id_i][pop_ptr[PtrWidth-1:0]];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      engine_q <= '0;
      final_q  <= '0;
      push_q   <= '0;
      pop_q    <= '0;
    end else begin
      if (push_i) begin
        engine_q[push_id_i][push_ptr[PtrWidth-1:0]] <= push_engine_i;
        final_q[push_id_i][push_ptr[PtrWidth-1:0]] <= push_final_i;
        push_q[push_id_i] <= push_ptr + 1'b1;
      end
      if (pop_i) pop_q[pop_id_i] <= pop_ptr + 1'b1;
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) push_i |-> room_o)
  else $error("more open bursts than are remembered");
  assert property (@(posedge clk_i) disable iff (!rst_ni) pop_i |-> push_q[pop_id_i] != pop_ptr)
  else $error("an answer that nothing asked for");
`endif
endmodule
