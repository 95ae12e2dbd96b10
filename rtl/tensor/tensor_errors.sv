// Keeps the first error, stops the engine with it, or before it when something was found that is not told yet, and clears once everything
// under way has ended. Of errors in one cycle the first in the order of `error_i` counts.
module tensor_errors
  import tensor_pkg::*;
#(
    parameter int unsigned SOURCES = 6
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 found_i,
    input  error_t [SOURCES-1:0] error_i,
    input  logic                 clear_i,
    input  logic                 busy_i,
    output logic                 stop_o,
    output logic                 clearing_o,
    output logic                 flush_o,   // queues, semaphores and what else has not begun
    output logic                 first_o,   // an error is taken now
    output error_t               error_o
);

  error_t chosen, error_q;
  logic clearing_q;
  always_comb begin
    chosen = '0;
    for (int i = int'(SOURCES) - 1; i >= 0; i--) if (error_i[i].valid) chosen = error_i[i];
  end
  assign first_o = chosen.valid && !error_q.valid;
  assign flush_o = clearing_q && !busy_i;
  assign stop_o = found_i || error_q.valid || clearing_q;
  assign clearing_o = clearing_q;
  assign error_o = error_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_q    <= '0;
      clearing_q <= 1'b0;
    end else begin
      if (clear_i) clearing_q <= 1'b1;
      else if (flush_o) clearing_q <= 1'b0;
      if (flush_o) error_q <= '0;
      else if (first_o) error_q <= chosen;
    end
  end

endmodule
