// The vectors under way, in order: where each one's sums go, and what it belongs to. All take the same time through the array, so a single
// bit that runs along with them says when the oldest arrives below the first column.
module tensor_slots
  import tensor_pkg::*;
  import fp_pkg::FmaLatency;
#(
    parameter int unsigned ROWS = 8,
    parameter int unsigned COLS = 8
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic            double_i,
    input  logic            push_i,
    input  slot_entry_t     entry_i,
    output slot_t           slot_o,         // that `push_i` takes
    output logic            pop_o,
    output slot_entry_t     entry_o,        // the oldest
    output slot_t           old_slot_o,
    output logic            drained_o       // no vector is inside, in no column
);

  // From `push_i` to the row's operands 3 cycles, then through the rows.
  localparam int unsigned Single = 3 + FmaLatency * ROWS;
  localparam int unsigned Double = 3 + 2 * FmaLatency * ROWS;

  slot_entry_t entry_q[Slots];
  slot_t write_q, read_q;
  logic [Double-1:0] running_q;

  assign slot_o = write_q;
  assign entry_o = entry_q[read_q];
  assign old_slot_o = read_q;
  assign pop_o = double_i ? running_q[Double-1] : running_q[Single-1];

  // The last column is COLS - 1 cycles behind the first.
  logic empty;
  logic [COLS-1:0] behind_q;
  assign empty = write_q == read_q;
  assign drained_o = empty && behind_q == '0;

  always_ff @(posedge clk_i) if (push_i) entry_q[write_q] <= entry_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q   <= '0;
      read_q    <= '0;
      running_q <= '0;
      behind_q  <= '0;
    end else begin
      write_q   <= write_q + slot_t'(push_i);
      read_q    <= read_q + slot_t'(pop_o);
      behind_q  <= {behind_q[COLS-2:0], pop_o};
      // In single mode nothing runs on behind the end.
      running_q <= {running_q[Double-2:Single], running_q[Single-1] && double_i, running_q[Single-2:0], push_i};
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) pop_o |-> !empty)
  else $error("a vector arrives that never left");
`endif

endmodule
