// Formats, constants and the words between the modules of the DMA engine. docs/dma.md says the same to programmers.
package dma_pkg;
  import tern_axi_map_pkg::*;
  import tern_pkg::*;

  parameter int unsigned IndexWidth = 16;
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [AxiAddrWidth-1:0] addr_t;

  parameter int unsigned NumQueues = 4;
  typedef logic [1:0] queue_t;

  // AXI IDs: the engine, data or rings, the queue.
  function automatic logic [AxiIdWidth-1:0] id_of(logic engine, logic data, queue_t queue);
    return {engine, data, queue};
  endfunction
  parameter int unsigned IdDataBit = 2;

  typedef enum logic [3:0] {
    StatusOk            = 4'd0,
    StatusBadDescriptor = 4'd1,
    StatusBadAddress    = 4'd2,
    StatusReadError     = 4'd3,
    StatusWriteError    = 4'd4,
    StatusPhaseMismatch = 4'd5,
    StatusAborted       = 4'd6,
    StatusFetchError    = 4'd7
  } status_e;
  parameter int unsigned NumStatus = 8;

  // A descriptor, 32 bytes, the word at the lowest address last here.
  parameter logic [7:0] OpCopy = 8'h01;
  parameter logic [15:0] Magic = 16'h7E52;
  typedef logic [23:0] stride_t;
  typedef struct packed {
    logic [1:0]  phase;
    logic [24:0] zero3;
    logic        signal;
    logic [3:0]  signal_sem;
    logic [3:0]  wait_count;
    logic [3:0]  wait_sem;
    logic [15:0] magic;
    logic [7:0]  opcode;
    logic [12:0] zero2;
    logic [15:0] rows;
    logic        chain;
    logic        dmb;
    logic        irq;
    logic [15:0] tag;
    logic [15:0] length;
    stride_t     dst_stride;
    addr_t       dst;
    stride_t     src_stride;
    addr_t       src;
  } descriptor_t;

  typedef struct packed {
    descriptor_t desc;
    index_t      index;
    addr_t       addr;   // where it was read
    logic        error;  // the read of it failed
  } fetched_t;

  // A completion record, 16 bytes.
  typedef struct packed {
    logic [1:0]  phase;
    logic [13:0] zero1;
    addr_t       addr;
    logic [3:0]  zero_status;
    status_e     status;
    logic [31:0] bytes;
    index_t      index;
    logic [15:0] tag;
  } completion_t;

  // Descriptors in flight live in slots of their queue, used in turn.
  parameter int unsigned NumSlots = 4;
  typedef logic [1:0] slot_t;
  typedef struct packed {
    logic [15:0] tag;
    index_t      index;
    logic        irq;
    logic        chain;       // not the last of its transfer
    logic        signal;
    logic [3:0]  signal_sem;
    status_e     status;      // StatusOk until something goes wrong before or while reading
    addr_t       addr;        // what failed
  } slot_info_t;

  // What a started descriptor moves.
  typedef logic [16:0] length_t;
  typedef struct packed {
    slot_t       slot;
    addr_t       src;
    addr_t       dst;
    stride_t     src_stride;
    stride_t     dst_stride;
    length_t     length;
    logic [15:0] rows;  // 1 or more
  } move_t;

  // A piece of a row: it ends with the row, or at a multiple of PieceBytes of the destination.
  parameter int unsigned PieceBytes = 1024;
  typedef logic [10:0] piece_t;
  typedef struct packed {
    queue_t qid;
    slot_t  slot;
    logic   last;   // of its descriptor
    logic   cut;    // nothing to move, the descriptor ends here
    addr_t  src;
    addr_t  dst;
    piece_t bytes;
  } job_t;

  // What software has set: for the engine, for a queue.
  typedef struct packed {
    logic       long_bursts;
    logic       throttled;
    logic [7:0] throttle_run;
    logic [7:0] throttle_period;
  } config_t;
  typedef struct packed {
    logic       enable;
    logic       halt_on_error;
    addr_t      ring_base;
    logic [3:0] ring_log2;
    addr_t      comp_base;
    logic [3:0] comp_log2;
    index_t     consumer;
  } queue_config_t;
  parameter logic [3:0] MinLog2 = 4'd2;
  parameter logic [3:0] MaxLog2 = 4'd12;

  // What software asks of a queue now.
  typedef struct packed {
    logic   abort_all;
    logic   resume;
    logic   reset;
    logic   doorbell;
    index_t doorbell_tail;
  } queue_command_t;

  // What a queue is, and what happens to it in this cycle.
  typedef struct packed {
    logic       busy;
    logic       quiet;        // nothing in flight, and nothing that can start now
    logic       halted;
    logic       draining;
    logic       comp_full;
    logic       waiting;
    logic       chain;
    logic       bad_config;
    logic       moving;       // descriptors are in flight
    logic       ring_access;  // reads of descriptors or writes of completions are under way
    logic [2:0] in_flight;
    index_t     tail;
    index_t     head;
    index_t     producer;
  } queue_state_t;
  typedef struct packed {
    logic descriptor_end;
    logic transfer_end;
    logic reset_done;
    logic refused;
    logic halted;
    logic overrun;
    logic comp_full;
    logic comp_done_irq;
    logic comp_lost;
    logic waits;
  } queue_event_t;
  typedef struct packed {
    logic       read_beat;
    logic [3:0] strobes;
    logic       moves;        // a beat on any AXI channel
    logic       outstanding;  // AXI beats are owed to us or by us
    logic       read_stall;
    logic       write_stall;
    logic       throttled;
  } event_t;

  // Lengths in beats: a piece touches 129 beats at most.
  typedef logic [7:0] beats_t;
  typedef logic [5:0] burst_t;  // of one burst, 32 at most

  // A burst that was asked for, or (marker) a note that a piece ends without more data.
  typedef struct packed {
    logic       marker;
    logic       last;    // of its piece
    slot_t      slot;
    addr_t      addr;
  } note_t;

  // What went wrong while reading.
  typedef struct packed {
    slot_t   slot;
    status_e status;
    addr_t   addr;
  } fault_t;

  // A burst whose data is complete in the write buffer, or a note that a piece has ended without more data.
  typedef struct packed {
    queue_t     qid;
    slot_t      slot;
    addr_t      addr;
    burst_t     beats;  // 0: nothing to write
    logic [8:0] bytes;
    logic       last;   // of its descriptor
    logic       bad;    // the piece's data ends here, too early
  } token_t;

  // The end of a transfer.
  typedef struct packed {
    logic [15:0] tag;
    index_t      index;
    logic        irq;
    status_e     status;
    addr_t       addr;
    logic [31:0] bytes;
  } result_t;

  typedef logic [AxiAddrWidth:0] extent_t;  // bytes from the first of the first row to the last of the last row
  function automatic logic in_window(addr_t addr, extent_t bytes, addr_t base, addr_t size);
    logic [AxiAddrWidth+1:0] first, past;
    first = {2'b0, addr};
    past = first + {1'b0, bytes};
    return first >= {2'b0, base} && past <= {2'b0, base} + {2'b0, size};
  endfunction

  // The whole range lies in one region of the map; of the mesh's, in the part of one chip (8 GiB).
  function automatic logic reachable(addr_t addr, extent_t bytes);
    return in_window(addr, bytes, AxiSramBase, AxiSramBytes) || in_window(addr, bytes, AxiHbmBase, AxiHbmBytes) ||
        in_window(addr, bytes, AxiHostBase, AxiHostBytes) || in_window(addr, bytes, AxiPeerBase, AxiPeerBytes) ||
        in_window(addr, bytes, AxiScratchpadBase, AxiScratchpadBytes) ||
        (addr >= AxiMeshBase && in_window(addr, bytes, {addr[39:33], 33'd0}, 40'h02_0000_0000));
  endfunction

  // Beats from `beat` (address bits 7..3) up to the next multiple of the burst size, so that no burst crosses 4 KiB (AMBA AXI4, A3.4.1).
  function automatic burst_t beats_to_boundary(logic [4:0] beat, logic long_bursts);
    return long_bursts ? 6'd32 - {1'b0, beat} : 6'd16 - {2'b0, beat[3:0]};
  endfunction
endpackage
