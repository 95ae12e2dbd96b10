// One link below its bridge for the testbench: flits in, and a queue of flits for each traffic class out.
module flit_end
  import link_pkg::*;
  import tern_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input  logic        reg_valid_i,
    input  logic        reg_write_i,
    input  logic [11:0] reg_addr_i,
    input  logic [31:0] reg_wdata_i,
    input  logic [3:0]  reg_strb_i,
    output logic        reg_ready_o,
    output logic        reg_error_o,
    output logic [31:0] reg_rdata_o,

    input  logic        f_valid_i,
    input  logic        f_head_i,
    input  logic        f_last_i,
    input  logic [1:0]  f_class_i,
    input  logic [63:0] f_data_i,
    output logic        f_ready_o,
    output logic [23:0] available_o,  // flits, 8 bits a class
    output logic        fresh_o,

    output logic [2:0]  q_valid_o,
    output logic [63:0] q0_data_o,
    output logic [63:0] q1_data_o,
    output logic [63:0] q2_data_o,
    input  logic [2:0]  q_pop_i,

    output logic framing_error_o,
    output logic overflow_o,

    output logic [63:0] tx_data_o,
    output logic [3:0]  tx_idle_o,
    input  logic [63:0] rx_data_i,
    input  logic [3:0]  rx_idle_i,

    output logic        eye_run_o,
    output logic [1:0]  eye_lane_o,
    output logic [5:0]  eye_phase_o,
    output logic [6:0]  eye_offset_o,
    input  logic [15:0] eye_data_i,

    output logic       irq_o,
    output logic [3:0] activity_o
);

  reg_req_t reg_req;
  reg_rsp_t reg_rsp;
  assign reg_req = {reg_valid_i, reg_write_i, reg_addr_i, reg_wdata_i, reg_strb_i};
  assign {reg_ready_o, reg_error_o, reg_rdata_o} = reg_rsp;

  flit_t flit;
  assign flit = {f_valid_i, f_head_i, f_last_i, f_class_i, f_data_i};

  logic slot_valid;
  logic [1:0] slot_kind;
  logic [63:0] slot;
  logic [2:0][7:0] used;
  logic [2:0][63:0] data;
  logic [15:0] bridge_timeout;
  bridge_events_t events;

  assign events = {7'd0, framing_error_o, overflow_o};

  link_core u_core (
      .clk_i,
      .rst_ni,
      .reg_req_i(reg_req),
      .reg_rsp_o(reg_rsp),
      .fresh_o,
      .flit_i(flit),
      .flit_ready_o(f_ready_o),
      .available_o,
      .slot_valid_o(slot_valid),
      .slot_kind_o(slot_kind),
      .slot_o(slot),
      .freed_i(q_pop_i),
      .used_i(used),
      .bridge_timeout_o(bridge_timeout),
      .bridge_i(events),
      .tx_data_o,
      .tx_idle_o,
      .rx_data_i,
      .rx_idle_i,
      .eye_run_o,
      .eye_lane_o,
      .eye_phase_o,
      .eye_offset_o,
      .eye_data_i,
      .irq_o,
      .activity_o
  );

  link_queues u_queues (
      .clk_i,
      .rst_ni,
      .slot_valid_i(slot_valid),
      .slot_kind_i(slot_kind),
      .slot_i(slot),
      .abort_i(fresh_o),
      .valid_o(q_valid_o),
      .data_o(data),
      .pop_i(q_pop_i),
      .used_o(used),
      .framing_error_o,
      .overflow_o
  );
  assign q0_data_o = data[0];
  assign q1_data_o = data[1];
  assign q2_data_o = data[2];

  logic unused;
  assign unused = ^bridge_timeout;

endmodule
