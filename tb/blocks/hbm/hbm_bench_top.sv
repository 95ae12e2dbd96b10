// The external memory's controller with flat ports for its testbench: the fabric on `up`, the pins on `mem`.
module hbm_bench_top (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        reg_valid_i,
    input  logic        reg_write_i,
    input  logic [11:0] reg_addr_i,
    input  logic [31:0] reg_wdata_i,
    input  logic [3:0]  reg_strb_i,
    output logic        reg_ready_o,
    output logic        reg_error_o,
    output logic [31:0] reg_rdata_o,
    input  logic        up_aw_valid,
    output logic        up_aw_ready,
    input  logic [3:0]  up_aw_id,
    input  logic [39:0] up_aw_addr,
    input  logic [7:0]  up_aw_len,
    input  logic        up_w_valid,
    output logic        up_w_ready,
    input  logic [63:0] up_w_data,
    input  logic [7:0]  up_w_strb,
    input  logic        up_w_last,
    output logic        up_b_valid,
    input  logic        up_b_ready,
    output logic [3:0]  up_b_id,
    output logic [1:0]  up_b_resp,
    input  logic        up_ar_valid,
    output logic        up_ar_ready,
    input  logic [3:0]  up_ar_id,
    input  logic [39:0] up_ar_addr,
    input  logic [7:0]  up_ar_len,
    output logic        up_r_valid,
    input  logic        up_r_ready,
    output logic [3:0]  up_r_id,
    output logic [63:0] up_r_data,
    output logic [1:0]  up_r_resp,
    output logic        up_r_last,
    output logic        mem_aw_valid,
    input  logic        mem_aw_ready,
    output logic [3:0]  mem_aw_id,
    output logic [39:0] mem_aw_addr,
    output logic [7:0]  mem_aw_len,
    output logic        mem_w_valid,
    input  logic        mem_w_ready,
    output logic [63:0] mem_w_data,
    output logic [7:0]  mem_w_strb,
    output logic        mem_w_last,
    input  logic        mem_b_valid,
    output logic        mem_b_ready,
    input  logic [3:0]  mem_b_id,
    input  logic [1:0]  mem_b_resp,
    output logic        mem_ar_valid,
    input  logic        mem_ar_ready,
    output logic [3:0]  mem_ar_id,
    output logic [39:0] mem_ar_addr,
    output logic [7:0]  mem_ar_len,
    input  logic        mem_r_valid,
    output logic        mem_r_ready,
    input  logic [3:0]  mem_r_id,
    input  logic [63:0] mem_r_data,
    input  logic [1:0]  mem_r_resp,
    input  logic        mem_r_last,
    output logic [47:0] rd_delay_o,
    output logic [47:0] wr_delay_o,
    output logic        irq_o,
    output logic        clock_on_o
);
  import tern_pkg::*;

  axi_req_t up_req, mem_req;
  axi_rsp_t up_rsp, mem_rsp;
  reg_req_t reg_req;
  reg_rsp_t reg_rsp;
  assign reg_req = '{valid: reg_valid_i, write: reg_write_i, addr: reg_addr_i, wdata: reg_wdata_i, strb: reg_strb_i};
  assign {reg_ready_o, reg_error_o, reg_rdata_o} = reg_rsp;

  always_comb begin
    up_req.aw_valid = up_aw_valid;
    up_req.aw       = '{id: up_aw_id, addr: up_aw_addr, len: up_aw_len};
    up_req.w_valid  = up_w_valid;
    up_req.w        = '{data: up_w_data, strb: up_w_strb, last: up_w_last};
    up_req.b_ready  = up_b_ready;
    up_req.ar_valid = up_ar_valid;
    up_req.ar       = '{id: up_ar_id, addr: up_ar_addr, len: up_ar_len};
    up_req.r_ready  = up_r_ready;
  end
  assign up_aw_ready = up_rsp.aw_ready;
  assign up_w_ready = up_rsp.w_ready;
  assign up_b_valid = up_rsp.b_valid;
  assign up_b_id = up_rsp.b.id;
  assign up_b_resp = up_rsp.b.resp;
  assign up_ar_ready = up_rsp.ar_ready;
  assign up_r_valid = up_rsp.r_valid;
  assign up_r_id = up_rsp.r.id;
  assign up_r_data = up_rsp.r.data;
  assign up_r_resp = up_rsp.r.resp;
  assign up_r_last = up_rsp.r.last;

  assign mem_aw_valid = mem_req.aw_valid;
  assign {mem_aw_id, mem_aw_addr, mem_aw_len} = mem_req.aw;
  assign mem_w_valid = mem_req.w_valid;
  assign {mem_w_data, mem_w_strb, mem_w_last} = mem_req.w;
  assign mem_b_ready = mem_req.b_ready;
  assign mem_ar_valid = mem_req.ar_valid;
  assign {mem_ar_id, mem_ar_addr, mem_ar_len} = mem_req.ar;
  assign mem_r_ready = mem_req.r_ready;
  always_comb begin
    mem_rsp.aw_ready = mem_aw_ready;
    mem_rsp.w_ready  = mem_w_ready;
    mem_rsp.b_valid  = mem_b_valid;
    mem_rsp.b        = '{id: mem_b_id, resp: axi_resp_e'(mem_b_resp)};
    mem_rsp.ar_ready = mem_ar_ready;
    mem_rsp.r_valid  = mem_r_valid;
    mem_rsp.r        = '{id: mem_r_id, data: mem_r_data, resp: axi_resp_e'(mem_r_resp), last: mem_r_last};
  end

  hbm i_hbm (
      .clk_i,
      .rst_ni,
      .reg_req_i(reg_req),
      .reg_rsp_o(reg_rsp),
      .axi_req_i(up_req),
      .axi_rsp_o(up_rsp),
      .axi_req_o(mem_req),
      .axi_rsp_i(mem_rsp),
      .rd_delay_o,
      .wr_delay_o,
      .irq_o,
      .clock_on_o
  );
endmodule
