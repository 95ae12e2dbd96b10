// What goes wrong with products under way. Rows meet bad words at different times, and several products are inside the array at once: each row
// keeps the first it meets, and so does the side where vectors are issued, until the vector leaves the array. Vectors leave in the program's
// order, so the first product that leaves with an error is the first in the program. What a row meets later is no lower in that product.
module tensor_product_errors
  import tensor_pkg::*;
#(
    parameter int unsigned ROWS = 8
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   missing_i,   // the vector that takes `slot_i` meets an entry that is not set
    input  lane_t                  column_i,    // the first such
    input  slot_t                  slot_i,
    input  logic        [ROWS-1:0] bad_i,       // a row meets a word that cannot be read
    input  spad_addr_t  [ROWS-1:0] bad_addr_i,
    input  slot_t       [ROWS-1:0] bad_slot_i,
    input  logic                   pop_i,       // the oldest vector leaves
    input  slot_t                  pop_slot_i,
    input  slot_entry_t            entry_i,
    output logic                   found_o,
    output error_t                 error_o
);

  logic missing_q, missing_leaves;
  slot_t missing_slot_q;
  lane_t column_q;
  assign missing_leaves = missing_q && pop_i && missing_slot_q == pop_slot_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      missing_q      <= 1'b0;
      missing_slot_q <= '0;
      column_q       <= '0;
    end else if (missing_leaves) begin
      missing_q <= 1'b0;
    end else if (missing_i && !missing_q) begin
      missing_q      <= 1'b1;
      missing_slot_q <= slot_i;
      column_q       <= column_i;
    end
  end

  logic [ROWS-1:0] bad_q, bad_leaves;
  spad_addr_t [ROWS-1:0] bad_addr_q;
  slot_t [ROWS-1:0] bad_slot_q;
  always_comb for (int r = 0; r < int'(ROWS); r++) bad_leaves[r] = bad_q[r] && pop_i && bad_slot_q[r] == pop_slot_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bad_q      <= '0;
      bad_addr_q <= '0;
      bad_slot_q <= '0;
    end else begin
      for (int r = 0; r < int'(ROWS); r++) begin
        if (bad_leaves[r]) begin
          bad_q[r] <= 1'b0;
        end else if (bad_i[r] && !bad_q[r]) begin
          bad_q[r]      <= 1'b1;
          bad_addr_q[r] <= bad_addr_i[r];
          bad_slot_q[r] <= bad_slot_i[r];
        end
      end
    end
  end

  error_t leaves;
  always_comb begin
    leaves = '{valid: bad_leaves != '0 || missing_leaves, code: ErrorMemory, tag: entry_i.ended.tag, detail: '0};
    for (int r = int'(ROWS) - 1; r >= 0; r--) if (bad_leaves[r]) leaves.detail = memory_detail(lane_t'(r), bad_addr_q[r]);
    if (missing_leaves) begin
      leaves.code = ErrorAccumulatorUnset;
      leaves.detail = unset_detail(entry_i.addr, column_q);
    end
  end
  logic found;
  tensor_lowest u_lowest (
      .clk_i,
      .rst_ni,
      .error_i(leaves),
      .end_i(pop_i && entry_i.ended.valid),
      .found_o(found),
      .error_o
  );
  assign found_o = found || missing_q || bad_q != '0;
  logic unused;
  assign unused = ^entry_i;

endmodule
