// A queue of the DMA engine for proofs: its ring, its fetcher, its start, its slots and its completions are real. What moves data is cut away, so that
// it may answer anything at any time (the `cut` of the proof.yaml files names the wires), and all software, the bus, the semaphores and the other queues may do is assumed here.
package dma_queue_open_pkg;
  import dma_pkg::*;

  // What comes from elsewhere: anything, but for what is assumed below.
  typedef struct packed {
    logic                fetch_ar_ready;
    logic                fetch_r_valid;
    tern_pkg::axi_r_t    r;
    logic                attempt_grant;
    logic                taken;
    logic                job_ready;
    logic                fault;
    fault_t              fault_info;
    logic                b_comp;
    tern_pkg::axi_resp_e b_resp;
    logic                end_grant;
    logic                comp_taken;
  } inputs_t;
endpackage

module dma_queue_open #(
    parameter bit DescriptorRing = 1'b0  // proves the order on the submission ring along with the rest
) (
    input logic                    clk_i,
    input logic                    rst_ni,
    input logic [3:0]              log2,       // of both rings
    input dma_pkg::queue_config_t  config_i,
    input dma_pkg::queue_command_t command_i,
    input dma_queue_open_pkg::inputs_t inputs_i
);
  import dma_pkg::*;

  queue_state_t state;
  queue_event_t happens;
  result_t result;
  job_t job;
  addr_t fetch_ar_addr, comp_addr;
  completion_t comp;
  logic fetch_ar_valid, attempt, job_valid, aborts, retired, end_request, give, comp_valid;
  logic [3:0] attempt_sem, attempt_count, give_sem;
  logic [NumSlots-1:0] stop, dead;
  dma_queue u_queue (
      .clk_i, .rst_ni, .config_i, .command_i, .state_o(state), .event_o(happens), .result_o(result),
      .fetch_ar_valid_o(fetch_ar_valid), .fetch_ar_addr_o(fetch_ar_addr), .fetch_ar_ready_i(inputs_i.fetch_ar_ready),
      .fetch_r_valid_i(inputs_i.fetch_r_valid), .r_i(inputs_i.r), .attempt_o(attempt), .attempt_sem_o(attempt_sem),
      .attempt_count_o(attempt_count), .attempt_grant_i(inputs_i.attempt_grant && attempt), .taken_i(inputs_i.taken),
      .job_valid_o(job_valid), .job_o(job), .job_ready_i(inputs_i.job_ready), .abort_o(aborts), .stop_o(stop),
      .dead_o(dead), .fault_i(inputs_i.fault), .fault_info_i(inputs_i.fault_info), .sent_i(1'b0), .sent_needs_b_i(1'b0),
      .sent_token_i('0), .b_data_i(1'b0), .b_comp_i(inputs_i.b_comp), .b_resp_i(inputs_i.b_resp), .retired_o(retired),
      .end_request_o(end_request), .end_grant_i(inputs_i.end_grant), .give_o(give), .give_sem_o(give_sem),
      .comp_valid_o(comp_valid), .comp_addr_o(comp_addr), .comp_o(comp), .comp_taken_i(inputs_i.comp_taken));

  // Software sets the rings up before it uses them, and leaves them alone.
  logic later_q = 1'b0;
  queue_config_t config_q;
  always_ff @(posedge clk_i) begin
    later_q  <= rst_ni;
    config_q <= config_i;
  end
  always_comb begin
    assume (config_i.ring_log2 == log2 && config_i.comp_log2 == log2);
    if (later_q) assume (config_i.ring_base == config_q.ring_base && config_i.comp_base == config_q.comp_base);
  end

  // The bus answers only what was asked; a descriptor ends only when one is in flight, and a transfer when its completion can be kept.
  always_comb begin
    if (rst_ni) begin
      assume (!inputs_i.fetch_r_valid || u_queue.u_fetch.open_q != '0);
      assume (!inputs_i.end_grant || u_queue.slot_count != '0);
      assume (!inputs_i.end_grant || u_queue.head_info.chain || u_queue.result_ready);
    end
  end

  // Descriptors that the queue knows and that have not ended, and those of them that have not started: counted, not subtracted.
  logic [16:0] known_q, waiting_q, size;
  index_t claim;
  logic accepted;
  assign size = 17'(1) << log2;
  assign claim = command_i.doorbell_tail - u_queue.tail;
  assign accepted = command_i.doorbell && !u_queue.overrun;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      known_q   <= '0;
      waiting_q <= '0;
    end else if (u_queue.reset_done) begin
      known_q   <= '0;
      waiting_q <= '0;
    end else begin
      known_q   <= known_q + (accepted ? {1'b0, claim} : '0) - 17'(u_queue.ended);
      waiting_q <= waiting_q + (accepted ? {1'b0, claim} : '0) - 17'(u_queue.start);
    end
  end

  // What proofs of the submission ring lean on, proven along with them: where fetcher, queue, check, start and slots stand to each other.
  logic [2:0] queued;
  index_t from_next;
  assign queued = u_queue.u_fetch.u_queue.write_q - u_queue.u_fetch.u_queue.read_q;
  assign from_next = u_queue.u_fetch.next_q - u_queue.next;
  always_comb begin
    if (DescriptorRing && rst_ni) begin
      assert (waiting_q <= known_q && waiting_q + 17'(u_queue.slot_count) == known_q);
      assert (u_queue.slot_count <= 3'(NumSlots));
      assert (known_q[15:0] == u_queue.tail - u_queue.head && known_q <= size);
      assert (waiting_q[15:0] == u_queue.tail - u_queue.next);
      assert (!u_queue.checked || queued != '0);
      // An attempt under way can start what it is for.
      assert (!u_queue.pending || (u_queue.checked && u_queue.slot_count != 3'(NumSlots)));
      assert (u_queue.u_fetch.open_q <= 3'd4 && queued <= 3'd4);
      if (u_queue.u_fetch.drop_q) assert (queued == '0 && u_queue.u_fetch.held_q == '0);
      else begin
        assert (4'(u_queue.u_fetch.held_q) == 4'(u_queue.u_fetch.open_q) + 4'(queued));
        assert (u_queue.u_fetch.held_q <= 3'd4 && 17'(u_queue.u_fetch.held_q) <= waiting_q);
        assert (from_next == index_t'(u_queue.u_fetch.held_q));
        assert (u_queue.u_fetch.index_q - u_queue.next == index_t'(queued));
      end
    end
  end
endmodule
