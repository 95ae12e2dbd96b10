// The SRAM block with flat ports, and the code by itself.
module mem_dut
  import tern_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        reg_valid_i,
    input  logic        reg_write_i,
    input  logic [11:0] reg_addr_i,
    input  logic [31:0] reg_wdata_i,
    input  logic [ 3:0] reg_strb_i,
    output logic        reg_ready_o,
    output logic        reg_error_o,
    output logic [31:0] reg_rdata_o,
    input  logic        win_valid_i,
    input  logic        win_write_i,
    input  logic [15:0] win_addr_i,
    input  logic [31:0] win_wdata_i,
    input  logic [ 3:0] win_strb_i,
    output logic        win_ready_o,
    output logic        win_error_o,
    output logic [31:0] win_rdata_o,
    input  logic        aw_valid_i,
    output logic        aw_ready_o,
    input  logic [ 3:0] aw_id_i,
    input  logic [39:0] aw_addr_i,
    input  logic [ 7:0] aw_len_i,
    input  logic        w_valid_i,
    output logic        w_ready_o,
    input  logic [63:0] w_data_i,
    input  logic [ 7:0] w_strb_i,
    input  logic        w_last_i,
    output logic        b_valid_o,
    input  logic        b_ready_i,
    output logic [ 3:0] b_id_o,
    output logic [ 1:0] b_resp_o,
    input  logic        ar_valid_i,
    output logic        ar_ready_o,
    input  logic [ 3:0] ar_id_i,
    input  logic [39:0] ar_addr_i,
    input  logic [ 7:0] ar_len_i,
    output logic        r_valid_o,
    input  logic        r_ready_i,
    output logic [ 3:0] r_id_o,
    output logic [63:0] r_data_o,
    output logic [ 1:0] r_resp_o,
    output logic        r_last_o,
    output logic        irq_o,
    output logic [ 3:0] activity_o,
    output logic        clock_on_o,
    // secded_pkg: encode code_data_i, decode {code_check_i, code_data_i}.
    input  logic [63:0] code_data_i,
    input  logic [ 7:0] code_check_i,
    output logic [ 7:0] encoded_check_o,
    output logic [63:0] decoded_data_o,
    output logic [ 7:0] decoded_syndrome_o,
    output logic        decoded_corrected_o,
    output logic        decoded_uncorrected_o
);

  reg_rsp_t reg_rsp, win_rsp;
  axi_req_t axi_req;
  axi_rsp_t axi_rsp;

  always_comb begin
    axi_req.aw_valid = aw_valid_i;
    axi_req.aw = '{id: aw_id_i, addr: aw_addr_i, len: aw_len_i};
    axi_req.w_valid = w_valid_i;
    axi_req.w = '{data: w_data_i, strb: w_strb_i, last: w_last_i};
    axi_req.b_ready = b_ready_i;
    axi_req.ar_valid = ar_valid_i;
    axi_req.ar = '{id: ar_id_i, addr: ar_addr_i, len: ar_len_i};
    axi_req.r_ready = r_ready_i;
  end

  sram i_sram (
      .clk_i,
      .rst_ni,
      .reg_req_i('{valid: reg_valid_i, write: reg_write_i, addr: reg_addr_i, wdata: reg_wdata_i, strb: reg_strb_i}),
      .reg_rsp_o(reg_rsp),
      .win_req_i('{valid: win_valid_i, write: win_write_i, addr: win_addr_i, wdata: win_wdata_i, strb: win_strb_i}),
      .win_rsp_o(win_rsp),
      .axi_req_i(axi_req),
      .axi_rsp_o(axi_rsp),
      .irq_o,
      .activity_o,
      .clock_on_o
  );

  assign {reg_ready_o, reg_error_o, reg_rdata_o} = {reg_rsp.ready, reg_rsp.error, reg_rsp.rdata};
  assign {win_ready_o, win_error_o, win_rdata_o} = {win_rsp.ready, win_rsp.error, win_rsp.rdata};
  assign {aw_ready_o, w_ready_o, ar_ready_o} = {axi_rsp.aw_ready, axi_rsp.w_ready, axi_rsp.ar_ready};
  assign {b_valid_o, b_id_o, b_resp_o} = {axi_rsp.b_valid, axi_rsp.b.id, axi_rsp.b.resp};
  assign {r_valid_o, r_id_o, r_data_o, r_resp_o, r_last_o} = {axi_rsp.r_valid, axi_rsp.r.id, axi_rsp.r.data, axi_rsp.r.resp, axi_rsp.r.last};

  secded_pkg::code_t encoded;
  secded_pkg::decoded_t decoded;
  assign encoded = secded_pkg::encode(code_data_i);
  assign decoded = secded_pkg::decode({code_check_i, code_data_i});
  assign encoded_check_o = encoded[71:64];
  assign decoded_data_o = decoded.data;
  assign decoded_syndrome_o = decoded.syndrome;
  assign decoded_corrected_o = decoded.corrected;
  assign decoded_uncorrected_o = decoded.uncorrected;

  logic unused;
  assign unused = ^encoded[63:0];

endmodule
