// What each cycle was used for, and how much was done. 48 bits, they wrap.
module tensor_counters
  import tensor_pkg::*;
(
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 clear_i,
    input  cycle_e               cycle_i,
    input  logic                 limited_i,
    input  logic  [NumUnits-1:0] ended_i,
    input  logic  [         4:0] stored_i,
    input  logic                 running_i,
    output counts_t              counts_o
);

  counts_t counts_q;
  logic active;
  assign active = cycle_i == CycleActive;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) counts_q <= '0;
    else if (clear_i) counts_q <= '0;
    else begin
      if (active) counts_q.active <= counts_q.active + 48'd1;
      if (active && limited_i) counts_q.throttled_active <= counts_q.throttled_active + 48'd1;
      if (cycle_i == CycleIdle) counts_q.idle <= counts_q.idle + 48'd1;
      if (cycle_i == CycleWaitSemaphore) counts_q.wait_semaphore <= counts_q.wait_semaphore + 48'd1;
      if (cycle_i == CycleWaitStationary) counts_q.wait_stationary <= counts_q.wait_stationary + 48'd1;
      if (cycle_i == CycleWaitAccumulator) counts_q.wait_accumulator <= counts_q.wait_accumulator + 48'd1;
      if (cycle_i == CycleThrottled) counts_q.throttled_idle <= counts_q.throttled_idle + 48'd1;
      if (ended_i != '0) counts_q.instructions <= counts_q.instructions + 48'(ended_i[0]) + 48'(ended_i[1]) + 48'(ended_i[2]);
      if (running_i) counts_q.elapsed <= counts_q.elapsed + 48'd1;
      if (stored_i != '0) counts_q.stored <= counts_q.stored + 48'(stored_i);
    end
  end
  assign counts_o = counts_q;

endmodule
