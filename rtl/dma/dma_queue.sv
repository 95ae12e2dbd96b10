// One queue: from its doorbell to pieces to move, and from what became of them to its completion record.
module dma_queue #(
    parameter dma_pkg::queue_t Queue = '0
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  dma_pkg::queue_config_t  config_i,
    input  dma_pkg::queue_command_t command_i,
    output dma_pkg::queue_state_t   state_o,
    output dma_pkg::queue_event_t   event_o,
    output dma_pkg::result_t        result_o,        // with event_o.transfer_end
    // Reads of descriptors.
    output logic                    fetch_ar_valid_o,
    output dma_pkg::addr_t          fetch_ar_addr_o,
    input  logic                    fetch_ar_ready_i,
    input  logic                    fetch_r_valid_i,
    input  tern_pkg::axi_r_t        r_i,
    // Semaphores.
    output logic                    attempt_o,
    output logic [3:0]              attempt_sem_o,
    output logic [3:0]              attempt_count_o,
    input  logic                    attempt_grant_i,
    input  logic                    taken_i,
    // Pieces to move, and which slots move nothing more.
    output logic                    job_valid_o,
    output dma_pkg::job_t           job_o,
    input  logic                    job_ready_i,
    output logic                    abort_o,
    output logic [dma_pkg::NumSlots-1:0] stop_o,
    output logic [dma_pkg::NumSlots-1:0] dead_o,     // no more writes
    input  logic                    fault_i,
    input  dma_pkg::fault_t         fault_info_i,
    // What was written.
    input  logic                    sent_i,
    input  logic                    sent_needs_b_i,
    input  dma_pkg::token_t         sent_token_i,
    input  logic                    b_data_i,
    input  logic                    b_comp_i,
    input  tern_pkg::axi_resp_e     b_resp_i,
    output logic                    retired_o,
    // Ends of descriptors, and the semaphores that they give.
    output logic                    end_request_o,
    input  logic                    end_grant_i,
    output logic                    give_o,
    output logic [3:0]              give_sem_o,
    // Completion records.
    output logic                    comp_valid_o,
    output dma_pkg::addr_t          comp_addr_o,
    output dma_pkg::completion_t    comp_o,
    input  logic                    comp_taken_i
);
  import dma_pkg::*;

  function automatic logic size_ok(logic [3:0] log2);
    return log2 >= MinLog2 && log2 <= MaxLog2;
  endfunction

  // The ring and what is read from it.
  logic config_ok, run, start, ended, in_flight, pending, queue_idle, fetch_busy, comp_busy, comp_lost, transfer_end;
  logic aborting, halted, halt_event, overrun, refused, reset_done, fetched_valid;
  logic [2:0] slot_count;
  index_t tail, head, next, producer;
  fetched_t fetched;
  result_t result;

  assign config_ok = size_ok(config_i.ring_log2) && size_ok(config_i.comp_log2);
  assign in_flight = slot_count != '0 || pending;
  assign queue_idle = !in_flight && !comp_busy && !fetch_busy;
  dma_ring u_ring (
      .clk_i, .rst_ni, .enable_i(config_i.enable), .config_ok_i(config_ok), .log2_i(config_i.ring_log2),
      .doorbell_i(command_i.doorbell), .doorbell_tail_i(command_i.doorbell_tail), .abort_i(command_i.abort_all),
      .resume_i(command_i.resume), .reset_i(command_i.reset), .start_i(start), .end_i(ended),
      .end_halts_i(config_i.halt_on_error && transfer_end && result.status != StatusOk), .halt_i(comp_lost),
      .idle_i(queue_idle), .in_flight_i(in_flight), .completing_i(comp_busy), .tail_o(tail), .head_o(head), .next_o(next),
      .run_o(run), .aborting_o(aborting), .halted_o(halted), .halt_event_o(halt_event), .overrun_o(overrun),
      .reset_done_o(reset_done), .refused_o(refused));
  dma_fetch u_fetch (
      .clk_i, .rst_ni, .run_i(run), .restart_i(next), .tail_i(tail), .base_i(config_i.ring_base),
      .log2_i(config_i.ring_log2), .ar_valid_o(fetch_ar_valid_o), .ar_addr_o(fetch_ar_addr_o),
      .ar_ready_i(fetch_ar_ready_i), .r_valid_i(fetch_r_valid_i), .r_i, .valid_o(fetched_valid),
      .fetched_o(fetched), .ready_i(start), .busy_o(fetch_busy));

  // From a descriptor to pieces.
  logic checked, move_ready, comp_full, failed, whole, reserve, comp_full_waits, comp_full_event, waits, waiting, chain;
  status_e check_status;
  addr_t check_addr;
  slot_t start_slot, head_slot;
  slot_info_t start_info, head_info;
  logic [NumSlots-1:0] slot_failed;
  move_t move;
  dma_check u_check (
      .clk_i, .rst_ni, .valid_i(fetched_valid), .fetched_i(fetched), .drop_i(start || !run), .log2_i(config_i.ring_log2),
      .done_o(checked), .status_o(check_status), .addr_o(check_addr));
  dma_start u_start (
      .clk_i, .rst_ni, .run_i(run), .halt_on_error_i(config_i.halt_on_error), .reset_i(reset_done), .fetched_i(fetched),
      .checked_i(checked), .status_i(check_status), .addr_i(check_addr), .slots_free_i(slot_count != 3'(NumSlots)),
      .slots_empty_i(slot_count == '0), .move_ready_i(move_ready), .comp_full_i(comp_full),
      .failed_i(failed && whole), .attempt_o, .attempt_grant_i, .taken_i, .pending_o(pending), .waits_o(waits),
      .waiting_o(waiting), .start_o(start), .reserve_o(reserve), .info_o(start_info), .comp_full_o(comp_full_waits),
      .comp_full_event_o(comp_full_event), .chain_o(chain));
  assign attempt_sem_o = fetched.desc.wait_sem;
  assign attempt_count_o = fetched.desc.wait_count;
  dma_slots u_slots (
      .clk_i, .rst_ni, .start_i(start), .info_i(start_info), .start_slot_o(start_slot), .count_o(slot_count),
      .whole_o(whole), .fault_i, .fault_info_i, .failed_o(slot_failed), .head_o(head_slot), .head_info_o(head_info),
      .end_i(ended));
  always_comb begin
    move.slot       = start_slot;
    move.src        = fetched.desc.src;
    move.dst        = fetched.desc.dst;
    move.src_stride = fetched.desc.src_stride;
    move.dst_stride = fetched.desc.dst_stride;
    move.length     = {fetched.desc.length == '0, fetched.desc.length};
    move.rows       = fetched.desc.rows == '0 ? 16'd1 : fetched.desc.rows;
  end
  dma_walk #(.Queue(Queue)) u_walk (
      .clk_i, .rst_ni, .start_i(start), .move_i(move), .ready_o(move_ready), .stop_i(stop_o), .abort_i(aborting),
      .job_valid_o, .job_o, .job_ready_i);

  // From what was written to completions.
  logic write_dead, result_ready, comp_done, comp_done_irq;
  dma_retire u_retire (
      .clk_i, .rst_ni, .reset_i(reset_done), .sent_i, .sent_needs_b_i, .sent_token_i, .b_valid_i(b_data_i), .b_resp_i,
      .retired_o, .head_i(head_slot), .head_info_i(head_info), .end_request_o, .end_grant_i, .give_o, .failed_o(failed),
      .write_dead_o(write_dead), .result_valid_o(transfer_end), .result_o(result), .result_ready_i(result_ready));
  assign ended = end_grant_i;
  assign give_sem_o = head_info.signal_sem;
  assign abort_o = aborting;
  always_comb begin
    dead_o            = '0;
    dead_o[head_slot] = write_dead;
    stop_o            = slot_failed | dead_o;
  end
  dma_complete u_complete (
      .clk_i, .rst_ni, .reserve_i(reserve), .result_valid_i(transfer_end), .result_i(result),
      .result_ready_o(result_ready), .base_i(config_i.comp_base), .log2_i(config_i.comp_log2),
      .consumer_i(config_i.consumer), .producer_o(producer), .reset_i(reset_done), .valid_o(comp_valid_o),
      .addr_o(comp_addr_o), .record_o(comp_o), .taken_i(comp_taken_i), .b_valid_i(b_comp_i), .b_resp_i,
      .full_o(comp_full), .done_o(comp_done), .done_irq_o(comp_done_irq), .lost_o(comp_lost), .busy_o(comp_busy));

  logic work_left;
  assign work_left = run && next != tail;
  always_comb begin
    state_o.busy        = in_flight || comp_busy || work_left;
    state_o.quiet       = !in_flight && !comp_busy && (!work_left || waiting || comp_full_waits);
    state_o.halted      = halted;
    state_o.draining    = aborting;
    state_o.comp_full   = comp_full_waits;
    state_o.waiting     = waiting;
    state_o.chain       = chain;
    state_o.bad_config  = !config_ok;
    state_o.moving      = slot_count != '0;
    state_o.ring_access = fetch_busy || comp_busy;
    state_o.in_flight   = slot_count;
    state_o.tail        = tail;
    state_o.head        = head;
    state_o.producer    = producer;

    event_o.descriptor_end = ended;
    event_o.transfer_end   = transfer_end;
    event_o.reset_done     = reset_done;
    event_o.refused        = refused;
    event_o.halted         = halt_event;
    event_o.overrun        = overrun;
    event_o.comp_full      = comp_full_event;
    event_o.comp_done_irq  = comp_done_irq;
    event_o.comp_lost      = comp_lost;
    event_o.waits          = waits;
  end
  assign result_o = result;

  logic unused;
  assign unused = ^{comp_done, fetched};
endmodule
