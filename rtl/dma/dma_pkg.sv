// Formats and constants of the DMA engine. docs/dma.md says the same to programmers.
package dma_pkg;
  import tern_axi_map_pkg::*;
  import tern_pkg::*;

  parameter int unsigned IndexWidth = 16;
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [AxiAddrWidth-1:0] addr_t;

  // AXI IDs by purpose.
  parameter logic [AxiIdWidth-1:0] IdFetch = 4'd0;
  parameter logic [AxiIdWidth-1:0] IdRead = 4'd1;
  parameter logic [AxiIdWidth-1:0] IdWrite = 4'd2;
  parameter logic [AxiIdWidth-1:0] IdComplete = 4'd3;

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
  typedef struct packed {
    logic [1:0]  phase;
    logic [37:0] zero3;
    logic [15:0] magic;
    logic [7:0]  opcode;
    logic [29:0] zero2;
    logic        fence;
    logic        irq;
    logic [15:0] tag;
    logic [15:0] length;
    logic [23:0] zero1;
    addr_t       dst;
    logic [23:0] zero0;
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
    logic [14:0] zero0;
    logic [16:0] bytes;
    index_t      index;
    logic [15:0] tag;
  } completion_t;

  // Descriptors in flight live in slots, used in turn.
  parameter int unsigned NumSlots = 4;
  typedef logic [1:0] slot_t;
  typedef struct packed {
    logic [15:0] tag;
    index_t      index;
    logic        irq;
    status_e     status;  // StatusOk until something goes wrong before or while reading
    addr_t       addr;    // what failed
  } slot_info_t;

  typedef struct packed {
    slot_t       slot;
    logic        run;    // 0: nothing to move, the slot only reports
    addr_t       src;
    addr_t       dst;
    logic [16:0] bytes;
  } job_t;

  // What software has set.
  typedef struct packed {
    logic       enable;
    logic       halt_on_error;
    logic       long_bursts;
    addr_t      ring_base;
    logic [3:0] ring_log2;
    addr_t      comp_base;
    logic [3:0] comp_log2;
    index_t     consumer;
    logic       throttled;
    logic [7:0] throttle_run;
    logic [7:0] throttle_period;
  } config_t;
  parameter logic [3:0] MinLog2 = 4'd2;
  parameter logic [3:0] MaxLog2 = 4'd12;

  // What software asks for now.
  typedef struct packed {
    logic   abort_all;
    logic   resume;
    logic   reset_rings;
    logic   doorbell;
    index_t doorbell_tail;
  } command_t;

  // What the engine is, and what happens in this cycle.
  typedef struct packed {
    logic       busy;
    logic       halted;
    logic       draining;
    logic       comp_full;
    logic       bad_config;
    logic [2:0] in_flight;
    index_t     tail;
    index_t     head;
    index_t     producer;
    logic       outstanding;  // AXI beats are owed to us or by us
  } state_t;
  typedef struct packed {
    logic       ended;
    logic       read_beat;
    logic [3:0] strobes;
    logic       moves;        // a beat on any AXI channel
    logic       reset_done;
    logic       refused;
    logic       halted;
    logic       overrun;
    logic       comp_full;
    logic       comp_done_irq;
    logic       comp_lost;
    logic       read_stall;
    logic       write_stall;
    logic       throttled;
  } event_t;

  // Lengths in beats: 64 KiB touch 8193 beats at most.
  typedef logic [13:0] beats_t;
  typedef logic [5:0] burst_t;  // of one burst, 32 at most

  // A burst whose data is complete in the write buffer, or a note that a descriptor has ended without more data.
  typedef struct packed {
    slot_t      slot;
    addr_t      addr;
    burst_t     beats;  // 0: nothing to write
    logic [8:0] bytes;
    logic       last;   // of its descriptor
    logic       bad;    // the descriptor's data ends here, too early
  } token_t;

  typedef struct packed {
    logic [15:0] tag;
    index_t      index;
    logic        irq;
    status_e     status;
    addr_t       addr;
    logic [16:0] bytes;
  } result_t;

  function automatic logic in_window(addr_t addr, logic [16:0] bytes, addr_t base, addr_t size);
    logic [AxiAddrWidth:0] first, past;
    first = {1'b0, addr};
    past = first + {24'b0, bytes};
    return first >= {1'b0, base} && past <= {1'b0, base} + {1'b0, size};
  endfunction

  // The whole range lies in one window.
  function automatic logic reachable(addr_t addr, logic [16:0] bytes);
    return in_window(addr, bytes, AxiSramBase, AxiSramBytes) || in_window(addr, bytes, AxiHbmBase, AxiHbmBytes) ||
        in_window(addr, bytes, AxiHostBase, AxiHostBytes) || in_window(addr, bytes, AxiPeerBase, AxiPeerBytes);
  endfunction

  // Beats from `beat` (address bits 7..3) up to the next multiple of the burst size, so that no burst crosses 4 KiB (AMBA AXI4, A3.4.1).
  function automatic burst_t beats_to_boundary(logic [4:0] beat, logic long_bursts);
    return long_bursts ? 6'd32 - {1'b0, beat} : 6'd16 - {2'b0, beat[3:0]};
  endfunction
endpackage
