// The state of the submission ring of a queue: tail, head, and whether descriptors may start. Indices run freely modulo 65536; the
// ring's entry is the index modulo its size.
module dma_ring (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic            enable_i,
    input  logic            config_ok_i,
    input  logic [3:0]      log2_i,
    input  logic            doorbell_i,
    input  dma_pkg::index_t doorbell_tail_i,
    input  logic            abort_i,
    input  logic            resume_i,
    input  logic            reset_i,
    input  logic            start_i,       // a descriptor starts
    input  logic            end_i,         // a descriptor has ended
    input  logic            end_halts_i,   // and its error halts the queue
    input  logic            halt_i,        // halt for another reason
    input  logic            idle_i,        // nothing in flight or about to be, no completion under way, no fetch open
    input  logic            in_flight_i,
    input  logic            completing_i,  // completion records are under way
    output dma_pkg::index_t tail_o,
    output dma_pkg::index_t head_o,
    output dma_pkg::index_t next_o,        // the next descriptor to start
    output logic            run_o,
    output logic            aborting_o,
    output logic            halted_o,
    output logic            halt_event_o,
    output logic            overrun_o,     // a doorbell was refused
    output logic            reset_done_o,
    output logic            refused_o
);
  import dma_pkg::*;

  index_t tail_q, head_q, next_q, size;
  logic halt_q, aborting_q, was_halted_q;

  assign size = index_t'(1) << log2_i;
  assign overrun_o = doorbell_i && (index_t'(doorbell_tail_i - head_q) > size ||
                                    index_t'(doorbell_tail_i - head_q) < index_t'(tail_q - head_q));
  assign reset_done_o = reset_i && idle_i && (halt_q || !enable_i);
  assign refused_o = reset_i && !reset_done_o;
  assign run_o = enable_i && config_ok_i && !halt_q && !abort_i;
  assign aborting_o = aborting_q;
  assign halted_o = halt_q && !in_flight_i && !completing_i;
  assign halt_event_o = halted_o && !was_halted_q;
  assign tail_o = tail_q;
  assign head_o = head_q;
  assign next_o = next_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tail_q       <= '0;
      head_q       <= '0;
      next_q       <= '0;
      halt_q       <= 1'b0;
      aborting_q   <= 1'b0;
      was_halted_q <= 1'b0;
    end else begin
      was_halted_q <= halted_o;
      if (doorbell_i && !overrun_o) tail_q <= doorbell_tail_i;
      if (start_i) next_q <= next_q + 1'b1;
      if (end_i) head_q <= head_q + 1'b1;

      if (abort_i) aborting_q <= 1'b1;
      else if (!in_flight_i) aborting_q <= 1'b0;

      if (abort_i || halt_i || (end_i && end_halts_i)) halt_q <= 1'b1;
      else if (resume_i && halted_o && !aborting_q) halt_q <= 1'b0;

      if (reset_done_o) begin
        tail_q <= '0;
        head_q <= '0;
        next_q <= '0;
        halt_q <= 1'b0;
      end
    end
  end
endmodule
