// tensor_spad_array and tensor_acc_bank whose cells and address decoders are those of a program: FaultyMemory
// (tb/blocks/mem/faulty_memory.h).
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

module tensor_spad_array
  import tensor_pkg::*;
  import secded_pkg::code_t;
(
    input  logic      clk_i,
    input  logic      en_i,
    input  logic      we_i,
    input  spad_row_t row_i,
    input  code_t     wdata_i,
    output code_t     rdata_o
);

  int memory;
  initial memory = faulty_memory_open($sformatf("%m"), int'(SpadWords + SpadSpares));

  bit [71:0] read;
  always @(posedge clk_i) begin
    if (en_i) begin
      faulty_memory_access(memory, we_i, {20'b0, row_i}, wdata_i, read);
      if (!we_i) rdata_o <= read;
    end
  end

endmodule

module tensor_acc_bank
  import tensor_pkg::*;
(
    input  logic            clk_i,
    input  logic            read_i,
    input  acc_row_t        read_row_i,
    output logic     [31:0] read_value_o,
    input  logic            write_i,
    input  acc_row_t        write_row_i,
    input  logic     [31:0] write_value_i
);

  int memory;
  initial memory = faulty_memory_open($sformatf("%m"), int'(Entries + AccSpares));

  bit [71:0] read, nothing;
  always @(posedge clk_i) begin
    if (read_i) begin
      faulty_memory_access(memory, 1'b0, {24'b0, read_row_i}, 72'b0, read);
      read_value_o <= read[31:0];
    end
    if (write_i) faulty_memory_access(memory, 1'b1, {24'b0, write_row_i}, {40'b0, write_value_i}, nothing);
  end

endmodule
