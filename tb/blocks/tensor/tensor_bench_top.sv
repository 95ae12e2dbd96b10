// The tensor engine with flat ports for its testbench: `s_` is the scratchpad on the bus, `f_` fetches programs.
module tensor_bench_top
  import tern_pkg::*;
#(
    parameter int unsigned ROWS = 4,
    parameter int unsigned COLS = 4
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         reg_valid_i,
    input  logic         reg_write_i,
    input  logic [ 11:0] reg_addr_i,
    input  logic [ 31:0] reg_wdata_i,
    input  logic [  3:0] reg_strb_i,
    output logic         reg_ready_o,
    output logic         reg_error_o,
    output logic [ 31:0] reg_rdata_o,
    input  logic         instr_valid_i,
    input  logic [127:0] instr_i,
    output logic         instr_ready_o,
    input  logic         s_aw_valid,
    output logic         s_aw_ready,
    input  logic [3:0]   s_aw_id,
    input  logic [39:0]  s_aw_addr,
    input  logic [7:0]   s_aw_len,
    input  logic         s_w_valid,
    output logic         s_w_ready,
    input  logic [63:0]  s_w_data,
    input  logic [7:0]   s_w_strb,
    input  logic         s_w_last,
    output logic         s_b_valid,
    input  logic         s_b_ready,
    output logic [3:0]   s_b_id,
    output logic [1:0]   s_b_resp,
    input  logic         s_ar_valid,
    output logic         s_ar_ready,
    input  logic [3:0]   s_ar_id,
    input  logic [39:0]  s_ar_addr,
    input  logic [7:0]   s_ar_len,
    output logic         s_r_valid,
    input  logic         s_r_ready,
    output logic [3:0]   s_r_id,
    output logic [63:0]  s_r_data,
    output logic [1:0]   s_r_resp,
    output logic         s_r_last,
    output logic         f_aw_valid,
    input  logic         f_aw_ready,
    output logic [3:0]   f_aw_id,
    output logic [39:0]  f_aw_addr,
    output logic [7:0]   f_aw_len,
    output logic         f_w_valid,
    input  logic         f_w_ready,
    output logic [63:0]  f_w_data,
    output logic [7:0]   f_w_strb,
    output logic         f_w_last,
    input  logic         f_b_valid,
    output logic         f_b_ready,
    input  logic [3:0]   f_b_id,
    input  logic [1:0]   f_b_resp,
    output logic         f_ar_valid,
    input  logic         f_ar_ready,
    output logic [3:0]   f_ar_id,
    output logic [39:0]  f_ar_addr,
    output logic [7:0]   f_ar_len,
    input  logic         f_r_valid,
    output logic         f_r_ready,
    input  logic [3:0]   f_r_id,
    input  logic [63:0]  f_r_data,
    input  logic [1:0]   f_r_resp,
    input  logic         f_r_last,
    // Semaphores, engine 0 in the low bits.
    input  logic [  1:0] sem_attempt_i,
    input  logic [  7:0] sem_attempt_sem_i,
    input  logic [  7:0] sem_count_i,
    input  logic [  1:0] sem_give_i,
    input  logic [  7:0] sem_give_sem_i,
    output logic [  1:0] sem_taken_o,
    input  logic [  2:0] throttle_i,
    output logic         irq_o,
    output logic [  3:0] activity_o,
    output logic         clock_on_o
);
  reg_req_t reg_req;
  reg_rsp_t reg_rsp;
  assign reg_req = '{valid: reg_valid_i, write: reg_write_i, addr: reg_addr_i, wdata: reg_wdata_i, strb: reg_strb_i};
  assign {reg_ready_o, reg_error_o, reg_rdata_o} = reg_rsp;

  axi_req_t s_req, f_req;
  axi_rsp_t s_rsp, f_rsp;
  always_comb begin
    s_req.aw_valid = s_aw_valid;
    s_req.aw       = '{id: s_aw_id, addr: s_aw_addr, len: s_aw_len};
    s_req.w_valid  = s_w_valid;
    s_req.w        = '{data: s_w_data, strb: s_w_strb, last: s_w_last};
    s_req.b_ready  = s_b_ready;
    s_req.ar_valid = s_ar_valid;
    s_req.ar       = '{id: s_ar_id, addr: s_ar_addr, len: s_ar_len};
    s_req.r_ready  = s_r_ready;
  end
  assign {s_aw_ready, s_w_ready, s_b_valid, s_b_id, s_b_resp, s_ar_ready, s_r_valid, s_r_id, s_r_data, s_r_resp, s_r_last} = s_rsp;
  assign {f_aw_valid, f_aw_id, f_aw_addr, f_aw_len, f_w_valid, f_w_data, f_w_strb, f_w_last, f_b_ready, f_ar_valid, f_ar_id, f_ar_addr,
          f_ar_len, f_r_ready} = f_req;
  always_comb begin
    f_rsp.aw_ready = f_aw_ready;
    f_rsp.w_ready  = f_w_ready;
    f_rsp.b_valid  = f_b_valid;
    f_rsp.b        = '{id: f_b_id, resp: axi_resp_e'(f_b_resp)};
    f_rsp.ar_ready = f_ar_ready;
    f_rsp.r_valid  = f_r_valid;
    f_rsp.r        = '{id: f_r_id, data: f_r_data, resp: axi_resp_e'(f_r_resp), last: f_r_last};
  end

  sem_req_t [1:0] sem_req;
  sem_rsp_t [1:0] sem_rsp;
  always_comb
    for (int e = 0; e < 2; e++)
      sem_req[e] = '{
          attempt: sem_attempt_i[e],
          attempt_sem: sem_attempt_sem_i[4*e+:4],
          count: sem_count_i[4*e+:4],
          give: sem_give_i[e],
          give_sem: sem_give_sem_i[4*e+:4]
      };
  assign sem_taken_o = sem_rsp;

  tensor #(
      .ROWS(ROWS),
      .COLS(COLS)
  ) u_tensor (
      .clk_i,
      .rst_ni,
      .reg_req_i(reg_req),
      .reg_rsp_o(reg_rsp),
      .fetch_req_o(f_req),
      .fetch_rsp_i(f_rsp),
      .instr_valid_i,
      .instr_i,
      .instr_ready_o,
      .axi_req_i(s_req),
      .axi_rsp_o(s_rsp),
      .sem_req_i(sem_req),
      .sem_rsp_o(sem_rsp),
      .throttle_i,
      .irq_o,
      .activity_o,
      .clock_on_o
  );
endmodule
