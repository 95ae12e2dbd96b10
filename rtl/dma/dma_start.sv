// When the next descriptor of a queue starts, and as what. All it waits for is met before it asks for its semaphore, so it starts in
// the cycle in which the semaphore is taken, even when the queue is told to stop in that cycle.
module dma_start (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                run_i,
    input  logic                halt_on_error_i,
    input  logic                reset_i,
    // The next descriptor and what the check says.
    input  dma_pkg::fetched_t   fetched_i,
    input  logic                checked_i,
    input  dma_pkg::status_e    status_i,
    input  dma_pkg::addr_t      addr_i,
    // What it waits for.
    input  logic                slots_free_i,
    input  logic                slots_empty_i,
    input  logic                move_ready_i,
    input  logic                comp_full_i,
    input  logic                failed_i,         // the transfer that is under way has failed
    // Semaphores: an attempt that is granted in this cycle is answered in the next.
    output logic                attempt_o,
    input  logic                attempt_grant_i,
    input  logic                taken_i,
    output logic                pending_o,
    output logic                waits_o,          // for its semaphore only
    output logic                waiting_o,        // and at least one attempt was in vain
    // The start.
    output logic                start_o,
    output logic                reserve_o,        // it is the first of a transfer
    output dma_pkg::slot_info_t info_o,
    output logic                comp_full_o,      // it waits for room in the completion ring
    output logic                comp_full_event_o,
    output logic                chain_o           // a transfer was begun and goes on with the next descriptor
);
  import dma_pkg::*;

  descriptor_t desc;
  logic alone, passed, needs_sem, ready, chain_q, pending_q, waiting_q, full_q;

  assign desc = fetched_i.desc;
  assign alone = halt_on_error_i || (status_i == StatusOk && desc.dmb);
  assign passed = chain_q && failed_i;
  assign needs_sem = status_i == StatusOk && !passed && desc.wait_count != '0;
  assign ready = run_i && checked_i && move_ready_i && (alone ? slots_empty_i : slots_free_i) && (chain_q || !comp_full_i);

  assign attempt_o = ready && needs_sem && !pending_q;
  assign pending_o = pending_q;
  assign start_o = pending_q ? taken_i : ready && !needs_sem;
  assign reserve_o = start_o && !chain_q;
  assign waits_o = ready && needs_sem && !start_o;
  assign waiting_o = waiting_q;
  assign comp_full_o = run_i && checked_i && !chain_q && comp_full_i;
  assign comp_full_event_o = comp_full_o && !full_q;
  assign chain_o = chain_q;

  always_comb begin
    info_o.tag        = fetched_i.error ? '0 : desc.tag;
    info_o.index      = fetched_i.index;
    info_o.irq        = !fetched_i.error && desc.irq;
    info_o.chain      = desc.chain && status_i != StatusFetchError && status_i != StatusPhaseMismatch;
    info_o.signal     = desc.signal;
    info_o.signal_sem = desc.signal_sem;
    info_o.status     = status_i != StatusOk ? status_i : passed ? StatusAborted : StatusOk;
    info_o.addr       = addr_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      chain_q   <= 1'b0;
      pending_q <= 1'b0;
      waiting_q <= 1'b0;
      full_q    <= 1'b0;
    end else begin
      if (reset_i) chain_q <= 1'b0;
      else if (start_o) chain_q <= info_o.chain;
      pending_q <= attempt_o && attempt_grant_i;
      waiting_q <= run_i && !start_o && (waiting_q || pending_q);
      full_q    <= comp_full_o;
    end
  end

  logic unused;
  assign unused = ^{desc, fetched_i.addr};
`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) pending_q |-> checked_i && move_ready_i && slots_free_i);
  assert property (@(posedge clk_i) disable iff (!rst_ni) reset_i |-> !start_o && !pending_q);
  assert property (@(posedge clk_i) disable iff (!rst_ni) reserve_o |-> !comp_full_i || pending_q);
`endif
endmodule
