// How busy each zone is, from its blocks. Both DMA engines together count as much as one at its full rate, which the rails' limits were made
// for; a vector through the whole array is twice that.
module zone_activity
  import tern_pkg::*;
(
    input  logic [1:0][3:0]          dma_i,
    input  logic [3:0]               tensor_i,
    input  logic [3:0]               sram_i,
    input  logic [3:0]               mem_i,
    input  logic [3:0]               link_i,
    output logic [NumZones-1:0][7:0] activity_o
);

  logic [4:0] dma;
  logic [7:0] core;
  assign dma = 5'(dma_i[0]) + 5'(dma_i[1]);
  assign core = (dma > 5'd15 ? 8'd15 : 8'(dma)) + {3'b0, tensor_i, 1'b0};
  assign activity_o = {8'(link_i), 8'(mem_i), 8'(sram_i), core};

endmodule
