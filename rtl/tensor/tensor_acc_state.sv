// Which entries are set, and which are on their way through the array. All columns run alike, each a cycle after the one to its left, so one
// table in the first column's time serves all of them.
module tensor_acc_state
  import tensor_pkg::*;
(
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      clear_i,              // unsets all; nothing else happens then
    input  acc_addr_t multiply_addr_i,
    output columns_t  multiply_set_o,
    output logic      multiply_pending_o,
    input  acc_addr_t store_addr_i,
    output columns_t  store_set_o,
    input  logic      issue_i,              // of the entry at `multiply_addr_i`
    input  logic      written_i,
    input  acc_addr_t written_addr_i,
    input  columns_t  written_columns_i,
    input  logic      unset_i,              // the entry at `store_addr_i`
    input  columns_t  unset_columns_i
);

  columns_t set_q[Banks*Entries];
  logic [Banks*Entries-1:0] pending_q;

  assign multiply_set_o = set_q[multiply_addr_i];
  assign multiply_pending_o = pending_q[multiply_addr_i];
  assign store_set_o = set_q[store_addr_i];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      set_q <= '{default: '0};
    end else if (clear_i) begin
      set_q <= '{default: '0};
    end else begin
      if (unset_i) set_q[store_addr_i] <= set_q[store_addr_i] & ~unset_columns_i;
      // An entry that is written in the cycle in which another unit unsets it: the product wins.
      if (written_i) set_q[written_addr_i] <= set_q[written_addr_i] | written_columns_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q <= '0;
    end else begin
      if (written_i) pending_q[written_addr_i] <= 1'b0;
      if (issue_i) pending_q[multiply_addr_i] <= 1'b1;
    end
  end

endmodule
