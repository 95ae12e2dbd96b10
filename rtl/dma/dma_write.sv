// The write side of the AXI port: bursts of data in order, and completion records in between. Data follows its address; addresses
// run ahead by a few bursts. Each burst, and each note without one, is reported to the retire stage of its queue when its data has gone.
module dma_write #(
    parameter logic Engine = 1'b0
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // Data.
    input  logic                 token_valid_i,
    input  dma_pkg::token_t      token_i,
    output logic                 token_ready_o,
    input  logic [63:0]          data_i,
    input  logic [7:0]           strb_i,
    output logic                 pop_o,
    output logic                 skip_o,
    output dma_pkg::burst_t      skip_beats_o,
    input  logic [dma_pkg::NumQueues-1:0][dma_pkg::NumSlots-1:0] dead_i,  // no more writes for these
    // Completion records; a request holds until it is taken.
    input  logic [dma_pkg::NumQueues-1:0] comp_valid_i,
    input  dma_pkg::addr_t [dma_pkg::NumQueues-1:0] comp_addr_i,
    input  dma_pkg::completion_t [dma_pkg::NumQueues-1:0] comp_i,
    output logic [dma_pkg::NumQueues-1:0] comp_taken_o,
    // AXI.
    output logic                 aw_valid_o,
    output tern_pkg::axi_ax_t    aw_o,
    input  logic                 aw_ready_i,
    output logic                 w_valid_o,
    output tern_pkg::axi_w_t     w_o,
    input  logic                 w_ready_i,
    // Bursts sent, in order. `sent_needs_b_o`: a response comes for it.
    output logic                 sent_o,
    output logic                 sent_needs_b_o,
    output dma_pkg::token_t      sent_token_o,
    input  logic [dma_pkg::NumQueues-1:0] retired_i,  // one of the queue's is dealt with
    output logic [3:0]           strobes_o        // bytes of data that go out in this cycle
);
  import tern_pkg::*;
  import dma_pkg::*;

  localparam int unsigned MaxOpen = 8;  // bursts of a queue
  typedef struct packed {
    logic   completion;
    logic   write;      // else only skips its beats
    token_t token;      // of a completion only the queue
  } work_t;

  // Address stage.
  logic [NumQueues-1:0][3:0] open_q;
  logic pick_comp, pick_data, data_writes, work_space, work_go, work_valid, work_done, comp_any, comp_go;
  logic comp_busy_q, hold_q, hold_comp_q, chosen_comp;
  queue_t comp_next, comp_queue, hold_queue_q;
  work_t work_in, work;

  dma_arbiter u_comp_turn (
      .clk_i, .rst_ni, .request_i(comp_valid_i), .take_i(comp_go && !hold_q), .any_o(comp_any), .pick_o(comp_next));
  assign pick_comp = comp_any && !comp_busy_q;
  assign data_writes = token_i.beats != '0 && !dead_i[token_i.qid][token_i.slot];
  assign pick_data = token_valid_i && open_q[token_i.qid] != 4'(MaxOpen);

  // A shown address stays: completions come first only when no data address waits on the port.
  assign chosen_comp = hold_q ? hold_comp_q : pick_comp;
  assign comp_queue = hold_q ? hold_queue_q : comp_next;
  assign comp_go = chosen_comp && aw_valid_o;
  always_comb begin
    aw_valid_o = 1'b0;
    aw_o.id    = chosen_comp ? id_of(Engine, 1'b0, comp_queue) : id_of(Engine, 1'b1, token_i.qid);
    aw_o.addr  = chosen_comp ? comp_addr_i[comp_queue] : token_i.addr;
    aw_o.len   = chosen_comp ? 8'd1 : {2'b0, token_i.beats} - 8'd1;
    work_go    = 1'b0;
    if (hold_q) begin
      aw_valid_o = 1'b1;
      work_go    = aw_ready_i;
    end else if (work_space && chosen_comp) begin
      aw_valid_o = 1'b1;
      work_go    = aw_ready_i;
    end else if (work_space && pick_data) begin
      aw_valid_o = data_writes;
      work_go    = aw_ready_i || !data_writes;
    end
  end
  assign token_ready_o = work_go && !chosen_comp;

  always_comb begin
    work_in.completion = chosen_comp;
    work_in.write      = chosen_comp || aw_valid_o;
    work_in.token      = token_i;
    if (chosen_comp) work_in.token.qid = comp_queue;
  end
  axi_fifo #(.Depth(4), .T(work_t)) u_work (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(work_go), .ready_o(work_space), .data_i(work_in),
      .valid_o(work_valid), .ready_i(work_done), .data_o(work));

  logic comp_taken;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q       <= '0;
      hold_q       <= 1'b0;
      hold_comp_q  <= 1'b0;
      hold_queue_q <= '0;
      comp_busy_q  <= 1'b0;
    end else begin
      hold_q       <= aw_valid_o && !aw_ready_i;
      hold_comp_q  <= chosen_comp;
      hold_queue_q <= comp_queue;
      for (int unsigned q = 0; q < NumQueues; q++) begin
        open_q[q] <= open_q[q] + 4'(token_ready_o && 32'(token_i.qid) == q) - 4'(retired_i[q]);
      end
      if (work_go && chosen_comp) comp_busy_q <= 1'b1;
      else if (comp_taken) comp_busy_q <= 1'b0;
    end
  end

  // Data stage.
  burst_t beat_q, beats;
  logic w_go, w_last;
  completion_t comp;
  assign comp = comp_i[work.token.qid];
  assign beats = work.completion ? 6'd2 : work.token.beats;
  assign w_last = beat_q == beats - 6'd1;
  assign w_valid_o = work_valid && work.write;
  assign w_go = w_valid_o && w_ready_i;
  assign work_done = work_valid && (work.write ? w_go && w_last : 1'b1);
  always_comb begin
    w_o.data = work.completion ? (beat_q[0] ? comp[127:64] : comp[63:0]) : data_i;
    w_o.strb = work.completion ? '1 : strb_i;
    w_o.last = w_last;
  end
  assign pop_o = w_go && !work.completion;
  assign skip_o = work_done && !work.write;
  assign skip_beats_o = work.token.beats;
  assign comp_taken = work_done && work.completion;
  always_comb begin
    comp_taken_o                   = '0;
    comp_taken_o[work.token.qid] = comp_taken;
  end
  assign sent_o = work_done && !work.completion;
  assign sent_needs_b_o = work.write;
  assign sent_token_o = work.token;
  assign strobes_o = pop_o ? 4'($countones(strb_i)) : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_q <= '0;
    else if (w_go) beat_q <= w_last ? '0 : beat_q + 1'b1;
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) work_valid && work.completion |-> comp_valid_i[work.token.qid]);
`endif
endmodule
