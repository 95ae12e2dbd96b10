// The tensor engine with flat ports for its testbench.
module tensor_bench_top
  import tensor_pkg::*;
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
    input  logic         bus_valid_i,
    input  logic         bus_write_i,
    input  logic [  3:0] bus_partition_i,
    input  logic [ 10:0] bus_addr_i,
    input  logic [ 63:0] bus_data_i,
    input  logic [  7:0] bus_strb_i,
    output logic         bus_ready_o,
    output logic         bus_error_o,
    output logic [ 63:0] bus_data_o,
    input  logic [  2:0] throttle_i,
    output logic         irq_o,
    output logic [  3:0] activity_o
);
  tern_pkg::reg_req_t reg_req;
  tern_pkg::reg_rsp_t reg_rsp;
  assign reg_req = '{valid: reg_valid_i, write: reg_write_i, addr: reg_addr_i, wdata: reg_wdata_i, strb: reg_strb_i};
  assign reg_ready_o = reg_rsp.ready;
  assign reg_error_o = reg_rsp.error;
  assign reg_rdata_o = reg_rsp.rdata;

  bus_req_t bus_req;
  bus_rsp_t bus_rsp;
  assign bus_req = '{
          valid: bus_valid_i,
          write: bus_write_i,
          partition: bus_partition_i,
          addr: bus_addr_i,
          data: bus_data_i,
          strb: bus_strb_i
      };
  assign bus_ready_o = bus_rsp.ready;
  assign bus_error_o = bus_rsp.error;
  assign bus_data_o = bus_rsp.data;

  tensor #(
      .ROWS(ROWS),
      .COLS(COLS)
  ) u_tensor (
      .clk_i,
      .rst_ni,
      .reg_req_i(reg_req),
      .reg_rsp_o(reg_rsp),
      .instr_valid_i,
      .instr_i,
      .instr_ready_o,
      .bus_req_i(bus_req),
      .bus_rsp_o(bus_rsp),
      .throttle_i,
      .irq_o,
      .activity_o
  );
endmodule
