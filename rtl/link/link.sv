// Chip-to-chip link: four lanes of 16 bits a core cycle. Trains, repairs what the board did to the lanes (skew, polarity, reversal, dead
// lanes), carries AXI accesses to the neighbour's SRAM and back, and tests lanes by PRBS.
module link
  import link_pkg::*;
  import tern_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input  reg_req_t reg_req_i,
    output reg_rsp_t reg_rsp_o,

    // Accesses to the neighbour's SRAM. No response depends on a request of the same cycle.
    input  axi_req_t axi_req_i,
    output axi_rsp_t axi_rsp_o,
    // The neighbour's accesses to the SRAM of this chip.
    output axi_req_t axi_req_o,
    input  axi_rsp_t axi_rsp_i,

    // Packets of the mesh to the neighbour's, as in link_bridge.sv: requests, responses.
    input  flit_t [1:0]       mesh_flit_i,
    output logic  [1:0]       mesh_ready_o,
    output logic  [1:0]       mesh_valid_o,
    output logic  [1:0][63:0] mesh_data_o,
    input  logic  [1:0]       mesh_pop_i,

    // Lanes; bit 0 of a word is the first on the wire. Idle: electrical idle.
    output logic [NumLanes-1:0][LaneWidth-1:0] tx_data_o,
    output logic [NumLanes-1:0]                tx_idle_o,
    input  logic [NumLanes-1:0][LaneWidth-1:0] rx_data_i,
    input  logic [NumLanes-1:0]                rx_idle_i,

    // The error sampler of the eye scan; it is analog, so it looks where these say, and gives what it sees of the word on rx_data_i.
    output logic       eye_run_o,
    output logic [1:0] eye_lane_o,
    output logic [5:0] eye_phase_o,
    output logic [6:0] eye_offset_o,
    input  logic [LaneWidth-1:0] eye_data_i,

    output logic       irq_o,
    output logic [3:0] activity_o  // two for each lane that sends, and more while a flit moves
);

  logic fresh, flit_ready, slot_valid;
  flit_t flit;
  logic [NumClasses-1:0][7:0] available, used;
  logic [NumClasses-1:0] freed;
  logic [1:0] slot_kind;
  logic [63:0] slot;
  logic [15:0] bridge_timeout;
  bridge_events_t events;

  link_core u_core (
      .clk_i,
      .rst_ni,
      .reg_req_i,
      .reg_rsp_o,
      .fresh_o(fresh),
      .flit_i(flit),
      .flit_ready_o(flit_ready),
      .available_o(available),
      .slot_valid_o(slot_valid),
      .slot_kind_o(slot_kind),
      .slot_o(slot),
      .freed_i(freed),
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

  link_bridge u_bridge (
      .clk_i,
      .rst_ni,
      .up_i(!fresh),
      .timeout_i(bridge_timeout),
      .axi_req_i,
      .axi_rsp_o,
      .axi_req_o,
      .axi_rsp_i,
      .mesh_flit_i,
      .mesh_ready_o,
      .mesh_valid_o,
      .mesh_data_o,
      .mesh_pop_i,
      .flit_o(flit),
      .flit_ready_i(flit_ready),
      .available_i(available),
      .slot_valid_i(slot_valid),
      .slot_kind_i(slot_kind),
      .slot_i(slot),
      .freed_o(freed),
      .used_o(used),
      .events_o(events)
  );

endmodule
