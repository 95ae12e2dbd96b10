// The power sequencer with flat ports, and its state for the scoreboard.
module power_dut
  import tern_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        clk_core_i,
    input  logic        reg_valid_i,
    input  logic        reg_write_i,
    input  logic [11:0] reg_addr_i,
    input  logic [31:0] reg_wdata_i,
    input  logic [ 3:0] reg_strb_i,
    output logic        reg_ready_o,
    output logic        reg_error_o,
    output logic [31:0] reg_rdata_o,
    input  logic [ 4:0] rail_pgood_i,
    input  logic        pll_lock_i,
    input  logic        thermtrip_i,
    output logic        pll_en_o,
    output logic [ 7:0] pll_mult_o,
    output logic        core_rst_no,
    output logic [ 4:0] rail_good_o,
    output logic        fault_no,
    output logic        irq_o,
    output logic [ 3:0] state_o
);

  reg_rsp_t reg_rsp;
  assign {reg_ready_o, reg_error_o, reg_rdata_o} = {reg_rsp.ready, reg_rsp.error, reg_rsp.rdata};

  power i_power (
      .clk_i,
      .rst_ni,
      .clk_core_i,
      .reg_req_i('{valid: reg_valid_i, write: reg_write_i, addr: reg_addr_i, wdata: reg_wdata_i, strb: reg_strb_i}),
      .reg_rsp_o(reg_rsp),
      .rail_pgood_i,
      .pll_lock_i,
      .thermtrip_i,
      .pll_en_o,
      .pll_mult_o,
      .core_rst_no,
      .rail_good_o,
      .fault_no,
      .irq_o
  );
  assign state_o = i_power.state;

endmodule
