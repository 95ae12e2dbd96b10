// Walks over the rows of one started descriptor and hands out their pieces. A descriptor that has failed, or whose queue is aborted, is
// cut: one piece without data ends it.
module dma_walk #(
    parameter dma_pkg::queue_t Queue = '0
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             start_i,
    input  dma_pkg::move_t   move_i,
    output logic             ready_o,
    input  logic [dma_pkg::NumSlots-1:0] stop_i,  // descriptors that move nothing more
    input  logic             abort_i,
    output logic             job_valid_o,
    output dma_pkg::job_t    job_o,
    input  logic             job_ready_i
);
  import dma_pkg::*;

  logic active_q, row_ends;
  move_t move_q;     // src, dst: of the row; rows: this one and those to come
  addr_t src_q, dst_q;
  length_t left_q;   // of the row
  piece_t room;
  addr_t next_src, next_dst;

  assign ready_o = !active_q;
  assign job_valid_o = active_q;
  assign room = piece_t'(PieceBytes) - piece_t'(dst_q[9:0]);
  assign row_ends = left_q <= length_t'(room);
  assign next_src = move_q.src + addr_t'(move_q.src_stride);
  assign next_dst = move_q.dst + addr_t'(move_q.dst_stride);
  always_comb begin
    job_o.qid = Queue;
    job_o.slot  = move_q.slot;
    job_o.cut   = stop_i[move_q.slot] || abort_i;
    job_o.last  = job_o.cut || (row_ends && move_q.rows == 16'd1);
    job_o.src   = src_q;
    job_o.dst   = dst_q;
    job_o.bytes = row_ends ? piece_t'(left_q) : room;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      move_q   <= '0;
      src_q    <= '0;
      dst_q    <= '0;
      left_q   <= '0;
    end else if (start_i) begin
      active_q <= 1'b1;
      move_q   <= move_i;
      src_q    <= move_i.src;
      dst_q    <= move_i.dst;
      left_q   <= move_i.length;
    end else if (active_q && job_ready_i) begin
      active_q <= !job_o.last;
      if (row_ends) begin
        move_q.src  <= next_src;
        move_q.dst  <= next_dst;
        move_q.rows <= move_q.rows - 16'd1;
        src_q       <= next_src;
        dst_q       <= next_dst;
        left_q      <= move_q.length;
      end else begin
        src_q  <= src_q + addr_t'(room);
        dst_q  <= dst_q + addr_t'(room);
        left_q <= left_q - length_t'(room);
      end
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> !active_q && move_i.rows != '0 && move_i.length != '0);
  assert property (@(posedge clk_i) disable iff (!rst_ni) active_q |-> move_q.rows != '0 && left_q != '0);
`endif
endmodule
