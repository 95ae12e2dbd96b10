// Reads the descriptors of a queue ahead, in order, never past the tail. While `run_i` is 0 everything read ahead is dropped; then reading
// starts again at `restart_i`, so a descriptor that software changed during a halt is read anew.
module dma_fetch (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              run_i,
    input  dma_pkg::index_t   restart_i,
    input  dma_pkg::index_t   tail_i,
    input  dma_pkg::addr_t    base_i,
    input  logic [3:0]        log2_i,
    // Read address: 4 beats.
    output logic              ar_valid_o,
    output dma_pkg::addr_t    ar_addr_o,
    input  logic              ar_ready_i,
    // Read data, always taken.
    input  logic              r_valid_i,
    input  tern_pkg::axi_r_t  r_i,
    // Descriptors.
    output logic              valid_o,
    output dma_pkg::fetched_t fetched_o,
    input  logic              ready_i,
    output logic              busy_o
);
  import tern_pkg::*;
  import dma_pkg::*;

  localparam int unsigned Ahead = 4;

  index_t next_q, index_q;  // index of the next address, of the next answer
  logic [2:0] open_q, held_q;  // answers to come; answers to come or in the queue
  logic drop_q, go, done, push, pop, error_q;
  logic [2:0][63:0] words_q;
  logic [1:0] beat_q;
  fetched_t fetched;
  logic unused_ready;

  function automatic addr_t entry_addr(index_t index);
    return base_i + {19'b0, index & ~(index_t'('1) << log2_i), 5'b0};
  endfunction

  assign ar_valid_o = run_i && !drop_q && next_q != tail_i && held_q != 3'(Ahead);
  assign ar_addr_o = entry_addr(next_q);
  assign go = ar_valid_o && ar_ready_i;
  assign done = r_valid_i && r_i.last;
  assign push = done && run_i && !drop_q;
  assign pop = valid_o && ready_i;
  assign busy_o = open_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_q  <= '0;
      index_q <= '0;
      open_q  <= '0;
      held_q  <= '0;
      drop_q  <= 1'b0;
    end else begin
      open_q <= open_q + 3'(go) - 3'(done);
      if (!run_i) begin
        next_q  <= restart_i;
        index_q <= restart_i;
        held_q  <= '0;
        drop_q  <= 1'b1;
      end else if (drop_q) begin
        next_q  <= restart_i;
        index_q <= restart_i;
        drop_q  <= open_q != '0;
      end else begin
        if (go) next_q <= next_q + 1'b1;
        if (done) index_q <= index_q + 1'b1;
        held_q <= held_q + 3'(go) - 3'(pop);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      words_q <= '0;
      beat_q  <= '0;
      error_q <= 1'b0;
    end else if (r_valid_i) begin
      if (!r_i.last) words_q[beat_q] <= r_i.data;
      beat_q  <= r_i.last ? '0 : beat_q + 1'b1;
      error_q <= !r_i.last && (error_q || r_i.resp != AxiOkay);
    end
  end

  always_comb begin
    fetched.desc  = {r_i.data, words_q};
    fetched.index = index_q;
    fetched.addr  = entry_addr(index_q);
    fetched.error = error_q || r_i.resp != AxiOkay;
  end
  axi_fifo #(.Depth(Ahead), .T(fetched_t)) u_queue (
      .clk_i, .rst_ni, .clear_i(!run_i || drop_q), .valid_i(push), .ready_o(unused_ready), .data_i(fetched),
      .valid_o, .ready_i, .data_o(fetched_o));

  logic unused;
  assign unused = ^{r_i.id, unused_ready};
`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) push |-> unused_ready);
`endif
endmodule
