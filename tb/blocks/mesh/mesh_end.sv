// A chip's way to its neighbours, with flat ports for the testbench, which has two of them: the mesh and the link. The link's own accesses to the
// neighbour (d, n) share it.
module mesh_end
  import tern_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    output logic        mesh_irq_o,
    output logic        mesh_clock_o,  // the mesh had its clock in the last cycle

    // Registers of the link, or those of the mesh.
    input  logic        reg_mesh_i,
    input  logic        reg_valid_i,
    input  logic        reg_write_i,
    input  logic [11:0] reg_addr_i,
    input  logic [31:0] reg_wdata_i,
    input  logic [3:0]  reg_strb_i,
    output logic        reg_ready_o,
    output logic        reg_error_o,
    output logic [31:0] reg_rdata_o,

    // To other nodes
    input  logic        s_aw_valid,
    output logic        s_aw_ready,
    input  logic [3:0]  s_aw_id,
    input  logic [39:0] s_aw_addr,
    input  logic [7:0]  s_aw_len,
    input  logic        s_w_valid,
    output logic        s_w_ready,
    input  logic [63:0] s_w_data,
    input  logic [7:0]  s_w_strb,
    input  logic        s_w_last,
    output logic        s_b_valid,
    input  logic        s_b_ready,
    output logic [3:0]  s_b_id,
    output logic [1:0]  s_b_resp,
    input  logic        s_ar_valid,
    output logic        s_ar_ready,
    input  logic [3:0]  s_ar_id,
    input  logic [39:0] s_ar_addr,
    input  logic [7:0]  s_ar_len,
    output logic        s_r_valid,
    input  logic        s_r_ready,
    output logic [3:0]  s_r_id,
    output logic [63:0] s_r_data,
    output logic [1:0]  s_r_resp,
    output logic        s_r_last,

    // From other nodes
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
    input  logic        m_r_last,

    // To the neighbour's SRAM, over the link alone
    input  logic        d_aw_valid,
    output logic        d_aw_ready,
    input  logic [3:0]  d_aw_id,
    input  logic [39:0] d_aw_addr,
    input  logic [7:0]  d_aw_len,
    input  logic        d_w_valid,
    output logic        d_w_ready,
    input  logic [63:0] d_w_data,
    input  logic [7:0]  d_w_strb,
    input  logic        d_w_last,
    output logic        d_b_valid,
    input  logic        d_b_ready,
    output logic [3:0]  d_b_id,
    output logic [1:0]  d_b_resp,
    input  logic        d_ar_valid,
    output logic        d_ar_ready,
    input  logic [3:0]  d_ar_id,
    input  logic [39:0] d_ar_addr,
    input  logic [7:0]  d_ar_len,
    output logic        d_r_valid,
    input  logic        d_r_ready,
    output logic [3:0]  d_r_id,
    output logic [63:0] d_r_data,
    output logic [1:0]  d_r_resp,
    output logic        d_r_last,

    // The neighbour's
    output logic        n_aw_valid,
    input  logic        n_aw_ready,
    output logic [3:0]  n_aw_id,
    output logic [39:0] n_aw_addr,
    output logic [7:0]  n_aw_len,
    output logic        n_w_valid,
    input  logic        n_w_ready,
    output logic [63:0] n_w_data,
    output logic [7:0]  n_w_strb,
    output logic        n_w_last,
    input  logic        n_b_valid,
    output logic        n_b_ready,
    input  logic [3:0]  n_b_id,
    input  logic [1:0]  n_b_resp,
    output logic        n_ar_valid,
    input  logic        n_ar_ready,
    output logic [3:0]  n_ar_id,
    output logic [39:0] n_ar_addr,
    output logic [7:0]  n_ar_len,
    input  logic        n_r_valid,
    output logic        n_r_ready,
    input  logic [3:0]  n_r_id,
    input  logic [63:0] n_r_data,
    input  logic [1:0]  n_r_resp,
    input  logic        n_r_last,

    output logic [63:0] tx_data_o,
    output logic [3:0]  tx_idle_o,
    input  logic [63:0] rx_data_i,
    input  logic [3:0]  rx_idle_i,

    output logic        eye_run_o,
    output logic [1:0]  eye_lane_o,
    output logic [5:0]  eye_phase_o,
    output logic [6:0]  eye_offset_o,
    input  logic [15:0] eye_data_i
);

  reg_req_t link_reg_req, mesh_reg_req;
  reg_rsp_t link_reg_rsp, mesh_reg_rsp;
  axi_req_t s_req, m_req, d_req, n_req;
  axi_rsp_t s_rsp, m_rsp, d_rsp, n_rsp;

  assign link_reg_req = {reg_valid_i && !reg_mesh_i, reg_write_i, reg_addr_i, reg_wdata_i, reg_strb_i};
  assign mesh_reg_req = {reg_valid_i && reg_mesh_i, reg_write_i, reg_addr_i, reg_wdata_i, reg_strb_i};
  assign {reg_ready_o, reg_error_o, reg_rdata_o} = reg_mesh_i ? mesh_reg_rsp : link_reg_rsp;

  assign s_req = {s_aw_valid, s_aw_id, s_aw_addr, s_aw_len, s_w_valid, s_w_data, s_w_strb, s_w_last, s_b_ready, s_ar_valid, s_ar_id, s_ar_addr, s_ar_len, s_r_ready};
  assign {s_aw_ready, s_w_ready, s_b_valid, s_b_id, s_b_resp, s_ar_ready, s_r_valid, s_r_id, s_r_data, s_r_resp, s_r_last} = s_rsp;

  assign d_req = {d_aw_valid, d_aw_id, d_aw_addr, d_aw_len, d_w_valid, d_w_data, d_w_strb, d_w_last, d_b_ready, d_ar_valid, d_ar_id, d_ar_addr, d_ar_len, d_r_ready};
  assign {d_aw_ready, d_w_ready, d_b_valid, d_b_id, d_b_resp, d_ar_ready, d_r_valid, d_r_id, d_r_data, d_r_resp, d_r_last} = d_rsp;

  assign {m_aw_valid, m_aw_id, m_aw_addr, m_aw_len, m_w_valid, m_w_data, m_w_strb, m_w_last, m_b_ready, m_ar_valid, m_ar_id, m_ar_addr, m_ar_len, m_r_ready} = m_req;
  assign m_rsp = {m_aw_ready, m_w_ready, m_b_valid, m_b_id, m_b_resp, m_ar_ready, m_r_valid, m_r_id, m_r_data, m_r_resp, m_r_last};

  assign {n_aw_valid, n_aw_id, n_aw_addr, n_aw_len, n_w_valid, n_w_data, n_w_strb, n_w_last, n_b_ready, n_ar_valid, n_ar_id, n_ar_addr, n_ar_len, n_r_ready} = n_req;
  assign n_rsp = {n_aw_ready, n_w_ready, n_b_valid, n_b_id, n_b_resp, n_ar_ready, n_r_valid, n_r_id, n_r_data, n_r_resp, n_r_last};

  link_pkg::flit_t [1:0] packet;
  logic [1:0] packet_ready, valid, pop;
  logic [1:0][63:0] data;
  mesh u_mesh (
      .clk_i,
      .rst_ni,
      .reg_req_i(mesh_reg_req),
      .reg_rsp_o(mesh_reg_rsp),
      .axi_req_i(s_req),
      .axi_rsp_o(s_rsp),
      .axi_req_o(m_req),
      .axi_rsp_i(m_rsp),
      .link_flit_o(packet),
      .link_ready_i(packet_ready),
      .link_valid_i(valid),
      .link_data_i(data),
      .link_pop_o(pop),
      .irq_o(mesh_irq_o),
      .clock_on_o(mesh_clock_o)
  );

  logic irq;
  logic [3:0] activity;
  link u_link (
      .clk_i,
      .rst_ni,
      .reg_req_i(link_reg_req),
      .reg_rsp_o(link_reg_rsp),
      .axi_req_i(d_req),
      .axi_rsp_o(d_rsp),
      .axi_req_o(n_req),
      .axi_rsp_i(n_rsp),
      .mesh_flit_i(packet),
      .mesh_ready_o(packet_ready),
      .mesh_valid_o(valid),
      .mesh_data_o(data),
      .mesh_pop_i(pop),
      .tx_data_o,
      .tx_idle_o,
      .rx_data_i,
      .rx_idle_i,
      .eye_run_o,
      .eye_lane_o,
      .eye_phase_o,
      .eye_offset_o,
      .eye_data_i,
      .irq_o(irq),
      .activity_o(activity)
  );

  logic unused;
  assign unused = ^{irq, activity};
endmodule
