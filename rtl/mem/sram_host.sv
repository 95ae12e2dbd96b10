// The host window: one 32-bit access at a time, answered from registers.
module sram_host
  import sram_pkg::*;
  import tern_pkg::*;
(
    input  logic      clk_i,
    input  logic      rst_ni,
    input  win_req_t  win_req_i,
    output reg_rsp_t  win_rsp_o,
    output word_req_t req_o,
    input  word_rsp_t rsp_i
);

  logic pending_q;
  reg_rsp_t rsp_q;

  always_comb begin
    req_o.valid = win_req_i.valid && !pending_q && !rsp_q.ready;
    req_o.write = win_req_i.write;
    req_o.addr  = win_req_i.addr[15:3];
    req_o.data  = {win_req_i.wdata, win_req_i.wdata};
    req_o.strb  = win_req_i.addr[2] ? {win_req_i.strb, 4'h0} : {4'h0, win_req_i.strb};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q <= 1'b0;
      rsp_q <= '0;
    end else begin
      pending_q   <= rsp_i.grant;
      rsp_q.ready <= rsp_i.rvalid || rsp_i.done;
      rsp_q.error <= rsp_i.error;
      // No data of an uncorrectable word leaves by accident.
      if (rsp_i.rvalid) rsp_q.rdata <= rsp_i.error ? '0 : win_req_i.addr[2] ? rsp_i.rdata[63:32] : rsp_i.rdata[31:0];
      else rsp_q.rdata <= '0;
    end
  end

  assign win_rsp_o = rsp_q;

  logic unused;
  assign unused = ^win_req_i.addr[1:0];

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   win_req_i.valid && !win_rsp_o.ready |=> win_req_i.valid && $stable(win_req_i))
  else $error("window request changed while it waited");
  assert property (@(posedge clk_i) disable iff (!rst_ni) win_rsp_o.ready |-> win_req_i.valid)
  else $error("window answer without a request");
`endif

endmodule
