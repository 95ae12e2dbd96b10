// Asks for the source of one piece after another. Space for the data is reserved before a burst is asked for, so read data never waits.
// When its descriptor has failed, is given up or aborted, no more bursts are asked for and a marker ends the piece.
module dma_read (
    input  logic                                                clk_i,
    input  logic                                                rst_ni,
    input  logic                                                long_bursts_i,
    input  logic                                                job_valid_i,
    input  dma_pkg::job_t                                       job_i,
    output logic                                                job_ready_o,
    input  logic [dma_pkg::NumQueues-1:0]                       abort_i,
    input  logic [dma_pkg::NumQueues-1:0][dma_pkg::NumSlots-1:0] stop_i,
    // The throttle.
    input  logic                                                allow_i,
    output logic                                                issue_o,
    output logic                                                held_o,        // the throttle alone holds back a burst
    output dma_pkg::burst_t                                     beats_o,
    // Read address.
    output logic                                                ar_valid_o,
    output dma_pkg::addr_t                                      ar_addr_o,
    input  logic                                                ar_ready_i,
    // What is on its way: a burst of `beats_o`, or a marker.
    input  logic [dma_pkg::NumQueues-1:0]                       note_space_i,
    input  logic [7:0]                                          free_i,        // beats
    output logic                                                note_valid_o,
    output dma_pkg::queue_t                                     queue_o,
    output dma_pkg::note_t                                      note_o
);
  import tern_pkg::*;
  import dma_pkg::*;

  logic active_q, cut_q, stop, burst_fits, burst_go, marker_go, ends, done;
  queue_t queue_q;
  slot_t slot_q;
  addr_t addr_q;
  beats_t left_q, job_beats;
  burst_t beats;

  assign job_beats = beats_t'((12'(job_i.src[2:0]) + 12'(job_i.bytes) + 12'd7) >> 3);
  always_comb begin
    beats = beats_to_boundary(addr_q[7:3], long_bursts_i);
    if (beats_t'(beats) > left_q) beats = burst_t'(left_q);
  end
  assign stop = cut_q || abort_i[queue_q] || stop_i[queue_q][slot_q];
  assign burst_fits = active_q && !stop && note_space_i[queue_q] && free_i >= 8'(beats);
  assign ar_valid_o = burst_fits && allow_i;
  assign ar_addr_o = addr_q;
  assign beats_o = beats;
  assign queue_o = queue_q;
  assign burst_go = ar_valid_o && ar_ready_i;
  assign issue_o = burst_go;
  assign held_o = burst_fits && !allow_i;
  assign marker_go = active_q && stop && note_space_i[queue_q] && free_i != '0;
  assign ends = beats_t'(beats) == left_q;
  assign done = marker_go || (burst_go && ends);
  assign job_ready_o = !active_q || done;

  assign note_valid_o = burst_go || marker_go;
  always_comb begin
    note_o.marker = marker_go;
    note_o.last   = marker_go || ends;
    note_o.slot   = slot_q;
    note_o.addr   = addr_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      cut_q    <= 1'b0;
      queue_q  <= '0;
      slot_q   <= '0;
      addr_q   <= '0;
      left_q   <= '0;
    end else if (job_ready_o) begin
      active_q <= job_valid_i;
      cut_q    <= job_i.cut;
      queue_q  <= job_i.qid;
      slot_q   <= job_i.slot;
      addr_q   <= {job_i.src[AxiAddrWidth-1:3], 3'b0};
      left_q   <= job_beats;
    end else if (burst_go) begin
      addr_q <= addr_q + {31'b0, beats, 3'b0};
      left_q <= left_q - beats_t'(beats);
    end
  end

  logic unused;
  assign unused = ^{job_i.dst, job_i.last};
endmodule
