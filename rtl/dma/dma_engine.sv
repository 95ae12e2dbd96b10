// The engine behind the registers: from doorbell to completion record.
module dma_engine (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  dma_pkg::config_t   config_i,
    input  dma_pkg::command_t  command_i,
    output dma_pkg::state_t    state_o,
    output dma_pkg::event_t    event_o,
    output dma_pkg::result_t   result_o,   // with event_o.ended
    output tern_pkg::axi_req_t axi_req_o,
    input  tern_pkg::axi_rsp_t axi_rsp_i
);
  import tern_pkg::*;
  import dma_pkg::*;

  function automatic logic size_ok(logic [3:0] log2);
    return log2 >= MinLog2 && log2 <= MaxLog2;
  endfunction

  // Ring and descriptors.
  logic run, start, ended, aborting, halted, halt_event, overrun, reset_done, refused, config_ok, engine_idle;
  logic fetch_busy, fetched_valid, comp_busy, comp_lost, in_flight;
  logic [2:0] slot_count;
  index_t tail, head, next, producer;
  result_t result;
  fetched_t fetched;
  status_e check_status;
  addr_t check_addr;
  logic [16:0] check_bytes;

  assign config_ok = size_ok(config_i.ring_log2) && size_ok(config_i.comp_log2);
  assign in_flight = slot_count != '0;
  assign engine_idle = !in_flight && !comp_busy && !fetch_busy;
  dma_ring u_ring (
      .clk_i, .rst_ni, .enable_i(config_i.enable), .config_ok_i(config_ok), .log2_i(config_i.ring_log2),
      .doorbell_i(command_i.doorbell), .doorbell_tail_i(command_i.doorbell_tail), .abort_i(command_i.abort_all),
      .resume_i(command_i.resume), .reset_i(command_i.reset_rings), .start_i(start), .end_i(ended),
      .end_halts_i(config_i.halt_on_error && result.status != StatusOk), .halt_i(comp_lost), .idle_i(engine_idle),
      .in_flight_i(in_flight), .completing_i(comp_busy), .tail_o(tail), .head_o(head), .next_o(next), .run_o(run),
      .aborting_o(aborting), .halted_o(halted), .halt_event_o(halt_event), .overrun_o(overrun), .reset_done_o(reset_done),
      .refused_o(refused));

  logic fetch_ar_valid, fetch_ar_ready, fetch_r_valid;
  addr_t fetch_ar_addr;
  axi_r_t r;
  dma_fetch u_fetch (
      .clk_i, .rst_ni, .run_i(run), .restart_i(next), .tail_i(tail), .base_i(config_i.ring_base),
      .log2_i(config_i.ring_log2), .ar_valid_o(fetch_ar_valid), .ar_addr_o(fetch_ar_addr),
      .ar_ready_i(fetch_ar_ready), .r_valid_i(fetch_r_valid), .r_i(r), .valid_o(fetched_valid),
      .fetched_o(fetched), .ready_i(start), .busy_o(fetch_busy));
  dma_check u_check (
      .fetched_i(fetched), .log2_i(config_i.ring_log2), .status_o(check_status), .addr_o(check_addr),
      .bytes_o(check_bytes));

  // A descriptor starts beside others unless it is fenced or an error shall halt right behind it.
  logic alone, fault;
  slot_t start_slot, head_slot, fault_slot, give_up_slot;
  slot_info_t start_info, head_info;
  job_t job;
  status_e fault_status;
  addr_t fault_addr;
  assign alone = config_i.halt_on_error || (check_status == StatusOk && fetched.desc.fence);
  assign start = run && fetched_valid && (alone ? !in_flight : slot_count != 3'(NumSlots));
  always_comb begin
    start_info.tag    = fetched.error ? '0 : fetched.desc.tag;
    start_info.index  = fetched.index;
    start_info.irq    = !fetched.error && fetched.desc.irq;
    start_info.status = check_status;
    start_info.addr   = check_addr;
    job.slot          = start_slot;
    job.run           = check_status == StatusOk;
    job.src           = fetched.desc.src;
    job.dst           = fetched.desc.dst;
    job.bytes         = check_bytes;
  end
  dma_slots u_slots (
      .clk_i, .rst_ni, .start_i(start), .info_i(start_info), .start_slot_o(start_slot), .count_o(slot_count),
      .fault_i(fault), .fault_slot_i(fault_slot), .fault_status_i(fault_status), .fault_addr_i(fault_addr),
      .head_o(head_slot), .head_info_o(head_info), .end_i(ended));

  // Data.
  logic read_ar_valid, read_ar_ready, read_r_ready, read_open, held, give_up;
  logic token_valid, token_ready, pop, skip, r_valid;
  axi_ax_t read_ar;
  token_t token;
  logic [63:0] data;
  logic [7:0] strb;
  burst_t skip_beats;
  dma_mover u_mover (
      .clk_i, .rst_ni, .config_i, .abort_i(aborting), .job_valid_i(start), .job_i(job), .give_up_i(give_up),
      .give_up_slot_i(give_up_slot), .ar_valid_o(read_ar_valid), .ar_o(read_ar), .ar_ready_i(read_ar_ready),
      .r_valid_i(r_valid && r.id != IdFetch), .r_i(r), .r_ready_o(read_r_ready), .read_open_o(read_open),
      .held_o(held), .fault_o(fault), .fault_slot_o(fault_slot), .fault_status_o(fault_status),
      .fault_addr_o(fault_addr), .token_valid_o(token_valid), .token_o(token), .token_ready_i(token_ready),
      .data_o(data), .strb_o(strb), .pop_i(pop), .skip_i(skip), .skip_beats_i(skip_beats));

  logic comp_valid, comp_taken, sent, sent_needs_b, retired, comp_full, comp_full_event, comp_done, comp_done_irq;
  logic result_valid, result_ready, aw_valid, w_valid;
  axi_ax_t aw;
  axi_w_t w;
  addr_t comp_addr;
  completion_t comp_record;
  token_t sent_token;
  logic [3:0] strobes;
  dma_write u_write (
      .clk_i, .rst_ni, .token_valid_i(token_valid), .token_i(token), .token_ready_o(token_ready), .data_i(data),
      .strb_i(strb), .pop_o(pop), .skip_o(skip), .skip_beats_o(skip_beats), .give_up_i(give_up),
      .give_up_slot_i(give_up_slot), .comp_valid_i(comp_valid), .comp_addr_i(comp_addr), .comp_i(comp_record),
      .comp_taken_o(comp_taken), .aw_valid_o(aw_valid), .aw_o(aw), .aw_ready_i(axi_rsp_i.aw_ready),
      .w_valid_o(w_valid), .w_o(w), .w_ready_i(axi_rsp_i.w_ready), .sent_o(sent), .sent_needs_b_o(sent_needs_b),
      .sent_token_o(sent_token), .retired_i(retired), .strobes_o(strobes));

  logic b_data, b_comp;
  assign b_data = axi_rsp_i.b_valid && axi_rsp_i.b.id == IdWrite;
  assign b_comp = axi_rsp_i.b_valid && axi_rsp_i.b.id == IdComplete;
  dma_retire u_retire (
      .clk_i, .rst_ni, .sent_i(sent), .sent_needs_b_i(sent_needs_b), .sent_token_i(sent_token), .b_valid_i(b_data),
      .b_resp_i(axi_rsp_i.b.resp), .retired_o(retired), .head_i(head_slot), .head_info_i(head_info), .end_o(ended),
      .give_up_o(give_up), .give_up_slot_o(give_up_slot), .result_valid_o(result_valid), .result_o(result),
      .result_ready_i(result_ready));
  dma_complete u_complete (
      .clk_i, .rst_ni, .result_valid_i(result_valid), .result_i(result), .result_ready_o(result_ready),
      .base_i(config_i.comp_base), .log2_i(config_i.comp_log2), .consumer_i(config_i.consumer),
      .producer_o(producer), .reset_i(reset_done), .valid_o(comp_valid), .addr_o(comp_addr),
      .record_o(comp_record), .taken_i(comp_taken), .b_valid_i(b_comp), .b_resp_i(axi_rsp_i.b.resp),
      .full_o(comp_full), .full_event_o(comp_full_event), .done_o(comp_done), .done_irq_o(comp_done_irq),
      .lost_o(comp_lost), .busy_o(comp_busy));

  // The read side of the port: descriptors first, then data. A FIFO keeps what was shown stable.
  logic ar_space, ar_valid, r_space, r_pop;
  axi_ax_t ar_in, ar;
  always_comb begin
    ar_in = read_ar;
    if (fetch_ar_valid) begin
      ar_in.id   = IdFetch;
      ar_in.addr = fetch_ar_addr;
      ar_in.len  = 8'd3;
    end
  end
  assign fetch_ar_ready = ar_space;
  assign read_ar_ready = ar_space && !fetch_ar_valid;
  axi_fifo #(.T(axi_ax_t)) u_ar (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(fetch_ar_valid || read_ar_valid), .ready_o(ar_space),
      .data_i(ar_in), .valid_o(ar_valid), .ready_i(axi_rsp_i.ar_ready), .data_o(ar));
  axi_fifo #(.T(axi_r_t)) u_r (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(axi_rsp_i.r_valid), .ready_o(r_space), .data_i(axi_rsp_i.r),
      .valid_o(r_valid), .ready_i(r_pop), .data_o(r));
  assign fetch_r_valid = r_valid && r.id == IdFetch;
  assign r_pop = fetch_r_valid || read_r_ready;

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

  always_comb begin
    state_o.busy        = in_flight || comp_busy || (config_i.enable && config_ok && !halted && next != tail);
    state_o.halted      = halted;
    state_o.draining    = aborting;
    state_o.comp_full   = comp_full;
    state_o.bad_config  = !config_ok;
    state_o.in_flight   = slot_count;
    state_o.tail        = tail;
    state_o.head        = head;
    state_o.producer    = producer;
    state_o.outstanding = fetch_busy || (in_flight && !held && !comp_full) || (comp_busy && !comp_full);

    event_o.ended         = ended;
    event_o.read_beat     = r_valid && !fetch_r_valid && read_r_ready;
    event_o.strobes       = strobes;
    event_o.moves         = (aw_valid && axi_rsp_i.aw_ready) || (w_valid && axi_rsp_i.w_ready) ||
        axi_rsp_i.b_valid || (ar_valid && axi_rsp_i.ar_ready) || (axi_rsp_i.r_valid && r_space);
    event_o.reset_done    = reset_done;
    event_o.refused       = refused;
    event_o.halted        = halt_event;
    event_o.overrun       = overrun;
    event_o.comp_full     = comp_full_event;
    event_o.comp_done_irq = comp_done_irq;
    event_o.comp_lost     = comp_lost;
    event_o.read_stall    = read_open && !event_o.read_beat;
    event_o.write_stall   = (aw_valid && !axi_rsp_i.aw_ready) || (w_valid && !axi_rsp_i.w_ready);
    event_o.throttled     = held;
  end
  assign result_o = result;

  logic unused;
  assign unused = ^{comp_done, fetched.addr, fetched.desc};
`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) b_data |-> axi_rsp_i.b.id == IdWrite);
  assert property (@(posedge clk_i) disable iff (!rst_ni) axi_rsp_i.b_valid |-> b_data || b_comp);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   axi_req_o.aw_valid && !axi_rsp_i.aw_ready |=> axi_req_o.aw_valid && $stable(axi_req_o.aw));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   axi_req_o.w_valid && !axi_rsp_i.w_ready |=> axi_req_o.w_valid && $stable(axi_req_o.w));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   axi_req_o.ar_valid && !axi_rsp_i.ar_ready |=> axi_req_o.ar_valid && $stable(axi_req_o.ar));
`endif
endmodule
