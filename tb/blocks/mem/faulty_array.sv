// sram_array whose cells and address decoder are those of a program: FaultyMemory (tb/blocks/mem/faulty_memory.h).
import "DPI-C" function int faulty_memory_open(
    input string name,
    input int    rows
);
import "DPI-C" function void faulty_memory_access(
    input  int        memory,
    input  bit        write,
    input  int        row,
    input  bit [71:0] written,
    output bit [71:0] read
);

module sram_array
  import sram_pkg::*;
  import secded_pkg::code_t;
(
    input  logic      clk_i,
    input  logic      en_i,
    input  logic      we_i,
    input  row_addr_t row_i,
    input  code_t     wdata_i,
    output code_t     rdata_o
);

  int memory;
  initial memory = faulty_memory_open($sformatf("%m"), int'(Words + Spares));

  bit [71:0] read;
  always @(posedge clk_i) begin
    if (en_i) begin
      faulty_memory_access(memory, we_i, {18'b0, row_i}, wdata_i, read);
      if (!we_i) rdata_o <= read;
    end
  end

endmodule
