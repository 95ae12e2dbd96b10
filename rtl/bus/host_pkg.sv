// What travels between the host port and the blocks behind it.
package host_pkg;
  import tern_pkg::*;

  parameter int unsigned HostAddrWidth = 24;

  // One access of the host, word-aligned. valid stays until ready, the rest is stable meanwhile.
  typedef struct packed {
    logic                     valid;
    logic                     write;
    logic [HostAddrWidth-1:0] addr;
    logic [31:0]              wdata;
    logic [3:0]               strb;
  } host_req_t;
  typedef struct packed {
    logic        ready;
    axi_resp_e   resp;
    logic [31:0] rdata;
  } host_rsp_t;

  // Who answers in the core domain.
  typedef enum logic [2:0] {
    CoreWindow = 3'd0,
    CoreSram   = 3'd1,
    CoreDma0   = 3'd2,
    CoreDma1   = 3'd3,
    CoreLink   = 3'd4,
    CoreTensor = 3'd5,
    CoreHbm    = 3'd6,
    CoreMesh   = 3'd7
  } core_target_e;

  // The payload that crosses to the core domain, and what comes back.
  typedef struct packed {
    core_target_e             target;
    logic                     write;
    logic [SramAddrWidth-1:0] addr;
    logic [31:0]              wdata;
    logic [3:0]               strb;
  } core_access_t;
  typedef struct packed {
    logic        error;
    logic [31:0] rdata;
  } core_answer_t;

  // What went wrong with an access, in the cycle in which it is answered.
  typedef struct packed {
    logic                     timeout;
    logic                     unmapped;
    logic                     refused;
    logic [HostAddrWidth-1:0] addr;
    logic                     write;
  } host_event_t;

endpackage
