// The DMA engine with flat ports for its testbench.
module dma_bench_top (
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
    input  logic        throttle_i,
    output logic        irq_o,
    output logic [3:0]  activity_o,
    output logic        clock_on_o,
    output logic        sem_attempt_o,
    output logic [3:0]  sem_attempt_sem_o,
    output logic [3:0]  sem_count_o,
    output logic        sem_give_o,
    output logic [3:0]  sem_give_sem_o,
    input  logic        sem_taken_i,
    output logic        m_aw_valid,
    input  logic        m_aw_ready,
    output logic [3:0]  m_aw_id,
    output logic [39:0] m_aw_addr,
    output logic [7:0]  m_aw_len,
    output logic        m_w_valid,
    input  logic        m_w_ready,
    output logic [63:0] m_w_data,
    output logic [7:0]  m_w_strb,
    output logic        m_w_last,
    input  logic        m_b_valid,
    output logic        m_b_ready,
    input  logic [3:0]  m_b_id,
    input  logic [1:0]  m_b_resp,
    output logic        m_ar_valid,
    input  logic        m_ar_ready,
    output logic [3:0]  m_ar_id,
    output logic [39:0] m_ar_addr,
    output logic [7:0]  m_ar_len,
    input  logic        m_r_valid,
    output logic        m_r_ready,
    input  logic [3:0]  m_r_id,
    input  logic [63:0] m_r_data,
    input  logic [1:0]  m_r_resp,
    input  logic        m_r_last
);
  import tern_pkg::*;

  reg_req_t reg_req;
  reg_rsp_t reg_rsp;
  assign reg_req = '{valid: reg_valid_i, write: reg_write_i, addr: reg_addr_i, wdata: reg_wdata_i, strb: reg_strb_i};
  assign reg_ready_o = reg_rsp.ready;
  assign reg_error_o = reg_rsp.error;
  assign reg_rdata_o = reg_rsp.rdata;
  sem_req_t sem_req;
  sem_rsp_t sem_rsp;
  assign sem_attempt_o = sem_req.attempt;
  assign sem_attempt_sem_o = sem_req.attempt_sem;
  assign sem_count_o = sem_req.count;
  assign sem_give_o = sem_req.give;
  assign sem_give_sem_o = sem_req.give_sem;
  assign sem_rsp.taken = sem_taken_i;
  axi_req_t m_req;
  axi_rsp_t m_rsp;
  assign m_aw_valid = m_req.aw_valid;
  assign {m_aw_id, m_aw_addr, m_aw_len} = m_req.aw;
  assign m_w_valid = m_req.w_valid;
  assign {m_w_data, m_w_strb, m_w_last} = m_req.w;
  assign m_b_ready = m_req.b_ready;
  assign m_ar_valid = m_req.ar_valid;
  assign {m_ar_id, m_ar_addr, m_ar_len} = m_req.ar;
  assign m_r_ready = m_req.r_ready;
  always_comb begin
    m_rsp.aw_ready = m_aw_ready;
    m_rsp.w_ready  = m_w_ready;
    m_rsp.b_valid  = m_b_valid;
    m_rsp.b        = '{id: m_b_id, resp: axi_resp_e'(m_b_resp)};
    m_rsp.ar_ready = m_ar_ready;
    m_rsp.r_valid  = m_r_valid;
    m_rsp.r        = '{id: m_r_id, data: m_r_data, resp: axi_resp_e'(m_r_resp), last: m_r_last};
  end

  dma u_dma (
      .clk_i, .rst_ni, .reg_req_i(reg_req), .reg_rsp_o(reg_rsp), .axi_req_o(m_req), .axi_rsp_i(m_rsp),
      .sem_req_o(sem_req), .sem_rsp_i(sem_rsp), .throttle_i, .irq_o, .activity_o, .clock_on_o);
endmodule
