// Types and constants that more than one block of Tern needs.
package tern_pkg;

  // A block that is linted or verilated alone uses a part of these.
  /* verilator lint_off UNUSEDPARAM */

  // Rails, in the order of their bits on rail_pgood_i.
  parameter int unsigned NumRails = 5;
  typedef enum logic [2:0] {
    RailAon    = 3'd0,
    RailCore   = 3'd1,
    RailSram   = 3'd2,
    RailHbm    = 3'd3,
    RailSerdes = 3'd4
  } rail_e;

  // Thermal zones; zone z sits on rail z + 1.
  parameter int unsigned NumZones = 4;
  typedef logic signed [11:0] temp_t;  // LSB 0.125 degC

  // Register bus: one outstanding access, ready answers valid, rdata and error count only with ready.
  parameter int unsigned RegAddrWidth = 12;  // a block's window is 4 KiB
  typedef struct packed {
    logic                    valid;
    logic                    write;
    logic [RegAddrWidth-1:0] addr;
    logic [31:0]             wdata;
    logic [3:0]              strb;
  } reg_req_t;
  typedef struct packed {
    logic        ready;
    logic        error;
    logic [31:0] rdata;
  } reg_rsp_t;

  // The same for the SRAM window of the host port.
  parameter int unsigned SramAddrWidth = 16;
  typedef struct packed {
    logic                     valid;
    logic                     write;
    logic [SramAddrWidth-1:0] addr;
    logic [31:0]              wdata;
    logic [3:0]               strb;
  } win_req_t;

  // AXI4 inside Tern and on its memory port.
  parameter int unsigned AxiAddrWidth = 40;
  parameter int unsigned AxiDataWidth = 64;
  parameter int unsigned AxiStrbWidth = AxiDataWidth / 8;
  parameter int unsigned AxiIdWidth = 4;

  typedef enum logic [1:0] {
    AxiOkay   = 2'b00,
    AxiExOkay = 2'b01,
    AxiSlvErr = 2'b10,
    AxiDecErr = 2'b11
  } axi_resp_e;

  // AXI4 channels, manager to subordinate and back. INCR bursts of full width only, so burst, size, lock, cache, prot and
  // qos are constants at the chip's edge and do not travel inside.
  typedef struct packed {
    logic [AxiIdWidth-1:0]   id;
    logic [AxiAddrWidth-1:0] addr;
    logic [7:0]              len;  // beats - 1
  } axi_ax_t;
  typedef struct packed {
    logic [AxiDataWidth-1:0] data;
    logic [AxiStrbWidth-1:0] strb;
    logic                    last;
  } axi_w_t;
  typedef struct packed {
    logic [AxiIdWidth-1:0] id;
    axi_resp_e             resp;
  } axi_b_t;
  typedef struct packed {
    logic [AxiIdWidth-1:0]   id;
    logic [AxiDataWidth-1:0] data;
    axi_resp_e               resp;
    logic                    last;
  } axi_r_t;
  typedef struct packed {
    logic    aw_valid;
    axi_ax_t aw;
    logic    w_valid;
    axi_w_t  w;
    logic    b_ready;
    logic    ar_valid;
    axi_ax_t ar;
    logic    r_ready;
  } axi_req_t;
  typedef struct packed {
    logic   aw_ready;
    logic   w_ready;
    logic   b_valid;
    axi_b_t b;
    logic   ar_ready;
    logic   r_valid;
    axi_r_t r;
  } axi_rsp_t;

  // Semaphores of the tensor engine, as others than its own units use them. An attempt takes `count` off in one cycle if there are as many;
  // the answer comes in the cycle after. `give` adds 1.
  typedef struct packed {
    logic       attempt;
    logic [3:0] attempt_sem;
    logic [3:0] count;
    logic       give;
    logic [3:0] give_sem;
  } sem_req_t;
  typedef struct packed {
    logic taken;
  } sem_rsp_t;

  // Chip-to-chip link.
  parameter int unsigned NumLanes = 4;
  parameter int unsigned LaneWidth = 16;  // bits a lane and core cycle
  parameter int unsigned FlitWidth = 64;

endpackage
