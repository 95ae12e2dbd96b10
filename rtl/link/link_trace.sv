// The last 64 transitions of the training machine, 8 bytes each: the time, then {cause, from, to}. Read by the register port.
module link_trace
  import link_pkg::*;
  import tern_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input logic   clear_i,
    input logic   moved_i,
    input state_e from_i,
    input state_e to_i,
    input cause_e cause_i,

    output logic [31:0] time_o,   // core cycles since reset
    output logic [5:0]  next_o,   // where the next entry goes
    output logic [6:0]  count_o,  // entries that are valid
    output logic [15:0] wraps_o,

    input  reg_req_t req_i,
    output reg_rsp_t rsp_o
);

  typedef struct packed {
    logic [4:0]  cause;
    logic [2:0]  from;
    logic [2:0]  to;
    logic [31:0] stamp;
  } entry_t;

  entry_t mem_q[64];
  entry_t entry;
  logic [31:0] time_q;
  logic [5:0] next_q;
  logic [6:0] count_q;
  logic [15:0] wraps_q;

  always_ff @(posedge clk_i) begin
    if (moved_i) mem_q[next_q] <= {cause_i, from_i, to_i, time_q};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      time_q  <= '0;
      next_q  <= '0;
      count_q <= '0;
      wraps_q <= '0;
    end else begin
      time_q <= time_q + 32'd1;
      if (clear_i) begin
        next_q  <= '0;
        count_q <= '0;
        wraps_q <= '0;
      end else if (moved_i) begin
        next_q <= next_q + 6'd1;
        if (!count_q[6]) count_q <= count_q + 7'd1;
        if (next_q == '1 && wraps_q != '1) wraps_q <= wraps_q + 16'd1;
      end
    end
  end

  assign time_o = time_q;
  assign next_o = next_q;
  assign count_o = count_q;
  assign wraps_o = wraps_q;

  logic unused;
  assign unused = ^req_i;

  assign entry = {7'(req_i.addr[8:3])} < count_q ? mem_q[req_i.addr[8:3]] : '0;
  always_comb begin
    rsp_o.ready = req_i.valid;
    rsp_o.error = req_i.write;
    rsp_o.rdata = req_i.addr[2] ? {11'd0, entry.cause, 5'd0, entry.from, 5'd0, entry.to} : entry.stamp;
  end

endmodule
