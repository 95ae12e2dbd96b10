// Tern: the chip. Composition only; rtl/README.md has the map, the domains and the rails.
module tern
  import tern_pkg::*;
  import host_pkg::HostAddrWidth, host_pkg::host_event_t;
(
    // Clocks and the power-on reset. clk_core_i is what the PLL makes of clk_ref_i; it may stand still.
    input logic clk_ref_i,
    input logic clk_core_i,
    input logic rst_por_ni,

    // Board: rails, PLL, straps. Asynchronous.
    input  logic [NumRails-1:0] rail_pgood_i,
    input  logic                pll_lock_i,
    output logic                pll_en_o,
    output logic [         7:0] pll_mult_o,    // core clock = pll_mult_o x reference
    input  logic [         7:0] straps_i,

    // Thermal: sensors in, synchronous to clk_ref_i; pins and on-die test heaters (16 levels a zone) out.
    input  logic [NumZones*12-1:0] zone_temp_i,   // zone 0 in the low bits, LSB 0.125 degC
    output logic                   thermtrip_no,
    output logic                   alert_no,
    output logic                   throttle_o,
    output logic [ NumZones*4-1:0] heater_o,

    // Who else wants the tensor engine slower. Asynchronous.
    input logic vr_hot_ni,       // the core rail's regulator: current or temperature above its warning limit
    input logic power_brake_ni,  // the board: its input gives way

    output logic fault_no,
    output logic irq_o,
    output logic core_rst_no,

    // Host port: AXI4-Lite, clk_ref_i.
    input  logic                     h_awvalid_i,
    output logic                     h_awready_o,
    input  logic [HostAddrWidth-1:0] h_awaddr_i,
    input  logic                     h_wvalid_i,
    output logic                     h_wready_o,
    input  logic [             31:0] h_wdata_i,
    input  logic [              3:0] h_wstrb_i,
    output logic                     h_bvalid_o,
    input  logic                     h_bready_i,
    output logic [              1:0] h_bresp_o,
    input  logic                     h_arvalid_i,
    output logic                     h_arready_o,
    input  logic [HostAddrWidth-1:0] h_araddr_i,
    output logic                     h_rvalid_o,
    input  logic                     h_rready_i,
    output logic [             31:0] h_rdata_o,
    output logic [              1:0] h_rresp_o,

    // Memory port: AXI4 manager, clk_core_i.
    output logic                    m_axi_awvalid_o,
    input  logic                    m_axi_awready_i,
    output logic [  AxiIdWidth-1:0] m_axi_awid_o,
    output logic [AxiAddrWidth-1:0] m_axi_awaddr_o,
    output logic [             7:0] m_axi_awlen_o,
    output logic [             2:0] m_axi_awsize_o,
    output logic [             1:0] m_axi_awburst_o,
    output logic                    m_axi_wvalid_o,
    input  logic                    m_axi_wready_i,
    output logic [AxiDataWidth-1:0] m_axi_wdata_o,
    output logic [AxiStrbWidth-1:0] m_axi_wstrb_o,
    output logic                    m_axi_wlast_o,
    input  logic                    m_axi_bvalid_i,
    output logic                    m_axi_bready_o,
    input  logic [  AxiIdWidth-1:0] m_axi_bid_i,
    input  logic [             1:0] m_axi_bresp_i,
    output logic                    m_axi_arvalid_o,
    input  logic                    m_axi_arready_i,
    output logic [  AxiIdWidth-1:0] m_axi_arid_o,
    output logic [AxiAddrWidth-1:0] m_axi_araddr_o,
    output logic [             7:0] m_axi_arlen_o,
    output logic [             2:0] m_axi_arsize_o,
    output logic [             1:0] m_axi_arburst_o,
    input  logic                    m_axi_rvalid_i,
    output logic                    m_axi_rready_o,
    input  logic [  AxiIdWidth-1:0] m_axi_rid_i,
    input  logic [AxiDataWidth-1:0] m_axi_rdata_i,
    input  logic [             1:0] m_axi_rresp_i,
    input  logic                    m_axi_rlast_i,

    // Delay taps of the external memory's 8 byte lanes, 6 bits each, lane 0 in the low bits.
    output logic [47:0] hbm_rd_delay_o,
    output logic [47:0] hbm_wr_delay_o,

    // Chip-to-chip link, clk_core_i. Lane 0 in the low bits.
    output logic [NumLanes*LaneWidth-1:0] link_tx_data_o,
    output logic [          NumLanes-1:0] link_tx_idle_o,  // electrical idle
    input  logic [NumLanes*LaneWidth-1:0] link_rx_data_i,
    input  logic [          NumLanes-1:0] link_rx_idle_i,

    // The error sampler of the link's eye scan, as link.sv has it.
    output logic       link_eye_run_o,
    output logic [1:0] link_eye_lane_o,
    output logic [5:0] link_eye_phase_o,
    output logic [6:0] link_eye_offset_o,
    input  logic [LaneWidth-1:0] link_eye_data_i,

    // How busy each zone is in this core cycle, 8 bits a zone, zone 0 in the low bits: what dynamic power follows. 15 is a DMA engine, a memory or
    // a link at its full rate; the core zone reaches 45 with the tensor engine at work besides.
    output logic [NumZones*8-1:0] activity_o
);

  // ---------------------------------------------------------------------------------------------------------------------- host port
  reg_req_t chip_req, power_req, thermal_req, sram_req, dma0_req, dma1_req, link_req, tensor_req, hbm_req, mesh_req;
  reg_rsp_t chip_rsp, power_rsp, thermal_rsp, sram_rsp, dma0_rsp, dma1_rsp, link_rsp, tensor_rsp, hbm_rsp, mesh_rsp;
  win_req_t win_req;
  reg_rsp_t win_rsp;
  logic core_rst_n;
  logic [15:0] timeout_cycles;
  host_event_t host_event;

  host_port i_host_port (
      .clk_i(clk_ref_i),
      .rst_ni(rst_por_ni),
      .clk_core_i,
      .rst_core_ni(core_rst_n),
      .awvalid_i(h_awvalid_i),
      .awready_o(h_awready_o),
      .awaddr_i(h_awaddr_i),
      .wvalid_i(h_wvalid_i),
      .wready_o(h_wready_o),
      .wdata_i(h_wdata_i),
      .wstrb_i(h_wstrb_i),
      .bvalid_o(h_bvalid_o),
      .bready_i(h_bready_i),
      .bresp_o(h_bresp_o),
      .arvalid_i(h_arvalid_i),
      .arready_o(h_arready_o),
      .araddr_i(h_araddr_i),
      .rvalid_o(h_rvalid_o),
      .rready_i(h_rready_i),
      .rdata_o(h_rdata_o),
      .rresp_o(h_rresp_o),
      .chip_req_o(chip_req),
      .chip_rsp_i(chip_rsp),
      .power_req_o(power_req),
      .power_rsp_i(power_rsp),
      .thermal_req_o(thermal_req),
      .thermal_rsp_i(thermal_rsp),
      .sram_req_o(sram_req),
      .sram_rsp_i(sram_rsp),
      .dma0_req_o(dma0_req),
      .dma0_rsp_i(dma0_rsp),
      .dma1_req_o(dma1_req),
      .dma1_rsp_i(dma1_rsp),
      .link_req_o(link_req),
      .link_rsp_i(link_rsp),
      .tensor_req_o(tensor_req),
      .tensor_rsp_i(tensor_rsp),
      .hbm_req_o(hbm_req),
      .hbm_rsp_i(hbm_rsp),
      .mesh_req_o(mesh_req),
      .mesh_rsp_i(mesh_rsp),
      .win_req_o(win_req),
      .win_rsp_i(win_rsp),
      .timeout_cycles_i(timeout_cycles),
      .event_o(host_event)
  );

  // --------------------------------------------------------------------------------------------------------------- reference domain
  logic power_irq, thermal_irq, sram_irq, dma0_irq, dma1_irq, link_irq, tensor_irq, hbm_irq, mesh_irq;
  logic sram_irq_ref, dma0_irq_ref, dma1_irq_ref, link_irq_ref, tensor_irq_ref, hbm_irq_ref, mesh_irq_ref;
  bit_sync #(
      .Width(7)
  ) i_irq_sync (
      .clk_i(clk_ref_i),
      .rst_ni(rst_por_ni),
      .d_i({sram_irq, dma0_irq, dma1_irq, link_irq, tensor_irq, hbm_irq, mesh_irq}),
      .q_o({sram_irq_ref, dma0_irq_ref, dma1_irq_ref, link_irq_ref, tensor_irq_ref, hbm_irq_ref, mesh_irq_ref})
  );

  logic sram_clock, dma0_clock, dma1_clock, tensor_clock, hbm_clock, mesh_clock;
  logic sram_clock_ref, dma0_clock_ref, dma1_clock_ref, tensor_clock_ref, hbm_clock_ref, mesh_clock_ref;
  bit_sync #(
      .Width(6)
  ) i_clock_sync (
      .clk_i(clk_ref_i),
      .rst_ni(rst_por_ni),
      .d_i({sram_clock, dma0_clock, dma1_clock, tensor_clock, hbm_clock, mesh_clock}),
      .q_o({sram_clock_ref, dma0_clock_ref, dma1_clock_ref, tensor_clock_ref, hbm_clock_ref, mesh_clock_ref})
  );

  chip i_chip (
      .clk_i(clk_ref_i),
      .rst_ni(rst_por_ni),
      .reg_req_i(chip_req),
      .reg_rsp_o(chip_rsp),
      .straps_i,
      .power_irq_i(power_irq),
      .thermal_irq_i(thermal_irq),
      .sram_irq_i(sram_irq_ref),
      .dma0_irq_i(dma0_irq_ref),
      .dma1_irq_i(dma1_irq_ref),
      .link_irq_i(link_irq_ref),
      .tensor_irq_i(tensor_irq_ref),
      .hbm_irq_i(hbm_irq_ref),
      .mesh_irq_i(mesh_irq_ref),
      .irq_o,
      .sram_clock_i(sram_clock_ref),
      .dma0_clock_i(dma0_clock_ref),
      .dma1_clock_i(dma1_clock_ref),
      .tensor_clock_i(tensor_clock_ref),
      .hbm_clock_i(hbm_clock_ref),
      .mesh_clock_i(mesh_clock_ref),
      .event_i(host_event),
      .timeout_cycles_o(timeout_cycles)
  );

  logic [NumRails-1:0] rail_good;
  logic thermtrip_n;
  power i_power (
      .clk_i(clk_ref_i),
      .rst_ni(rst_por_ni),
      .clk_core_i,
      .reg_req_i(power_req),
      .reg_rsp_o(power_rsp),
      .rail_pgood_i,
      .pll_lock_i,
      .thermtrip_i(!thermtrip_n),
      .pll_en_o,
      .pll_mult_o,
      .core_rst_no(core_rst_n),
      .rail_good_o(rail_good),
      .fault_no,
      .irq_o(power_irq)
  );
  assign core_rst_no = core_rst_n;

  temp_t [NumZones-1:0] zone_temp;
  logic [NumZones-1:0][3:0] heater;
  logic throttle;
  assign zone_temp = zone_temp_i;
  thermal i_thermal (
      .clk_i(clk_ref_i),
      .rst_ni(rst_por_ni),
      .reg_req_i(thermal_req),
      .reg_rsp_o(thermal_rsp),
      .zone_temp_i(zone_temp),
      .rail_good_i(rail_good),
      .thermtrip_no(thermtrip_n),
      .alert_no,
      .throttle_o(throttle),
      .heater_o(heater),
      .irq_o(thermal_irq)
  );
  assign thermtrip_no = thermtrip_n;
  assign throttle_o = throttle;
  assign heater_o = heater;

  // -------------------------------------------------------------------------------------------------------------------- core domain
  logic throttle_core;
  bit_sync i_throttle_sync (
      .clk_i(clk_core_i),
      .rst_ni(core_rst_n),
      .d_i(throttle),
      .q_o(throttle_core)
  );

  logic vr_hot_core, power_brake_core;
  bit_sync i_vr_hot_sync (
      .clk_i(clk_core_i),
      .rst_ni(core_rst_n),
      .d_i(~vr_hot_ni),
      .q_o(vr_hot_core)
  );
  bit_sync i_power_brake_sync (
      .clk_i(clk_core_i),
      .rst_ni(core_rst_n),
      .d_i(~power_brake_ni),
      .q_o(power_brake_core)
  );

  axi_req_t dma0_axi_req, dma1_axi_req, fetch_axi_req, peer_in_axi_req, mesh_in_axi_req;
  axi_rsp_t dma0_axi_rsp, dma1_axi_rsp, fetch_axi_rsp, peer_in_axi_rsp, mesh_in_axi_rsp;
  axi_req_t sram_axi_req, scratchpad_axi_req, hbm_axi_req, mem_axi_req, peer_axi_req, mesh_axi_req;
  axi_rsp_t sram_axi_rsp, scratchpad_axi_rsp, hbm_axi_rsp, mem_axi_rsp, peer_axi_rsp, mesh_axi_rsp;
  logic [3:0] sram_activity, dma0_activity, dma1_activity, link_activity, mem_activity, tensor_activity;

  sram i_sram (
      .clk_i(clk_core_i),
      .rst_ni(core_rst_n),
      .reg_req_i(sram_req),
      .reg_rsp_o(sram_rsp),
      .win_req_i(win_req),
      .win_rsp_o(win_rsp),
      .axi_req_i(sram_axi_req),
      .axi_rsp_o(sram_axi_rsp),
      .irq_o(sram_irq),
      .activity_o(sram_activity),
      .clock_on_o(sram_clock)
  );

  sem_req_t dma0_sem_req, dma1_sem_req;
  sem_rsp_t [1:0] sem_rsp;
  dma #(.Engine(1'b0)) i_dma0 (
      .clk_i(clk_core_i),
      .rst_ni(core_rst_n),
      .reg_req_i(dma0_req),
      .reg_rsp_o(dma0_rsp),
      .axi_req_o(dma0_axi_req),
      .axi_rsp_i(dma0_axi_rsp),
      .sem_req_o(dma0_sem_req),
      .sem_rsp_i(sem_rsp[0]),
      .throttle_i(throttle_core),
      .irq_o(dma0_irq),
      .activity_o(dma0_activity),
      .clock_on_o(dma0_clock)
  );
  dma #(.Engine(1'b1)) i_dma1 (
      .clk_i(clk_core_i),
      .rst_ni(core_rst_n),
      .reg_req_i(dma1_req),
      .reg_rsp_o(dma1_rsp),
      .axi_req_o(dma1_axi_req),
      .axi_rsp_i(dma1_axi_rsp),
      .sem_req_o(dma1_sem_req),
      .sem_rsp_i(sem_rsp[1]),
      .throttle_i(throttle_core),
      .irq_o(dma1_irq),
      .activity_o(dma1_activity),
      .clock_on_o(dma1_clock)
  );

  logic tensor_instr_ready;
  tensor i_tensor (
      .clk_i(clk_core_i),
      .rst_ni(core_rst_n),
      .reg_req_i(tensor_req),
      .reg_rsp_o(tensor_rsp),
      .fetch_req_o(fetch_axi_req),
      .fetch_rsp_i(fetch_axi_rsp),
      .instr_valid_i(1'b0),
      .instr_i('0),
      .instr_ready_o(tensor_instr_ready),
      .axi_req_i(scratchpad_axi_req),
      .axi_rsp_o(scratchpad_axi_rsp),
      .sem_req_i({dma1_sem_req, dma0_sem_req}),
      .sem_rsp_o(sem_rsp),
      .throttle_i({power_brake_core, throttle_core, vr_hot_core}),
      .irq_o(tensor_irq),
      .activity_o(tensor_activity),
      .clock_on_o(tensor_clock)
  );
  logic unused_tensor;
  assign unused_tensor = tensor_instr_ready;

  logic [NumLanes-1:0][LaneWidth-1:0] link_tx_data, link_rx_data;
  assign link_rx_data = link_rx_data_i;
  link_pkg::flit_t [1:0] mesh_flit;
  logic [1:0] mesh_flit_ready, mesh_valid, mesh_pop;
  logic [1:0][63:0] mesh_data;
  mesh i_mesh (
      .clk_i(clk_core_i),
      .rst_ni(core_rst_n),
      .reg_req_i(mesh_req),
      .reg_rsp_o(mesh_rsp),
      .axi_req_i(mesh_axi_req),
      .axi_rsp_o(mesh_axi_rsp),
      .axi_req_o(mesh_in_axi_req),
      .axi_rsp_i(mesh_in_axi_rsp),
      .link_flit_o(mesh_flit),
      .link_ready_i(mesh_flit_ready),
      .link_valid_i(mesh_valid),
      .link_data_i(mesh_data),
      .link_pop_o(mesh_pop),
      .irq_o(mesh_irq),
      .clock_on_o(mesh_clock)
  );

  link i_link (
      .clk_i(clk_core_i),
      .rst_ni(core_rst_n),
      .reg_req_i(link_req),
      .reg_rsp_o(link_rsp),
      .axi_req_i(peer_axi_req),
      .axi_rsp_o(peer_axi_rsp),
      .axi_req_o(peer_in_axi_req),
      .axi_rsp_i(peer_in_axi_rsp),
      .mesh_flit_i(mesh_flit),
      .mesh_ready_o(mesh_flit_ready),
      .mesh_valid_o(mesh_valid),
      .mesh_data_o(mesh_data),
      .mesh_pop_i(mesh_pop),
      .tx_data_o(link_tx_data),
      .tx_idle_o(link_tx_idle_o),
      .rx_data_i(link_rx_data),
      .rx_idle_i(link_rx_idle_i),
      .eye_run_o(link_eye_run_o),
      .eye_lane_o(link_eye_lane_o),
      .eye_phase_o(link_eye_phase_o),
      .eye_offset_o(link_eye_offset_o),
      .eye_data_i(link_eye_data_i),
      .irq_o(link_irq),
      .activity_o(link_activity)
  );
  assign link_tx_data_o = link_tx_data;

  axi_fabric i_fabric (
      .clk_i(clk_core_i),
      .rst_ni(core_rst_n),
      .dma_req_i({dma1_axi_req, dma0_axi_req}),
      .dma_rsp_o({dma1_axi_rsp, dma0_axi_rsp}),
      .fetch_req_i(fetch_axi_req),
      .fetch_rsp_o(fetch_axi_rsp),
      .peer_in_req_i(peer_in_axi_req),
      .peer_in_rsp_o(peer_in_axi_rsp),
      .mesh_in_req_i(mesh_in_axi_req),
      .mesh_in_rsp_o(mesh_in_axi_rsp),
      .sram_req_o(sram_axi_req),
      .sram_rsp_i(sram_axi_rsp),
      .scratchpad_req_o(scratchpad_axi_req),
      .scratchpad_rsp_i(scratchpad_axi_rsp),
      .mem_req_o(hbm_axi_req),
      .mem_rsp_i(hbm_axi_rsp),
      .peer_req_o(peer_axi_req),
      .peer_rsp_i(peer_axi_rsp),
      .mesh_req_o(mesh_axi_req),
      .mesh_rsp_i(mesh_axi_rsp)
  );

  hbm i_hbm (
      .clk_i(clk_core_i),
      .rst_ni(core_rst_n),
      .reg_req_i(hbm_req),
      .reg_rsp_o(hbm_rsp),
      .axi_req_i(hbm_axi_req),
      .axi_rsp_o(hbm_axi_rsp),
      .axi_req_o(mem_axi_req),
      .axi_rsp_i(mem_axi_rsp),
      .rd_delay_o(hbm_rd_delay_o),
      .wr_delay_o(hbm_wr_delay_o),
      .irq_o(hbm_irq),
      .clock_on_o(hbm_clock)
  );

  mem_activity i_mem_activity (
      .clk_i(clk_core_i),
      .rst_ni(core_rst_n),
      .req_i(mem_axi_req),
      .rsp_i(mem_axi_rsp),
      .activity_o(mem_activity)
  );
  zone_activity i_zone_activity (
      .dma_i({dma1_activity, dma0_activity}),
      .tensor_i(tensor_activity),
      .sram_i(sram_activity),
      .mem_i(mem_activity),
      .link_i(link_activity),
      .activity_o
  );

  // -------------------------------------------------------------------------------------------------------------------- memory port
  // Bursts are INCR and of full width, always.
  assign m_axi_awvalid_o = mem_axi_req.aw_valid;
  assign m_axi_awid_o = mem_axi_req.aw.id;
  assign m_axi_awaddr_o = mem_axi_req.aw.addr;
  assign m_axi_awlen_o = mem_axi_req.aw.len;
  assign m_axi_awsize_o = 3'd3;
  assign m_axi_awburst_o = 2'b01;
  assign m_axi_wvalid_o = mem_axi_req.w_valid;
  assign m_axi_wdata_o = mem_axi_req.w.data;
  assign m_axi_wstrb_o = mem_axi_req.w.strb;
  assign m_axi_wlast_o = mem_axi_req.w.last;
  assign m_axi_bready_o = mem_axi_req.b_ready;
  assign m_axi_arvalid_o = mem_axi_req.ar_valid;
  assign m_axi_arid_o = mem_axi_req.ar.id;
  assign m_axi_araddr_o = mem_axi_req.ar.addr;
  assign m_axi_arlen_o = mem_axi_req.ar.len;
  assign m_axi_arsize_o = 3'd3;
  assign m_axi_arburst_o = 2'b01;
  assign m_axi_rready_o = mem_axi_req.r_ready;
  assign mem_axi_rsp = '{
          aw_ready: m_axi_awready_i,
          w_ready: m_axi_wready_i,
          b_valid: m_axi_bvalid_i,
          b: '{id: m_axi_bid_i, resp: axi_resp_e'(m_axi_bresp_i)},
          ar_ready: m_axi_arready_i,
          r_valid: m_axi_rvalid_i,
          r: '{id: m_axi_rid_i, data: m_axi_rdata_i, resp: axi_resp_e'(m_axi_rresp_i), last: m_axi_rlast_i}
      };

endmodule
