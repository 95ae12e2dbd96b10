// The descriptors in flight, oldest first. Filled at the start, noted on when reading fails, freed at the end.
module dma_slots (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                start_i,
    input  dma_pkg::slot_info_t info_i,
    output dma_pkg::slot_t      start_slot_o,
    output logic [2:0]          count_o,
    // The first fault of a slot stays.
    input  logic                fault_i,
    input  dma_pkg::slot_t      fault_slot_i,
    input  dma_pkg::status_e    fault_status_i,
    input  dma_pkg::addr_t      fault_addr_i,
    // The oldest.
    output dma_pkg::slot_t      head_o,
    output dma_pkg::slot_info_t head_info_o,
    input  logic                end_i
);
  import dma_pkg::*;

  slot_info_t [NumSlots-1:0] info_q;
  slot_t write_q, read_q;
  logic [2:0] count_q;

  assign start_slot_o = write_q;
  assign head_o = read_q;
  assign head_info_o = info_q[read_q];
  assign count_o = count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      info_q  <= '0;
      write_q <= '0;
      read_q  <= '0;
      count_q <= '0;
    end else begin
      if (start_i) begin
        info_q[write_q] <= info_i;
        write_q         <= write_q + 1'b1;
      end
      if (fault_i && info_q[fault_slot_i].status == StatusOk) begin
        info_q[fault_slot_i].status <= fault_status_i;
        info_q[fault_slot_i].addr   <= fault_addr_i;
      end
      if (end_i) read_q <= read_q + 1'b1;
      count_q <= count_q + 3'(start_i) - 3'(end_i);
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> count_q != 3'(NumSlots));
  assert property (@(posedge clk_i) disable iff (!rst_ni) end_i |-> count_q != '0);
`endif
endmodule
