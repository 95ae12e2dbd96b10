// AXI reads from the neighbour: one flit asks, one packet answers. Up to four wait for their answers, in order. An answer that never comes
// (time limit, or the session ended) is SLVERR on every beat.
module link_read_out
  import link_pkg::*;
  import tern_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input logic        up_i,
    input logic [15:0] timeout_i,  // cycles

    // Subordinate. Outputs come from flip-flops.
    input  logic    ar_valid_i,
    input  axi_ax_t ar_i,
    output logic    ar_ready_o,
    output logic    r_valid_o,
    output axi_r_t  r_o,
    input  logic    r_ready_i,

    output flit_t flit_o,
    input  logic  flit_ready_i,

    input  logic        resp_valid_i,
    input  logic [63:0] resp_i,
    output logic        resp_pop_o,

    output logic timed_out_o,  // one cycle each
    output logic refused_o,    // ended because the session did or there is none, or the burst is longer than 16
    output logic stale_o
);

  typedef enum logic [1:0] {
    Wait,
    Stream,
    Fail,
    Skip
  } state_e;

  state_e state_q;
  logic [3:0][3:0] id_q;
  logic [3:0][7:0] len_q;
  logic [3:0] refused_q, sent_q;
  logic [1:0] oldest_q, next_slot, ask_slot_q;
  logic [2:0] waiting_q;
  logic [7:0] oldest_tag_q, left_q, ahead;
  logic [15:0] timer_q;
  logic [1:0] resp_q;
  logic ask_q;
  head_t ask_head_q, head;

  logic takes_ar, asked, ready, known, match, expired, held, withdraws, decides, fails, loads, finishes;

  assign ar_ready_o = !ask_q && waiting_q < 3'd4;
  assign takes_ar = ar_ready_o && ar_valid_i;
  assign next_slot = oldest_q + waiting_q[1:0];
  assign asked = ask_q && flit_ready_i;
  always_comb begin
    flit_o.valid = ask_q;
    flit_o.head = 1'b1;
    flit_o.last = 1'b1;
    flit_o.traffic = ClassRequest;
    flit_o.data = ask_head_q;
  end

  // What comes of the oldest read
  assign head = resp_i;
  assign ahead = head.tag - oldest_tag_q;
  assign ready = state_q == Wait && waiting_q != '0 && sent_q[oldest_q];
  assign known = state_q == Wait && resp_valid_i && ahead < 8'(waiting_q);
  assign match = known && ahead == '0 && ready && !refused_q[oldest_q] && {4'd0, head.beats} == len_q[oldest_q];
  assign expired = timer_q >= timeout_i;
  // Not asked yet: without credit it would wait for ever, so its time runs too.
  assign held = state_q == Wait && ask_q && ask_slot_q == oldest_q;
  assign withdraws = held && expired && !flit_ready_i;
  assign stale_o = state_q == Wait && resp_valid_i && !match;
  // A stale answer is removed first, body and all.
  assign fails = ready && !match && !stale_o && (refused_q[oldest_q] || !up_i || expired);
  assign decides = match || fails;
  assign refused_o = fails && (refused_q[oldest_q] || !up_i);
  assign timed_out_o = fails && !refused_q[oldest_q] && up_i;

  assign loads = (!r_valid_o || r_ready_i) && ((state_q == Stream && resp_valid_i) || state_q == Fail);
  assign finishes = loads && left_q == '0;
  assign resp_pop_o = match || stale_o || (state_q == Stream && loads) || (state_q == Skip && resp_valid_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Wait;
      left_q  <= '0;
      resp_q  <= '0;
      timer_q <= '0;
    end else begin
      timer_q <= (ready || held) && !decides ? timer_q + 16'd1 : '0;
      unique case (state_q)
        Wait: begin
          left_q <= len_q[oldest_q];
          resp_q <= head.resp;
          if (match) state_q <= Stream;
          else if (stale_o && body_flits(head) != '0) begin
            state_q <= Skip;
            left_q  <= {3'd0, body_flits(head)} - 8'd1;
          end else if (fails) state_q <= Fail;
        end
        Skip: begin
          if (resp_valid_i) left_q <= left_q - 8'd1;
          if (resp_valid_i && left_q == '0) state_q <= Wait;
        end
        default: begin
          if (loads) left_q <= left_q - 8'd1;
          if (finishes) state_q <= Wait;
        end
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      id_q         <= '0;
      len_q        <= '0;
      refused_q    <= '0;
      sent_q       <= '0;
      oldest_q     <= '0;
      waiting_q    <= '0;
      oldest_tag_q <= '0;
      ask_q        <= 1'b0;
      ask_slot_q   <= '0;
      ask_head_q   <= '0;
      r_valid_o    <= 1'b0;
      r_o          <= '0;
    end else begin
      waiting_q <= waiting_q + 3'(takes_ar) - 3'(finishes);
      if (!up_i) refused_q <= refused_q | sent_q;  // sent in a session that ended
      if (asked || withdraws) begin
        ask_q                 <= 1'b0;
        sent_q[ask_slot_q]    <= 1'b1;
        refused_q[ask_slot_q] <= !up_i;
      end
      if (takes_ar) begin
        id_q[next_slot]      <= ar_i.id;
        len_q[next_slot]     <= ar_i.len;
        refused_q[next_slot] <= !up_i || ar_i.len > 8'd15;
        sent_q[next_slot]    <= !up_i || ar_i.len > 8'd15;
        ask_q                <= up_i && ar_i.len <= 8'd15;
        ask_slot_q           <= next_slot;
        ask_head_q           <= '0;
        ask_head_q.kind      <= PktRead;
        ask_head_q.beats     <= ar_i.len[3:0];
        ask_head_q.tag       <= oldest_tag_q + 8'(waiting_q);
        ask_head_q.node      <= ar_i.addr[38:33];
        ask_head_q.upper     <= ar_i.addr[32];
        ask_head_q.offset    <= {ar_i.addr[31:3], 3'd0};
      end
      if (finishes) begin
        oldest_q     <= oldest_q + 2'd1;
        oldest_tag_q <= oldest_tag_q + 8'd1;
      end
      if (loads) begin
        r_valid_o <= 1'b1;
        r_o.id    <= id_q[oldest_q];
        r_o.data  <= state_q == Fail ? '0 : resp_i;
        r_o.resp  <= state_q == Fail ? AxiSlvErr : axi_resp_e'(resp_q);
        r_o.last  <= left_q == '0;
      end else if (r_ready_i) r_valid_o <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{ar_i.addr[39], ar_i.addr[2:0]};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) r_valid_o && !r_ready_i |=> r_valid_o && $stable(r_o));
`endif

endmodule
