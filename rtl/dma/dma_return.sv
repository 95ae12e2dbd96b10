// Takes read data as it comes, the bursts of each queue in order, and hands it on in the order in which it was asked for: a slow source of one
// queue never keeps the bus from answering another. Space is reserved when a burst is asked for.
module dma_return (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    // What is asked for.
    input  logic                          note_valid_i,
    input  dma_pkg::queue_t               note_queue_i,
    input  dma_pkg::note_t                note_i,
    input  dma_pkg::burst_t               note_beats_i,   // of a burst
    output logic [dma_pkg::NumQueues-1:0] note_space_o,
    output logic [7:0]                    free_o,
    // Read data.
    input  logic                          r_valid_i,
    input  dma_pkg::queue_t               r_queue_i,
    input  tern_pkg::axi_r_t              r_i,
    output logic                          r_ready_o,
    output logic                          open_o,         // beats are outstanding
    // Raw beats.
    output logic                          raw_valid_o,
    output logic [63:0]                   raw_data_o,
    output logic                          raw_error_o,
    output logic                          raw_last_o,     // of the piece
    input  logic                          raw_ready_i,
    // Faults for the slot.
    output logic                          fault_o,
    output dma_pkg::queue_t               fault_queue_o,
    output dma_pkg::fault_t               fault_info_o
);
  import tern_pkg::*;
  import dma_pkg::*;

  localparam int unsigned BufferBeats = 128;
  localparam int unsigned MaxOpen = 8;  // bursts of a queue
  typedef logic [6:0] place_t;
  typedef struct packed {
    place_t place;
    note_t  note;
  } waiting_t;
  typedef struct packed {
    logic [63:0] data;
    logic        error;
    logic        last;
  } raw_t;

  // Places are given in order and taken back in order.
  logic [7:0] alloc_q, read_q;
  logic pop;
  assign free_o = 8'(BufferBeats) - 8'(alloc_q - read_q);
  assign pop = raw_valid_o && raw_ready_i;

  // The bursts that each queue waits for.
  logic [NumQueues-1:0] waits, note_pop;
  waiting_t [NumQueues-1:0] waiting;
  logic [NumQueues-1:0][4:0] count_q;  // beats of the queue's burst that have come
  waiting_t waiting_in;
  assign waiting_in = {place_t'(alloc_q), note_i};
  for (genvar q = 0; q < NumQueues; q++) begin : gen_queue
    axi_fifo #(.Depth(MaxOpen), .T(waiting_t)) u_waiting (
        .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(note_valid_i && note_queue_i == queue_t'(q)), .ready_o(note_space_o[q]),
        .data_i(waiting_in), .valid_o(waits[q]), .ready_i(note_pop[q]), .data_o(waiting[q]));
  end

  // One writes into the buffer in a cycle: a marker that is its queue's next, else a beat from the bus.
  logic marker, beat, write;
  queue_t marker_queue, queue;
  waiting_t now;
  place_t place;
  raw_t raw_in, raw_out;
  always_comb begin
    marker       = 1'b0;
    marker_queue = '0;
    for (int unsigned q = 0; q < NumQueues; q++) begin
      if (waits[q] && waiting[q].note.marker) begin
        marker       = 1'b1;
        marker_queue = queue_t'(q);
      end
    end
  end
  assign queue = marker ? marker_queue : r_queue_i;
  assign now = waiting[queue];
  assign r_ready_o = !marker;
  assign beat = r_valid_i && r_ready_o;
  assign write = marker || beat;
  assign place = now.place + (marker ? '0 : place_t'(count_q[queue]));
  always_comb begin
    note_pop        = '0;
    note_pop[queue] = marker || (beat && r_i.last);
    raw_in.data     = r_i.data;
    raw_in.error    = marker || r_i.resp != AxiOkay;
    raw_in.last     = now.note.last && (marker || r_i.last);
  end

  raw_t mem_q[BufferBeats];
  always_ff @(posedge clk_i) begin
    if (write) mem_q[place] <= raw_in;
  end
  assign raw_out = mem_q[place_t'(read_q)];

  logic [BufferBeats-1:0] valid_q;
  logic [5:0] open_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      alloc_q <= '0;
      read_q  <= '0;
      valid_q <= '0;
      count_q <= '0;
      open_q  <= '0;
    end else begin
      if (note_valid_i) alloc_q <= alloc_q + (note_i.marker ? 8'd1 : 8'(note_beats_i));
      if (pop) begin
        read_q                    <= read_q + 1'b1;
        valid_q[place_t'(read_q)] <= 1'b0;
      end
      if (write) valid_q[place] <= 1'b1;
      if (beat) count_q[queue] <= r_i.last ? '0 : count_q[queue] + 1'b1;
      open_q <= open_q + 6'(note_valid_i && !note_i.marker) - 6'(beat && r_i.last);
    end
  end
  assign open_o = open_q != '0;
  assign raw_valid_o = valid_q[place_t'(read_q)];
  assign raw_data_o = raw_out.data;
  assign raw_error_o = raw_out.error;
  assign raw_last_o = raw_out.last;

  // Where a descriptor has failed already, what comes here is no news to its slot.
  assign fault_o = write && raw_in.error;
  assign fault_queue_o = queue;
  always_comb begin
    fault_info_o.slot   = now.note.slot;
    fault_info_o.status = marker ? StatusAborted : StatusReadError;
    fault_info_o.addr   = now.note.addr + (marker ? '0 : {32'b0, count_q[queue], 3'b0});
  end

  logic unused;
  assign unused = ^r_i.id;
`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) beat |-> waits[queue] && !now.note.marker);
  assert property (@(posedge clk_i) disable iff (!rst_ni) write |-> !valid_q[place]);
  assert property (@(posedge clk_i) disable iff (!rst_ni) note_valid_i |-> note_space_o[note_queue_i]);
  assert property (@(posedge clk_i) disable iff (!rst_ni) free_o <= 8'(BufferBeats));
`endif
endmodule
