// The load of one row: reads words ahead, widens, and hands over one column a cycle. Rows run by themselves, since each waits for its own
// partition.
module tensor_load_row
  import tensor_pkg::*;
  import fp_pkg::*;
#(
    parameter int unsigned ROW = 0
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               start_i,
    input  instr_t             instr_i,      // holds while busy
    output logic               busy_o,
    output spad_read_t         read_o,
    input  logic               ready_i,
    input  logic        [63:0] data_i,       // a cycle after the read was taken
    input  logic               bad_i,
    output stationary_t        stationary_o,
    output flags_t             flags_o,
    output logic               bad_o,
    output spad_addr_t         bad_addr_o
);

  /* verilator no_inline_module */  // as tensor_cell

  logic in_use, second;
  assign in_use = 6'(ROW) < rows_of(instr_i.double_row, instr_i.k);
  assign second = instr_i.double_row && instr_i.k > 6'(2 * ROW + 1);

  format_e format;
  logic [1:0] columns_log2;  // in a word
  assign format = format_e'(instr_i.dtype);
  assign columns_log2 = elements_log2(format) - 2'(instr_i.double_row);

  // Reads run at most two words ahead.
  logic busy_q, coming_q;
  logic [5:0] read_q, column_q;  // first column that no read covers; next to hand over
  logic [1:0] count_q;
  logic [1:0][64:0] words_q;     // {bad, data}
  spad_addr_t addr_q, coming_addr_q;
  logic [5:0] per_word, read_next;
  logic taken, used_up, hand_over, last;
  assign per_word = 6'd1 << columns_log2;
  assign read_next = read_q + per_word;
  assign read_o = '{valid: busy_q && read_q < instr_i.m && 3'(count_q) + 3'(coming_q) < 3'd2, addr: addr_q};
  assign taken = read_o.valid && ready_i;
  assign hand_over = count_q != '0;
  assign last = column_q + 6'd1 == instr_i.m;
  assign used_up = hand_over && (last || ((column_q + 6'd1) & (per_word - 6'd1)) == '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q        <= 1'b0;
      coming_q      <= 1'b0;
      read_q        <= '0;
      column_q      <= '0;
      count_q       <= '0;
      words_q       <= '0;
      addr_q        <= '0;
      coming_addr_q <= '0;
    end else if (start_i) begin
      busy_q   <= in_use;
      read_q   <= '0;
      column_q <= '0;
      addr_q   <= spad_addr_t'(instr_i.address >> 3);
    end else if (busy_q) begin
      coming_q <= taken;
      if (taken) begin
        read_q        <= read_next;
        addr_q        <= addr_q + 1'b1;
        coming_addr_q <= addr_q;
      end
      if (coming_q && count_q == 2'(used_up)) words_q[0] <= {bad_i, data_i};
      else if (used_up) words_q[0] <= words_q[1];
      if (coming_q) words_q[1] <= {bad_i, data_i};
      count_q <= count_q + 2'(coming_q) - 2'(used_up);
      if (hand_over) begin
        column_q <= column_q + 6'd1;
        if (last) busy_q <= 1'b0;
      end
    end
  end
  assign busy_o = busy_q;
  assign bad_o = coming_q && bad_i;
  assign bad_addr_o = coming_addr_q;

  logic [2:0] index;
  logic [63:0] word;
  logic [31:0] bits0, bits1, wide0, wide1;
  flags_t flags0, flags1;
  assign index = instr_i.double_row ? {column_q[1:0], 1'b0} : column_q[2:0];
  assign word = words_q[0][63:0];
  assign bits0 = element_of(format, word, index);
  assign bits1 = {24'd0, word[{index[2:1], 4'd8}+:8]};
  fp_widen u_widen0 (
      .format_i(format),
      .value_i(bits0),
      .value_o(wide0),
      .flags_o(flags0)
  );
  fp_widen u_widen1 (
      .format_i(format),
      .value_i(bits1),
      .value_o(wide1),
      .flags_o(flags1)
  );

  logic rotten;
  assign rotten = words_q[0][64];
  stationary_t stationary_q;
  flags_t flags_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stationary_q <= '0;
      flags_q      <= '0;
    end else begin
      stationary_q.valid <= hand_over;
      flags_q <= '0;
      if (hand_over) begin
        stationary_q.second <= second;
        stationary_q.sbank <= instr_i.sbank;
        stationary_q.column <= lane_t'(column_q);
        stationary_q.value[0] <= rotten ? Fp32Nan : instr_i.raw ? bits0 : wide0;
        stationary_q.value[1] <= rotten ? Fp32Nan : instr_i.raw ? bits1 : wide1;
        if (!rotten && !instr_i.raw) flags_q <= flags0 | (second ? flags1 : '0);
      end
    end
  end
  assign stationary_o = stationary_q;
  logic unused;
  assign unused = ^instr_i;
  assign flags_o = flags_q;

endmodule
