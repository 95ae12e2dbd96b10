// One link with flat ports for the testbench, which has two of them.
module link_end
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

    // Accesses to the other side
    input  logic        s_aw_valid_i,
    input  logic [3:0]  s_aw_id_i,
    input  logic [39:0] s_aw_addr_i,
    input  logic [7:0]  s_aw_len_i,
    output logic        s_aw_ready_o,
    input  logic        s_w_valid_i,
    input  logic [63:0] s_w_data_i,
    input  logic [7:0]  s_w_strb_i,
    input  logic        s_w_last_i,
    output logic        s_w_ready_o,
    output logic        s_b_valid_o,
    output logic [3:0]  s_b_id_o,
    output logic [1:0]  s_b_resp_o,
    input  logic        s_b_ready_i,
    input  logic        s_ar_valid_i,
    input  logic [3:0]  s_ar_id_i,
    input  logic [39:0] s_ar_addr_i,
    input  logic [7:0]  s_ar_len_i,
    output logic        s_ar_ready_o,
    output logic        s_r_valid_o,
    output logic [3:0]  s_r_id_o,
    output logic [63:0] s_r_data_o,
    output logic [1:0]  s_r_resp_o,
    output logic        s_r_last_o,
    input  logic        s_r_ready_i,

    // Accesses from the other side
    output logic        m_aw_valid_o,
    output logic [3:0]  m_aw_id_o,
    output logic [39:0] m_aw_addr_o,
    output logic [7:0]  m_aw_len_o,
    input  logic        m_aw_ready_i,
    output logic        m_w_valid_o,
    output logic [63:0] m_w_data_o,
    output logic [7:0]  m_w_strb_o,
    output logic        m_w_last_o,
    input  logic        m_w_ready_i,
    input  logic        m_b_valid_i,
    input  logic [3:0]  m_b_id_i,
    input  logic [1:0]  m_b_resp_i,
    output logic        m_b_ready_o,
    output logic        m_ar_valid_o,
    output logic [3:0]  m_ar_id_o,
    output logic [39:0] m_ar_addr_o,
    output logic [7:0]  m_ar_len_o,
    input  logic        m_ar_ready_i,
    input  logic        m_r_valid_i,
    input  logic [3:0]  m_r_id_i,
    input  logic [63:0] m_r_data_i,
    input  logic [1:0]  m_r_resp_i,
    input  logic        m_r_last_i,
    output logic        m_r_ready_o,

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
  axi_req_t s_req, m_req;
  axi_rsp_t s_rsp, m_rsp;
  axi_ax_t s_aw, s_ar;
  axi_w_t s_w;
  axi_b_t m_b;
  axi_r_t m_r;

  assign reg_req = {reg_valid_i, reg_write_i, reg_addr_i, reg_wdata_i, reg_strb_i};
  assign {reg_ready_o, reg_error_o, reg_rdata_o} = reg_rsp;

  assign s_aw = {s_aw_id_i, s_aw_addr_i, s_aw_len_i};
  assign s_w = {s_w_data_i, s_w_strb_i, s_w_last_i};
  assign s_ar = {s_ar_id_i, s_ar_addr_i, s_ar_len_i};
  assign s_req = {s_aw_valid_i, s_aw, s_w_valid_i, s_w, s_b_ready_i, s_ar_valid_i, s_ar, s_r_ready_i};
  assign {s_aw_ready_o, s_w_ready_o, s_b_valid_o, s_b_id_o, s_b_resp_o, s_ar_ready_o, s_r_valid_o,
          s_r_id_o, s_r_data_o, s_r_resp_o, s_r_last_o} = s_rsp;

  assign {m_aw_valid_o, m_aw_id_o, m_aw_addr_o, m_aw_len_o, m_w_valid_o, m_w_data_o, m_w_strb_o,
          m_w_last_o, m_b_ready_o, m_ar_valid_o, m_ar_id_o, m_ar_addr_o, m_ar_len_o, m_r_ready_o} = m_req;
  assign m_b = {m_b_id_i, m_b_resp_i};
  assign m_r = {m_r_id_i, m_r_data_i, m_r_resp_i, m_r_last_i};
  assign m_rsp = {m_aw_ready_i, m_w_ready_i, m_b_valid_i, m_b, m_ar_ready_i, m_r_valid_i, m_r};

  logic [1:0] mesh_ready, mesh_valid;
  logic [1:0][63:0] mesh_data;
  logic unused;
  assign unused = ^{mesh_ready, mesh_data};

  link u_link (
      .clk_i,
      .rst_ni,
      .reg_req_i(reg_req),
      .reg_rsp_o(reg_rsp),
      .axi_req_i(s_req),
      .axi_rsp_o(s_rsp),
      .axi_req_o(m_req),
      .axi_rsp_i(m_rsp),
      .mesh_flit_i('0),
      .mesh_ready_o(mesh_ready),
      .mesh_valid_o(mesh_valid),
      .mesh_data_o(mesh_data),
      .mesh_pop_i(mesh_valid),
      .tx_data_o(tx_data_o),
      .tx_idle_o(tx_idle_o),
      .rx_data_i(rx_data_i),
      .rx_idle_i(rx_idle_i),
      .eye_run_o,
      .eye_lane_o,
      .eye_phase_o,
      .eye_offset_o,
      .eye_data_i,
      .irq_o(irq_o),
      .activity_o(activity_o)
  );

endmodule
