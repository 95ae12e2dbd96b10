// Types inside the SRAM block.
package sram_pkg;

  parameter int unsigned Words = 8192;
  parameter int unsigned WordAddrWidth = 13;

  typedef logic [WordAddrWidth-1:0] word_addr_t;

  // Rows of the array: one a word, and spare ones behind them.
  parameter int unsigned Spares = 4;
  parameter int unsigned RowAddrWidth = 14;
  typedef logic [RowAddrWidth-1:0] row_addr_t;

  typedef enum logic [1:0] {
    SourceHost = 2'd0,
    SourceAxiRead = 2'd1,
    SourceAxiWrite = 2'd2
  } source_e;

  // One word access of a requester. Stays stable until granted (reads) or done (writes).
  typedef struct packed {
    logic        valid;
    logic        write;
    word_addr_t  addr;
    logic [63:0] data;
    logic [7:0]  strb;
  } word_req_t;

  // `grant` takes a read, whose answer comes with `rvalid` in the next cycle; `done` ends a write, with `error`.
  typedef struct packed {
    logic        grant;
    logic        done;
    logic        rvalid;
    logic        error;
    logic [63:0] rdata;
  } word_rsp_t;

  // One access of the bare array by a maintenance engine; data come a cycle after a read.
  typedef struct packed {
    logic              valid;
    logic              write;
    word_addr_t        addr;
    secded_pkg::code_t code;
  } raw_req_t;

  // What a functional read found.
  typedef struct packed {
    logic       corrected;
    logic       uncorrected;
    word_addr_t addr;
    logic [7:0] syndrome;
    source_e    source;
  } ecc_event_t;

endpackage
