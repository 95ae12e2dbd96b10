// The thermal unit with flat ports.
module thermal_dut
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
    input  logic [47:0] zone_temp_i,
    input  logic [ 4:0] rail_good_i,
    output logic        thermtrip_no,
    output logic        alert_no,
    output logic        throttle_o,
    output logic [15:0] heater_o,
    output logic        irq_o
);

  reg_rsp_t reg_rsp;
  assign {reg_ready_o, reg_error_o, reg_rdata_o} = {reg_rsp.ready, reg_rsp.error, reg_rsp.rdata};

  thermal i_thermal (
      .clk_i,
      .rst_ni,
      .reg_req_i('{valid: reg_valid_i, write: reg_write_i, addr: reg_addr_i, wdata: reg_wdata_i, strb: reg_strb_i}),
      .reg_rsp_o(reg_rsp),
      .zone_temp_i(zone_temp_i),
      .rail_good_i,
      .thermtrip_no,
      .alert_no,
      .throttle_o,
      .heater_o(heater_o),
      .irq_o
  );

endmodule
