// Turns the beats of a piece of the source into those of the destination: bytes shifted into place, strobes at both ends. After a failed beat
// the rest of the piece is dropped and one `bad` beat ends it. Pieces follow one another without a gap.
module dma_realign (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic            job_valid_i,
    input  dma_pkg::job_t   job_i,
    output logic            job_ready_o,
    input  logic            raw_valid_i,
    input  logic [63:0]     raw_data_i,
    input  logic            raw_error_i,
    input  logic            raw_last_i,
    output logic            raw_ready_o,
    output logic            valid_o,
    output dma_pkg::queue_t queue_o,
    output dma_pkg::slot_t  slot_o,
    output dma_pkg::addr_t  addr_o,      // of the beat
    output logic [63:0]     data_o,
    output logic [7:0]      strb_o,
    output logic            last_o,      // of the piece
    output logic            end_o,       // and of its descriptor
    output logic            bad_o,       // no data: the piece ends here
    input  logic            ready_i
);
  import tern_pkg::*;
  import dma_pkg::*;

  logic active_q, prime_q, first_q, drained_q, bad_q, end_q;
  queue_t queue_q;
  slot_t slot_q;
  addr_t addr_q;
  beats_t left_q;
  logic [2:0] shift_q, first_byte_q, past_byte_q;
  logic [63:0] held_q;
  logic [127:0] pair;

  logic flush, fails, swallow, take, done;
  beats_t job_beats;
  assign job_beats = beats_t'((12'(job_i.dst[2:0]) + 12'(job_i.bytes) + 12'd7) >> 3);
  assign job_ready_o = !active_q || done;

  // A beat goes out from the held one alone, from the pair, or not at all while the first of a pair is fetched.
  assign flush = drained_q && !bad_q;
  assign fails = raw_valid_i && (raw_error_i || bad_q);
  assign swallow = raw_valid_i && (fails ? !raw_last_i : prime_q);
  assign valid_o = active_q && (flush || (raw_valid_i && !swallow));
  assign raw_ready_o = active_q && !drained_q && (swallow || ready_i);
  assign take = raw_valid_i && raw_ready_o;
  assign done = valid_o && ready_i && last_o;

  always_comb begin
    pair   = {flush ? 64'b0 : raw_data_i, held_q};
    data_o = shift_q == '0 ? raw_data_i : 64'(pair >> {shift_q, 3'b0});
    strb_o = '1;
    if (first_q) strb_o = strb_o << first_byte_q;
    if (left_q == beats_t'(1) && past_byte_q != '0) strb_o = strb_o & ~(8'hFF << past_byte_q);
    bad_o  = !flush && fails;
    last_o = bad_o || left_q == beats_t'(1);
    end_o  = last_o && end_q;
    queue_o = queue_q;
    slot_o = slot_q;
    addr_o = addr_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q     <= 1'b0;
      prime_q      <= 1'b0;
      first_q      <= 1'b0;
      drained_q    <= 1'b0;
      bad_q        <= 1'b0;
      end_q        <= 1'b0;
      queue_q      <= '0;
      slot_q       <= '0;
      addr_q       <= '0;
      left_q       <= '0;
      shift_q      <= '0;
      first_byte_q <= '0;
      past_byte_q  <= '0;
      held_q       <= '0;
    end else if (job_ready_o) begin
      active_q     <= job_valid_i;
      prime_q      <= job_i.src[2:0] > job_i.dst[2:0];
      first_q      <= 1'b1;
      drained_q    <= 1'b0;
      bad_q        <= 1'b0;
      end_q        <= job_i.last;
      queue_q      <= job_i.qid;
      slot_q       <= job_i.slot;
      addr_q       <= {job_i.dst[AxiAddrWidth-1:3], 3'b0};
      left_q       <= job_beats;
      shift_q      <= job_i.src[2:0] - job_i.dst[2:0];
      first_byte_q <= job_i.dst[2:0];
      past_byte_q  <= job_i.dst[2:0] + job_i.bytes[2:0];
    end else begin
      if (take) begin
        held_q    <= raw_data_i;
        prime_q   <= 1'b0;
        bad_q     <= bad_q || raw_error_i;
        drained_q <= raw_last_i;
      end
      if (valid_o && ready_i) begin
        first_q <= 1'b0;
        addr_q  <= addr_q + 40'd8;
        left_q  <= left_q - beats_t'(1);
      end
    end
  end

  logic unused;
  assign unused = ^{job_i.cut, pair[127:120]};
`ifndef SYNTHESIS
  // The last raw beat is never left behind.
  assert property (@(posedge clk_i) disable iff (!rst_ni) done |-> drained_q || (take && raw_last_i));
`endif
endmodule
