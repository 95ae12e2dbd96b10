// One bank of one column's accumulators: a read and a write a cycle. No reset: valid bits say what counts.
module tensor_acc_bank
  import tensor_pkg::*;
(
    input  logic                       clk_i,
    input  logic                       read_i,
    input  logic [$clog2(Entries)-1:0] read_entry_i,
    output logic [               31:0] read_value_o,   // the cycle after
    input  logic                       write_i,
    input  logic [$clog2(Entries)-1:0] write_entry_i,
    input  logic [               31:0] write_value_i
);

  logic [31:0] mem[Entries];

  always_ff @(posedge clk_i) begin
    if (read_i) read_value_o <= mem[read_entry_i];
    if (write_i) mem[write_entry_i] <= write_value_i;
  end

endmodule
