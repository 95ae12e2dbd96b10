// The write side of the AXI port: bursts of data in order, and completion records in between. Data follows its address; addresses
// run ahead by a few bursts. Each burst, and each note without one, is reported to the retire stage when its data has gone.
module dma_write (
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
    input  logic                 give_up_i,       // no more writes for this slot
    input  dma_pkg::slot_t       give_up_slot_i,
    // Completion records; the request holds until `comp_done_o`.
    input  logic                 comp_valid_i,
    input  dma_pkg::addr_t       comp_addr_i,
    input  dma_pkg::completion_t comp_i,
    output logic                 comp_taken_o,
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
    input  logic                 retired_i,       // one of them is dealt with
    output logic [3:0]           strobes_o        // bytes of data that go out in this cycle
);
  import tern_pkg::*;
  import dma_pkg::*;

  localparam int unsigned MaxOpen = 8;
  typedef struct packed {
    logic   completion;
    logic   write;      // else only skips its beats
    token_t token;
  } work_t;

  // Address stage.
  logic [3:0] open_q;
  logic pick_comp, pick_data, data_writes, work_space, work_go, work_valid, work_done;
  logic comp_busy_q;
  work_t work_in, work;

  assign pick_comp = comp_valid_i && !comp_busy_q;
  assign data_writes = token_i.beats != '0 && !(give_up_i && give_up_slot_i == token_i.slot);
  assign pick_data = token_valid_i && open_q != 4'(MaxOpen);

  // A shown address stays: completions come first only when no data address waits on the port.
  logic hold_q, hold_comp_q, chosen_comp;
  assign chosen_comp = hold_q ? hold_comp_q : pick_comp;
  always_comb begin
    aw_valid_o = 1'b0;
    aw_o.id    = chosen_comp ? IdComplete : IdWrite;
    aw_o.addr  = chosen_comp ? comp_addr_i : token_i.addr;
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
  end
  axi_fifo #(.Depth(4), .T(work_t)) u_work (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(work_go), .ready_o(work_space), .data_i(work_in),
      .valid_o(work_valid), .ready_i(work_done), .data_o(work));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q      <= '0;
      hold_q      <= 1'b0;
      hold_comp_q <= 1'b0;
      comp_busy_q <= 1'b0;
    end else begin
      hold_q      <= aw_valid_o && !aw_ready_i;
      hold_comp_q <= chosen_comp;
      open_q      <= open_q + 4'(token_ready_o) - 4'(retired_i);
      if (work_go && chosen_comp) comp_busy_q <= 1'b1;
      else if (comp_taken_o) comp_busy_q <= 1'b0;
    end
  end

  // Data stage.
  burst_t beat_q, beats;
  logic w_go, w_last;
  assign beats = work.completion ? 6'd2 : work.token.beats;
  assign w_last = beat_q == beats - 6'd1;
  assign w_valid_o = work_valid && work.write;
  assign w_go = w_valid_o && w_ready_i;
  assign work_done = work_valid && (work.write ? w_go && w_last : 1'b1);
  always_comb begin
    w_o.data = work.completion ? (beat_q[0] ? comp_i[127:64] : comp_i[63:0]) : data_i;
    w_o.strb = work.completion ? '1 : strb_i;
    w_o.last = w_last;
  end
  assign pop_o = w_go && !work.completion;
  assign skip_o = work_done && !work.write;
  assign skip_beats_o = work.token.beats;
  assign comp_taken_o = work_done && work.completion;
  assign sent_o = work_done && !work.completion;
  assign sent_needs_b_o = work.write;
  assign sent_token_o = work.token;
  assign strobes_o = pop_o ? 4'($countones(strb_i)) : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_q <= '0;
    else if (w_go) beat_q <= w_last ? '0 : beat_q + 1'b1;
  end
endmodule
