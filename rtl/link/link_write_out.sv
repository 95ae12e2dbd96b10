// AXI writes to the neighbour: gathers a burst, sends it as one packet, answers when the neighbour does. Up to four wait for their answers,
// in order. An answer that never comes (time limit, or the session ended) is SLVERR,
// and so is a write that finds no credit in time.
module link_write_out
  import link_pkg::*;
  import tern_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input logic        up_i,
    input logic [15:0] timeout_i,  // cycles

    // Subordinate. Outputs come from flip-flops.
    input  logic    aw_valid_i,
    input  axi_ax_t aw_i,
    output logic    aw_ready_o,
    input  logic    w_valid_i,
    input  axi_w_t  w_i,
    output logic    w_ready_o,
    output logic    b_valid_o,
    output axi_b_t  b_o,
    input  logic    b_ready_i,

    output flit_t flit_o,
    input  logic  flit_ready_i,

    input  logic  resp_valid_i,
    input  head_t resp_i,
    output logic  resp_pop_o,

    output logic timed_out_o,  // one cycle each
    output logic refused_o,    // ended because the session did or there is none, or the burst is longer than 16
    output logic stale_o
);

  // Bursts being gathered or sent: two banks of 16 beats.
  logic [63:0] data_q[32];
  logic [1:0][15:0][7:0] strb_q;
  head_t [1:0] head_q;
  logic bank_in_q, bank_out_q;
  logic [1:0] banks_q;

  // Writes that wait for their answer, oldest first.
  logic [3:0][3:0] id_q;
  logic [3:0] refused_q, sent_q;
  logic [1:0] oldest_q, gather_slot_q, send_slot, next_slot;
  logic [1:0][1:0] bank_slot_q;
  logic [2:0] waiting_q;
  logic [7:0] oldest_tag_q;

  logic gather_q, whole_q;
  logic [3:0] beat_q;
  logic takes_aw, takes_w, gathered, sends_last, finishes, known, refuses, withdraws;

  // Gather
  assign aw_ready_o = !gather_q && waiting_q < 3'd4 && banks_q < 2'd2;
  assign w_ready_o = gather_q;
  assign takes_aw = aw_ready_o && aw_valid_i;
  assign takes_w = gather_q && w_valid_i;
  assign gathered = takes_w && w_i.last;
  assign next_slot = oldest_q + waiting_q[1:0];
  assign refuses = !up_i || aw_i.len > 8'd15;

  always_ff @(posedge clk_i) begin
    if (takes_w) data_q[{bank_in_q, beat_q}] <= w_i.data;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      gather_q      <= 1'b0;
      whole_q       <= 1'b0;
      beat_q        <= '0;
      bank_in_q     <= 1'b0;
      strb_q        <= '0;
      head_q        <= '0;
      gather_slot_q <= '0;
      bank_slot_q   <= '0;
    end else begin
      if (takes_aw) begin
        gather_q                 <= 1'b1;
        whole_q                  <= 1'b1;
        beat_q                   <= '0;
        gather_slot_q            <= next_slot;
        head_q[bank_in_q]        <= '0;
        head_q[bank_in_q].kind   <= PktWrite;
        head_q[bank_in_q].tag    <= oldest_tag_q + 8'(waiting_q);
        head_q[bank_in_q].node   <= aw_i.addr[38:33];
        head_q[bank_in_q].upper  <= aw_i.addr[32];
        head_q[bank_in_q].offset <= {aw_i.addr[31:3], 3'd0};
      end else if (takes_w) begin
        strb_q[bank_in_q][beat_q] <= w_i.strb;
        if (w_i.strb != '1) whole_q <= 1'b0;
        beat_q <= beat_q + 4'd1;
        if (w_i.last) begin
          gather_q                  <= 1'b0;
          head_q[bank_in_q].beats   <= beat_q;
          head_q[bank_in_q].strobed <= !(whole_q && w_i.strb == '1);
          bank_slot_q[bank_in_q]    <= gather_slot_q;
          if (!refused_q[gather_slot_q]) bank_in_q <= !bank_in_q;
        end
      end
    end
  end

  // Send: head, strobes if any byte is left out, data
  typedef enum logic [1:0] {
    SendHead,
    SendStrobes,
    SendData
  } phase_e;
  phase_e phase_q;
  logic [3:0] step_q;
  head_t head;
  assign head = head_q[bank_out_q];
  assign send_slot = bank_slot_q[bank_out_q];
  always_comb begin
    flit_o.valid = banks_q != '0;
    flit_o.head = phase_q == SendHead;
    flit_o.traffic = ClassRequest;
    flit_o.last = phase_q == SendData && step_q == head.beats;
    unique case (phase_q)
      SendHead:    flit_o.data = head;
      SendStrobes: flit_o.data = step_q[0] ? strb_q[bank_out_q][15:8] : strb_q[bank_out_q][7:0];
      default:     flit_o.data = data_q[{bank_out_q, step_q}];
    endcase
  end
  assign sends_last = flit_o.valid && flit_o.last && flit_ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q    <= SendHead;
      step_q     <= '0;
      bank_out_q <= 1'b0;
      banks_q    <= '0;
    end else begin
      banks_q <= banks_q + 2'(gathered && !refused_q[gather_slot_q]) - 2'(sends_last || withdraws);
      if (withdraws) bank_out_q <= !bank_out_q;
      if (flit_o.valid && flit_ready_i) begin
        step_q <= step_q + 4'd1;
        unique case (phase_q)
          SendHead: begin
            phase_q <= head.strobed ? SendStrobes : SendData;
            step_q  <= '0;
          end
          SendStrobes: begin
            if (step_q[0] == head.beats[3]) begin
              phase_q <= SendData;
              step_q  <= '0;
            end
          end
          default: begin
            if (flit_o.last) begin
              phase_q    <= SendHead;
              bank_out_q <= !bank_out_q;
            end
          end
        endcase
      end
    end
  end

  // Answer
  logic [15:0] timer_q;
  logic [7:0] ahead;
  logic match, expired, ready, held;
  assign ahead = resp_i.tag - oldest_tag_q;
  assign known = resp_valid_i && ahead < 8'(waiting_q);
  assign match = known && ahead == '0 && sent_q[oldest_q];
  assign expired = timer_q >= timeout_i;
  assign ready = waiting_q != '0 && sent_q[oldest_q] && !b_valid_o;
  // Whole, and not begun: without credit it would wait for ever, so its time runs too.
  assign held = waiting_q != '0 && !sent_q[oldest_q] && banks_q != '0 && send_slot == oldest_q && phase_q == SendHead;
  assign withdraws = held && expired && !flit_ready_i;
  assign finishes = ready && (refused_q[oldest_q] || match || !up_i || expired);
  // A match that finds its write refused or its time run out is taken by the next line as stale.
  assign resp_pop_o = resp_valid_i && ((finishes && match && !refused_q[oldest_q]) || stale_o);
  assign stale_o = resp_valid_i && !match;
  assign timed_out_o = finishes && !refused_q[oldest_q] && !match && up_i;
  assign refused_o = finishes && (refused_q[oldest_q] || (!match && !up_i));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      id_q         <= '0;
      refused_q    <= '0;
      sent_q       <= '0;
      oldest_q     <= '0;
      waiting_q    <= '0;
      oldest_tag_q <= '0;
      timer_q      <= '0;
      b_valid_o    <= 1'b0;
      b_o          <= '0;
    end else begin
      waiting_q <= waiting_q + 3'(takes_aw) - 3'(finishes);
      timer_q   <= !(ready || held) || finishes ? '0 : timer_q + 16'd1;
      // What was sent, or sent in part, in a session that ended has no answer.
      if (!up_i) begin
        refused_q <= refused_q | sent_q;
        if (phase_q != SendHead || (flit_o.valid && flit_ready_i)) refused_q[send_slot] <= 1'b1;
      end
      if (takes_aw) begin
        id_q[next_slot]      <= aw_i.id;
        refused_q[next_slot] <= refuses;
        sent_q[next_slot]    <= 1'b0;
      end
      if (gathered && refused_q[gather_slot_q]) sent_q[gather_slot_q] <= 1'b1;
      if (sends_last || withdraws) sent_q[send_slot] <= 1'b1;
      if (finishes) begin
        oldest_q     <= oldest_q + 2'd1;
        oldest_tag_q <= oldest_tag_q + 8'd1;
        b_valid_o    <= 1'b1;
        b_o.id       <= id_q[oldest_q];
        b_o.resp     <= match && !refused_q[oldest_q] ? axi_resp_e'(resp_i.resp) : AxiSlvErr;
      end else if (b_ready_i) b_valid_o <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{aw_i.addr[39], aw_i.addr[2:0], resp_i.offset, resp_i.node, resp_i.spare, resp_i.upper, resp_i.zero, resp_i.strobed, resp_i.beats, resp_i.kind};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) b_valid_o && !b_ready_i |=> b_valid_o && $stable(b_o));
`endif

endmodule
