// Moves the data of pieces: read, return, realign, gather. Pieces come and bursts leave in order, whatever their queue.
module dma_mover #(
    parameter logic Engine = 1'b0
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  dma_pkg::config_t     config_i,
    // Pieces.
    input  logic                 job_valid_i,
    input  dma_pkg::job_t        job_i,
    output logic                 job_ready_o,
    // What moves nothing more: queues that are aborted, slots that have failed.
    input  logic [dma_pkg::NumQueues-1:0]                        abort_i,
    input  logic [dma_pkg::NumQueues-1:0][dma_pkg::NumSlots-1:0] stop_i,
    // Read address and data.
    output logic                 ar_valid_o,
    output tern_pkg::axi_ax_t    ar_o,
    input  logic                 ar_ready_i,
    input  logic                 r_valid_i,
    input  tern_pkg::axi_r_t     r_i,
    output logic                 r_ready_o,
    output logic                 read_open_o,
    output logic                 held_o,
    output logic                 debt_o,        // the throttle has beats to make up for
    output logic                 fault_o,
    output dma_pkg::queue_t      fault_queue_o,
    output dma_pkg::fault_t      fault_info_o,
    // Bursts ready to write, and their data.
    output logic                 token_valid_o,
    output dma_pkg::token_t      token_o,
    input  logic                 token_ready_i,
    output logic [63:0]          data_o,
    output logic [7:0]           strb_o,
    input  logic                 pop_i,
    input  logic                 skip_i,
    input  dma_pkg::burst_t      skip_beats_i
);
  import tern_pkg::*;
  import dma_pkg::*;

  localparam int unsigned Ahead = 16;

  // Reading runs ahead of what is realigned.
  logic read_valid, read_ready, read_space, align_valid, align_ready, align_space, job_go;
  job_t read_job, align_job;
  assign job_ready_o = read_space && align_space;
  assign job_go = job_valid_i && job_ready_o;
  axi_fifo #(.T(job_t)) u_read_jobs (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(job_go), .ready_o(read_space), .data_i(job_i),
      .valid_o(read_valid), .ready_i(read_ready), .data_o(read_job));
  axi_fifo #(.Depth(Ahead), .T(job_t)) u_align_jobs (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(job_go), .ready_o(align_space), .data_i(job_i),
      .valid_o(align_valid), .ready_i(align_ready), .data_o(align_job));

  logic allow, issue, raw_valid, raw_ready, raw_error, raw_last, note_valid;
  logic [NumQueues-1:0] note_space;
  logic [63:0] raw_data;
  logic [7:0] free;
  burst_t issue_beats;
  addr_t ar_addr;
  queue_t read_queue;
  note_t note;
  dma_throttle u_throttle (
      .clk_i, .rst_ni, .active_i(config_i.throttled), .run_i(config_i.throttle_run),
      .period_i(config_i.throttle_period), .issue_i(issue), .beats_i(issue_beats), .allow_o(allow),
      .debt_o);
  dma_read u_read (
      .clk_i, .rst_ni, .long_bursts_i(config_i.long_bursts), .job_valid_i(read_valid), .job_i(read_job),
      .job_ready_o(read_ready), .abort_i, .stop_i, .allow_i(allow), .issue_o(issue), .held_o, .beats_o(issue_beats),
      .ar_valid_o, .ar_addr_o(ar_addr), .ar_ready_i, .note_space_i(note_space), .free_i(free), .note_valid_o(note_valid),
      .queue_o(read_queue), .note_o(note));
  always_comb begin
    ar_o.id   = id_of(Engine, 1'b1, read_queue);
    ar_o.addr = ar_addr;
    ar_o.len  = {2'b0, issue_beats} - 8'd1;
  end
  dma_return u_return (
      .clk_i, .rst_ni, .note_valid_i(note_valid), .note_queue_i(read_queue), .note_i(note), .note_beats_i(issue_beats),
      .note_space_o(note_space), .free_o(free), .r_valid_i, .r_queue_i(queue_t'(r_i.id)), .r_i, .r_ready_o,
      .open_o(read_open_o), .raw_valid_o(raw_valid), .raw_data_o(raw_data), .raw_error_o(raw_error),
      .raw_last_o(raw_last), .raw_ready_i(raw_ready), .fault_o, .fault_queue_o, .fault_info_o);

  logic beat_valid, beat_ready, beat_last, beat_end, beat_bad;
  queue_t beat_queue;
  slot_t beat_slot;
  addr_t beat_addr;
  logic [63:0] beat_data;
  logic [7:0] beat_strb;
  dma_realign u_realign (
      .clk_i, .rst_ni, .job_valid_i(align_valid), .job_i(align_job), .job_ready_o(align_ready),
      .raw_valid_i(raw_valid), .raw_data_i(raw_data), .raw_error_i(raw_error), .raw_last_i(raw_last),
      .raw_ready_o(raw_ready), .valid_o(beat_valid), .queue_o(beat_queue), .slot_o(beat_slot), .addr_o(beat_addr),
      .data_o(beat_data), .strb_o(beat_strb), .last_o(beat_last), .end_o(beat_end), .bad_o(beat_bad),
      .ready_i(beat_ready));
  dma_gather u_gather (
      .clk_i, .rst_ni, .long_bursts_i(config_i.long_bursts), .valid_i(beat_valid), .queue_i(beat_queue),
      .slot_i(beat_slot), .addr_i(beat_addr), .data_i(beat_data), .strb_i(beat_strb), .last_i(beat_last),
      .end_i(beat_end), .bad_i(beat_bad), .ready_o(beat_ready), .token_valid_o, .token_o, .token_ready_i, .data_o,
      .strb_o, .pop_i, .skip_i, .skip_beats_i);

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) r_valid_i |-> r_i.id == id_of(Engine, 1'b1, queue_t'(r_i.id)));
`endif
endmodule
