// The descriptors of a queue in flight, oldest first. Filled at the start, noted on when reading fails, freed at the end.
module dma_slots (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         start_i,
    input  dma_pkg::slot_info_t          info_i,
    output dma_pkg::slot_t               start_slot_o,
    output logic [2:0]                   count_o,
    output logic                         whole_o,       // all in flight belong to one transfer, and not its last descriptor
    // The first fault of a slot stays.
    input  logic                         fault_i,
    input  dma_pkg::fault_t              fault_info_i,
    output logic [dma_pkg::NumSlots-1:0] failed_o,
    // The oldest.
    output dma_pkg::slot_t               head_o,
    output dma_pkg::slot_info_t          head_info_o,
    input  logic                         end_i
);
  import dma_pkg::*;

  slot_info_t [NumSlots-1:0] info_q;
  slot_t write_q, read_q;
  logic [2:0] count_q, lasts_q;
  logic start_last, end_last;

  assign start_slot_o = write_q;
  assign head_o = read_q;
  assign head_info_o = info_q[read_q];
  assign count_o = count_q;
  assign whole_o = lasts_q == '0;
  assign start_last = start_i && !info_i.chain;
  assign end_last = end_i && !head_info_o.chain;
  always_comb begin
    for (int unsigned s = 0; s < NumSlots; s++) failed_o[s] = info_q[s].status != StatusOk;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      info_q  <= '0;
      write_q <= '0;
      read_q  <= '0;
      count_q <= '0;
      lasts_q <= '0;
    end else begin
      if (start_i) begin
        info_q[write_q] <= info_i;
        write_q         <= write_q + 1'b1;
      end
      if (fault_i && info_q[fault_info_i.slot].status == StatusOk) begin
        info_q[fault_info_i.slot].status <= fault_info_i.status;
        info_q[fault_info_i.slot].addr   <= fault_info_i.addr;
      end
      if (end_i) read_q <= read_q + 1'b1;
      count_q <= count_q + 3'(start_i) - 3'(end_i);
      lasts_q <= lasts_q + 3'(start_last) - 3'(end_last);
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> count_q != 3'(NumSlots));
  assert property (@(posedge clk_i) disable iff (!rst_ni) end_i |-> count_q != '0);
  assert property (@(posedge clk_i) disable iff (!rst_ni) lasts_q <= count_q);
  assert property (@(posedge clk_i) disable iff (!rst_ni) fault_i |-> count_q != '0);
`endif
endmodule
