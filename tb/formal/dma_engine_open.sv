// The DMA engine for proofs: its ring, its fetcher, its slots, its check of descriptors and its completions are real. What moves data is cut away, so
// that it may answer anything at any time (the `cut` of the proof.yaml files names the wires), and all software and the bus may do is assumed here.
module dma_engine_open #(
    parameter bit DescriptorRing = 1'b0  // proves the order on the descriptor ring along with the rest
) (
    input logic               clk_i,
    input logic               rst_ni,
    input logic [3:0]         log2,       // of both rings
    input dma_pkg::config_t   config_i,
    input dma_pkg::command_t  command_i,
    input tern_pkg::axi_rsp_t axi_rsp_i
);
  import dma_pkg::*;

  state_t state;
  event_t happens;
  result_t result;
  tern_pkg::axi_req_t axi_req;
  dma_engine u_engine (
      .clk_i, .rst_ni, .config_i, .command_i, .state_o(state), .event_o(happens), .result_o(result),
      .axi_req_o(axi_req), .axi_rsp_i);

  // Software sets the rings up before it uses them, and leaves them alone.
  logic later_q = 1'b0;
  config_t config_q;
  always_ff @(posedge clk_i) begin
    later_q  <= rst_ni;
    config_q <= config_i;
  end
  always_comb begin
    assume (config_i.ring_log2 == log2 && config_i.comp_log2 == log2);
    if (later_q) assume (config_i.ring_base == config_q.ring_base && config_i.comp_base == config_q.comp_base);
  end

  // The bus answers only what was asked; a descriptor ends only when one is in flight.
  always_comb begin
    if (rst_ni) begin
      assume (!u_engine.fetch_r_valid || u_engine.u_fetch.open_q != '0);
      assume (!u_engine.ended || u_engine.slot_count != '0);
    end
  end

  // Descriptors that the engine knows and that have not ended, and those of them that have not started: counted, not subtracted.
  logic [16:0] known_q, waiting_q, size;
  index_t claim;
  logic accepted;
  assign size = 17'(1) << log2;
  assign claim = command_i.doorbell_tail - u_engine.tail;
  assign accepted = command_i.doorbell && !u_engine.overrun;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      known_q   <= '0;
      waiting_q <= '0;
    end else if (u_engine.reset_done) begin
      known_q   <= '0;
      waiting_q <= '0;
    end else begin
      known_q   <= known_q + (accepted ? {1'b0, claim} : '0) - 17'(u_engine.ended);
      waiting_q <= waiting_q + (accepted ? {1'b0, claim} : '0) - 17'(u_engine.start);
    end
  end

  // What proofs of the descriptor ring lean on, proven along with them: where fetcher, queue and slots stand to each other.
  logic [2:0] queued;
  index_t from_next;
  assign queued = u_engine.u_fetch.u_queue.write_q - u_engine.u_fetch.u_queue.read_q;
  assign from_next = u_engine.u_fetch.next_q - u_engine.next;
  always_comb begin
    if (DescriptorRing && rst_ni) begin
      assert (waiting_q <= known_q && waiting_q + 17'(u_engine.slot_count) == known_q);
      assert (u_engine.slot_count <= 3'(NumSlots));
      assert (known_q[15:0] == u_engine.tail - u_engine.head && known_q <= size);
      assert (waiting_q[15:0] == u_engine.tail - u_engine.next);
      assert (u_engine.u_fetch.open_q <= 3'd4 && queued <= 3'd4);
      if (u_engine.u_fetch.drop_q) assert (queued == '0 && u_engine.u_fetch.held_q == '0);
      else begin
        assert (4'(u_engine.u_fetch.held_q) == 4'(u_engine.u_fetch.open_q) + 4'(queued));
        assert (u_engine.u_fetch.held_q <= 3'd4 && 17'(u_engine.u_fetch.held_q) <= waiting_q);
        assert (from_next == index_t'(u_engine.u_fetch.held_q));
        assert (u_engine.u_fetch.index_q - u_engine.next == index_t'(queued));
      end
    end
  end
endmodule
