// One bank of one column's accumulators, entries and then spare ones: a read and a write a cycle. No reset: valid bits say what counts.
module tensor_acc_bank
  import tensor_pkg::*;
(
    input  logic            clk_i,
    input  logic            read_i,
    input  acc_row_t        read_row_i,
    output logic     [31:0] read_value_o,   // the cycle after
    input  logic            write_i,
    input  acc_row_t        write_row_i,
    input  logic     [31:0] write_value_i
);

  logic [31:0] mem[Entries+AccSpares];

  always_ff @(posedge clk_i) begin
    if (read_i) read_value_o <= mem[read_row_i];
    if (write_i) mem[write_row_i] <= write_value_i;
  end

endmodule
