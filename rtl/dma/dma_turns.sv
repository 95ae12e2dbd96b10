// Whose piece is moved next: a queue keeps its turn until it has moved PieceBytes or has nothing to move, then the next one has it.
module dma_turns (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  logic   [dma_pkg::NumQueues-1:0] valid_i,
    input  dma_pkg::job_t [dma_pkg::NumQueues-1:0] jobs_i,
    output logic   [dma_pkg::NumQueues-1:0] ready_o,
    output logic                            valid_o,
    output dma_pkg::job_t                   job_o,
    input  logic                            ready_i
);
  import dma_pkg::*;

  queue_t last_q, pick;
  piece_t moved_q;
  logic stay, take;

  assign stay = valid_i[last_q] && moved_q < piece_t'(PieceBytes);
  assign valid_o = valid_i != '0;
  assign job_o = jobs_i[pick];
  assign take = valid_o && ready_i;
  always_comb begin
    pick = last_q;
    if (!stay) begin
      for (int unsigned i = NumQueues - 1; i >= 1; i--) begin
        if (valid_i[2'(32'(last_q) + i)]) pick = 2'(32'(last_q) + i);
      end
    end
    ready_o       = '0;
    ready_o[pick] = take;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_q  <= '1;
      moved_q <= '0;
    end else if (take) begin
      last_q  <= pick;
      moved_q <= (stay ? moved_q : '0) + (job_o.cut ? '0 : job_o.bytes);
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_o |-> valid_i[pick]);
  assert property (@(posedge clk_i) disable iff (!rst_ni) take |-> !job_o.cut || job_o.last);
`endif
endmodule
