// Reads the source of one job after another into a FIFO of raw beats. Space in the FIFO is reserved before a burst is asked for,
// so read data never waits long. When a beat fails, when the descriptor is given up, or on abort, no more bursts are asked for and a
// failed beat marks the end.
module dma_read (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             long_bursts_i,
    input  logic             job_valid_i,
    input  dma_pkg::job_t    job_i,
    output logic             job_ready_o,
    input  logic             abort_i,        // gives up everything
    input  logic             give_up_i,      // gives up one slot
    input  dma_pkg::slot_t   give_up_slot_i,
    // The throttle.
    input  logic             allow_i,
    output logic             issue_o,
    output logic             held_o,         // the throttle alone holds back a burst
    output dma_pkg::burst_t  beats_o,
    // Read address.
    output logic             ar_valid_o,
    output dma_pkg::addr_t   ar_addr_o,
    input  logic             ar_ready_i,
    // Read data.
    input  logic             r_valid_i,
    input  tern_pkg::axi_r_t r_i,
    output logic             r_ready_o,
    output logic             open_o,         // beats are outstanding
    // Raw beats.
    output logic             raw_valid_o,
    output logic [63:0]      raw_data_o,
    output logic             raw_error_o,
    output logic             raw_last_o,
    input  logic             raw_ready_i,
    // Faults for the slot.
    output logic             fault_o,
    output dma_pkg::slot_t   fault_slot_o,
    output dma_pkg::status_e fault_status_o,
    output dma_pkg::addr_t   fault_addr_o
);
  import tern_pkg::*;
  import dma_pkg::*;

  localparam int unsigned FifoBeats = 128;
  localparam int unsigned MaxOpen = 8;

  typedef struct packed {
    logic  marker;  // no burst: the job ends without more data
    logic  last;
    slot_t slot;
    addr_t addr;
  } burst_note_t;
  typedef struct packed {
    logic [63:0] data;
    logic        error;
    logic        last;
  } raw_t;

  // The job at work.
  logic active_q, stop_q;
  slot_t slot_q;
  addr_t addr_q;
  beats_t left_q;
  logic [7:0] credit_q;
  logic [3:0] open_q;
  burst_t beats;
  logic stop, burst_fits, burst_go, marker_go, note_space, note_pop, ends, raw_push;
  logic note_valid, beat, unused_raw_ready;
  burst_note_t note_in, note;
  raw_t raw_in, raw_out;
  beats_t job_beats;

  assign job_ready_o = !active_q;
  assign job_beats = beats_t'((17'(job_i.src[2:0]) + job_i.bytes + 17'd7) >> 3);

  always_comb begin
    beats = beats_to_boundary(addr_q[7:3], long_bursts_i);
    if (beats_t'(beats) > left_q) beats = burst_t'(left_q);
  end
  assign stop = stop_q || abort_i || (give_up_i && give_up_slot_i == slot_q);
  assign burst_fits = active_q && !stop && note_space && credit_q >= 8'(beats) && open_q != 4'(MaxOpen);
  assign ar_valid_o = burst_fits && allow_i;
  assign ar_addr_o = addr_q;
  assign beats_o = beats;
  assign burst_go = ar_valid_o && ar_ready_i;
  assign issue_o = burst_go;
  assign held_o = burst_fits && !allow_i;
  assign marker_go = active_q && stop && note_space && credit_q != '0;
  assign ends = beats_t'(beats) == left_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      stop_q   <= 1'b0;
      slot_q   <= '0;
      addr_q   <= '0;
      left_q   <= '0;
    end else if (!active_q) begin
      active_q <= job_valid_i;
      stop_q   <= !job_i.run;
      slot_q   <= job_i.slot;
      addr_q   <= {job_i.src[AxiAddrWidth-1:3], 3'b0};
      left_q   <= job_beats;
    end else begin
      if (fault_o && fault_slot_o == slot_q) stop_q <= 1'b1;
      if (burst_go) begin
        addr_q <= addr_q + {31'b0, beats, 3'b0};
        left_q <= left_q - beats_t'(beats);
      end
      if (marker_go || (burst_go && ends)) active_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      credit_q <= 8'(FifoBeats);
      open_q   <= '0;
    end else begin
      credit_q <= credit_q - (burst_go ? 8'(beats) : 8'(marker_go)) + 8'(raw_valid_o && raw_ready_i);
      open_q   <= open_q + 4'(burst_go) - 4'(beat && r_i.last);
    end
  end

  // What is on its way.
  always_comb begin
    note_in.marker = marker_go;
    note_in.last   = marker_go || ends;
    note_in.slot   = slot_q;
    note_in.addr   = addr_q;
  end
  axi_fifo #(.Depth(2 * MaxOpen), .T(burst_note_t)) u_notes (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(burst_go || marker_go), .ready_o(note_space), .data_i(note_in),
      .valid_o(note_valid), .ready_i(note_pop), .data_o(note));

  logic [4:0] count_q;  // beats of this burst that have come
  assign r_ready_o = note_valid && !note.marker;
  assign beat = r_valid_i && r_ready_o;
  assign note_pop = note_valid && (note.marker || (beat && r_i.last));
  assign open_o = open_q != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else if (beat) count_q <= r_i.last ? '0 : count_q + 1'b1;
  end

  always_comb begin
    raw_in.data  = r_i.data;
    raw_in.error = note.marker || r_i.resp != AxiOkay;
    raw_in.last  = note.last && (note.marker || r_i.last);
  end
  assign raw_push = note_valid && (note.marker || beat);
  axi_fifo #(.Depth(FifoBeats), .T(raw_t)) u_raw (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(raw_push), .ready_o(unused_raw_ready), .data_i(raw_in),
      .valid_o(raw_valid_o), .ready_i(raw_ready_i), .data_o(raw_out));
  assign raw_data_o = raw_out.data;
  assign raw_error_o = raw_out.error;
  assign raw_last_o = raw_out.last;

  always_comb begin
    fault_o        = 1'b0;
    fault_slot_o   = note.slot;
    fault_status_o = StatusReadError;
    fault_addr_o   = note.addr + {32'b0, count_q, 3'b0};
    if (beat && r_i.resp != AxiOkay) begin
      fault_o = 1'b1;
    end else if (note_valid && note.marker) begin
      // Only an abort can be news to the slot here.
      fault_o        = 1'b1;
      fault_status_o = StatusAborted;
      fault_addr_o   = note.addr;
    end
  end

  logic unused;
  assign unused = ^{unused_raw_ready, r_i.id, job_i.dst};
`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) raw_push |-> unused_raw_ready);
  assert property (@(posedge clk_i) disable iff (!rst_ni) credit_q <= 8'(FifoBeats));
`endif
endmodule
