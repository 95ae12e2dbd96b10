// The engine behind the registers: four queues, and the data path, the bus and the semaphores that they share.
module dma_engine #(
    parameter logic Engine = 1'b0
) (
    input  logic                                           clk_i,
    input  logic                                           rst_ni,
    input  dma_pkg::config_t                               config_i,
    input  dma_pkg::queue_config_t  [dma_pkg::NumQueues-1:0] queue_config_i,
    input  dma_pkg::queue_command_t [dma_pkg::NumQueues-1:0] command_i,
    output dma_pkg::queue_state_t   [dma_pkg::NumQueues-1:0] state_o,
    output dma_pkg::queue_event_t   [dma_pkg::NumQueues-1:0] queue_event_o,
    output dma_pkg::event_t                                event_o,
    output dma_pkg::result_t                               result_o,   // of the queue with transfer_end
    output logic                                           busy_o,     // something is under way, or time counts
    output tern_pkg::sem_req_t                             sem_req_o,
    input  tern_pkg::sem_rsp_t                             sem_rsp_i,
    output tern_pkg::axi_req_t                             axi_req_o,
    input  tern_pkg::axi_rsp_t                             axi_rsp_i
);
  import tern_pkg::*;
  import dma_pkg::*;

  // Between the queues and what they share.
  logic [NumQueues-1:0] fetch_ar_valid, fetch_ar_ready, fetch_r_valid, attempt, attempt_grant, job_valid, job_ready;
  logic [NumQueues-1:0] aborts, fault, sent, b_data, b_comp, retired, end_request, end_grant, give, comp_valid, comp_taken;
  logic [NumQueues-1:0][NumSlots-1:0] stop, dead;
  logic [NumQueues-1:0][3:0] attempt_sem, attempt_count, give_sem;
  addr_t [NumQueues-1:0] fetch_ar_addr, comp_addr;
  job_t [NumQueues-1:0] jobs;
  completion_t [NumQueues-1:0] comp;
  result_t [NumQueues-1:0] results;
  queue_state_t [NumQueues-1:0] states;
  queue_event_t [NumQueues-1:0] events;
  fault_t fault_info;
  token_t sent_token;
  logic sent_needs_b;
  axi_r_t r;
  for (genvar q = 0; q < NumQueues; q++) begin : gen_queue
    dma_queue #(.Queue(queue_t'(q))) u_queue (
        .clk_i, .rst_ni, .config_i(queue_config_i[q]), .command_i(command_i[q]), .state_o(states[q]),
        .event_o(events[q]), .result_o(results[q]), .fetch_ar_valid_o(fetch_ar_valid[q]),
        .fetch_ar_addr_o(fetch_ar_addr[q]), .fetch_ar_ready_i(fetch_ar_ready[q]), .fetch_r_valid_i(fetch_r_valid[q]),
        .r_i(r), .attempt_o(attempt[q]), .attempt_sem_o(attempt_sem[q]), .attempt_count_o(attempt_count[q]),
        .attempt_grant_i(attempt_grant[q]), .taken_i(sem_rsp_i.taken), .job_valid_o(job_valid[q]), .job_o(jobs[q]),
        .job_ready_i(job_ready[q]), .abort_o(aborts[q]), .stop_o(stop[q]), .dead_o(dead[q]), .fault_i(fault[q]),
        .fault_info_i(fault_info), .sent_i(sent[q]), .sent_needs_b_i(sent_needs_b), .sent_token_i(sent_token),
        .b_data_i(b_data[q]), .b_comp_i(b_comp[q]), .b_resp_i(axi_rsp_i.b.resp), .retired_o(retired[q]),
        .end_request_o(end_request[q]), .end_grant_i(end_grant[q]), .give_o(give[q]), .give_sem_o(give_sem[q]),
        .comp_valid_o(comp_valid[q]), .comp_addr_o(comp_addr[q]), .comp_o(comp[q]), .comp_taken_i(comp_taken[q]));
  end

  // One attempt at a semaphore and one end of a descriptor in a cycle.
  logic attempt_any, end_any;
  queue_t attempt_queue, end_queue;
  dma_arbiter u_attempts (
      .clk_i, .rst_ni, .request_i(attempt), .take_i(attempt_any), .any_o(attempt_any), .pick_o(attempt_queue));
  dma_arbiter u_ends (
      .clk_i, .rst_ni, .request_i(end_request), .take_i(end_any), .any_o(end_any), .pick_o(end_queue));
  always_comb begin
    attempt_grant                = '0;
    attempt_grant[attempt_queue] = attempt_any;
    end_grant                    = '0;
    end_grant[end_queue]         = end_any;
    sem_req_o.attempt            = attempt_any;
    sem_req_o.attempt_sem        = attempt_sem[attempt_queue];
    sem_req_o.count              = attempt_count[attempt_queue];
    sem_req_o.give               = end_any && give[end_queue];
    sem_req_o.give_sem           = give_sem[end_queue];
  end
  assign result_o = results[end_queue];

  // Data.
  logic piece_valid, piece_ready, read_ar_valid, read_ar_ready, read_r_ready, read_open, held, debt, fault_any;
  logic token_valid, token_ready, pop, skip, r_valid, sent_any;
  job_t piece;
  queue_t fault_queue;
  axi_ax_t read_ar;
  token_t token;
  logic [63:0] data;
  logic [7:0] strb;
  burst_t skip_beats;
  dma_turns u_turns (
      .clk_i, .rst_ni, .valid_i(job_valid), .jobs_i(jobs), .ready_o(job_ready), .valid_o(piece_valid), .job_o(piece),
      .ready_i(piece_ready));
  dma_mover #(.Engine(Engine)) u_mover (
      .clk_i, .rst_ni, .config_i, .job_valid_i(piece_valid), .job_i(piece), .job_ready_o(piece_ready),
      .abort_i(aborts), .stop_i(stop), .ar_valid_o(read_ar_valid), .ar_o(read_ar), .ar_ready_i(read_ar_ready),
      .r_valid_i(r_valid && r.id[IdDataBit]), .r_i(r), .r_ready_o(read_r_ready), .read_open_o(read_open), .held_o(held),
      .debt_o(debt), .fault_o(fault_any), .fault_queue_o(fault_queue), .fault_info_o(fault_info), .token_valid_o(token_valid),
      .token_o(token), .token_ready_i(token_ready), .data_o(data), .strb_o(strb), .pop_i(pop), .skip_i(skip),
      .skip_beats_i(skip_beats));

  logic aw_valid, w_valid;
  axi_ax_t aw;
  axi_w_t w;
  logic [3:0] strobes;
  dma_write #(.Engine(Engine)) u_write (
      .clk_i, .rst_ni, .token_valid_i(token_valid), .token_i(token), .token_ready_o(token_ready), .data_i(data),
      .strb_i(strb), .pop_o(pop), .skip_o(skip), .skip_beats_o(skip_beats), .dead_i(dead), .comp_valid_i(comp_valid),
      .comp_addr_i(comp_addr), .comp_i(comp), .comp_taken_o(comp_taken), .aw_valid_o(aw_valid), .aw_o(aw),
      .aw_ready_i(axi_rsp_i.aw_ready), .w_valid_o(w_valid), .w_o(w), .w_ready_i(axi_rsp_i.w_ready), .sent_o(sent_any),
      .sent_needs_b_o(sent_needs_b), .sent_token_o(sent_token), .retired_i(retired), .strobes_o(strobes));
  always_comb begin
    fault                       = '0;
    fault[fault_queue]          = fault_any;
    sent                        = '0;
    sent[sent_token.qid]      = sent_any;
    b_data                      = '0;
    b_comp                      = '0;
    b_data[axi_rsp_i.b.id[1:0]] = axi_rsp_i.b_valid && axi_rsp_i.b.id[IdDataBit];
    b_comp[axi_rsp_i.b.id[1:0]] = axi_rsp_i.b_valid && !axi_rsp_i.b.id[IdDataBit];
  end

  // The read side of the port: descriptors first, then data. A FIFO keeps what was shown stable.
  logic ar_space, ar_valid, r_space, r_pop, fetch_any;
  queue_t fetch_queue;
  axi_ax_t ar_in, ar;
  dma_arbiter u_fetches (
      .clk_i, .rst_ni, .request_i(fetch_ar_valid), .take_i(fetch_any && ar_space), .any_o(fetch_any),
      .pick_o(fetch_queue));
  always_comb begin
    ar_in                       = read_ar;
    fetch_ar_ready              = '0;
    fetch_ar_ready[fetch_queue] = ar_space;
    if (fetch_any) begin
      ar_in.id   = id_of(Engine, 1'b0, fetch_queue);
      ar_in.addr = fetch_ar_addr[fetch_queue];
      ar_in.len  = 8'd3;
    end
  end
  assign read_ar_ready = ar_space && !fetch_any;
  axi_fifo #(.T(axi_ax_t)) u_ar (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(fetch_any || read_ar_valid), .ready_o(ar_space),
      .data_i(ar_in), .valid_o(ar_valid), .ready_i(axi_rsp_i.ar_ready), .data_o(ar));
  axi_fifo #(.T(axi_r_t)) u_r (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(axi_rsp_i.r_valid), .ready_o(r_space), .data_i(axi_rsp_i.r),
      .valid_o(r_valid), .ready_i(r_pop), .data_o(r));
  assign r_pop = !r.id[IdDataBit] || read_r_ready;
  always_comb begin
    fetch_r_valid            = '0;
    fetch_r_valid[r.id[1:0]] = r_valid && !r.id[IdDataBit];
  end

  always_comb begin
    axi_req_o.aw_valid = aw_valid;
    axi_req_o.aw       = aw;
    axi_req_o.w_valid  = w_valid;
    axi_req_o.w        = w;
    axi_req_o.b_ready  = 1'b1;
    axi_req_o.ar_valid = ar_valid;
    axi_req_o.ar       = ar;
    axi_req_o.r_ready  = r_space;
  end

  assign state_o = states;
  assign queue_event_o = events;
  logic busy, moving, ring_access;
  assign busy_o = busy || ring_access || debt;
  always_comb begin
    busy        = 1'b0;
    moving      = 1'b0;
    ring_access = 1'b0;
    for (int unsigned q = 0; q < NumQueues; q++) begin
      busy |= states[q].busy;
      moving |= states[q].moving;
      ring_access |= states[q].ring_access;
    end
    event_o.read_beat   = r_valid && r.id[IdDataBit] && read_r_ready;
    event_o.strobes     = strobes;
    event_o.moves       = (aw_valid && axi_rsp_i.aw_ready) || (w_valid && axi_rsp_i.w_ready) ||
        axi_rsp_i.b_valid || (ar_valid && axi_rsp_i.ar_ready) || (axi_rsp_i.r_valid && r_space);
    event_o.outstanding = ring_access || (moving && !held);
    event_o.read_stall  = read_open && !event_o.read_beat;
    event_o.write_stall = (aw_valid && !axi_rsp_i.aw_ready) || (w_valid && !axi_rsp_i.w_ready);
    event_o.throttled   = held;
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) axi_rsp_i.b_valid |-> axi_rsp_i.b.id[3] == Engine);
  assert property (@(posedge clk_i) disable iff (!rst_ni) axi_rsp_i.r_valid |-> axi_rsp_i.r.id[3] == Engine);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   axi_req_o.aw_valid && !axi_rsp_i.aw_ready |=> axi_req_o.aw_valid && $stable(axi_req_o.aw));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   axi_req_o.w_valid && !axi_rsp_i.w_ready |=> axi_req_o.w_valid && $stable(axi_req_o.w));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   axi_req_o.ar_valid && !axi_rsp_i.ar_ready |=> axi_req_o.ar_valid && $stable(axi_req_o.ar));
`endif
endmodule
