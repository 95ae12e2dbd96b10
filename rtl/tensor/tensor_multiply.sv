// MULTIPLY_MOVING and TRANSPOSE: issues a vector a cycle. The next instruction takes its semaphore while the one before it is issued, so that
// one follows the other without a gap.
module tensor_multiply
  import tensor_pkg::*;
  import fp_pkg::*;
(
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              stop_i,         // begin nothing
    input  logic              flush_i,        // forget what has not begun
    input  logic              valid_i,
    input  instr_t            instr_i,
    output logic              pop_o,
    output logic              wait_o,         // for the semaphore of `instr_i`
    input  logic              granted_i,
    input  logic    [1:0]     loading_i,
    input  filled_t [1:0]     filled_i,
    output logic    [1:0]     bank_used_o,
    output logic              double_o,       // the array's mode
    // Entries.
    output acc_addr_t         addr_o,
    input  columns_t          set_i,
    input  logic              pending_i,
    // Pace.
    output logic              ready_o,        // a vector could go
    input  logic              allow_i,
    output logic              issue_o,
    output vector_t           vector_o,       // the cycle after
    output logic              vector_valid_o,
    output acc_top_t          top_o,          // two cycles after
    // Vectors under way.
    output slot_entry_t       entry_o,
    output logic              missing_o,      // `issue_o` meets an entry that is not set
    output lane_t             column_o,       // the first such
    input  slot_t             slot_i,
    input  logic              pop_i,
    input  logic              pop_sbank_i,
    input  logic              drained_i,
    output logic              taken_o,        // an instruction has left the queue and not begun
    output logic              busy_o,
    output cycle_e            cycle_o,
    output error_t            error_o
);

  // The next one.
  logic next_valid_q;
  instr_t next_q, instr_q;
  logic active_q;
  logic [7:0] n_q;

  logic last, begins, can_begin, filled, illegal;
  logic [7:0] vectors;
  assign vectors = instr_q.opcode == OpTranspose ? 8'(instr_q.k) : instr_q.n;
  assign last = n_q + 8'd1 == vectors;

  assign wait_o = valid_i && !stop_i && (!next_valid_q || begins || illegal);
  assign pop_o = wait_o && granted_i;

  // The mode changes when the array is empty.
  logic double_q, free, mode_fits, loading;
  assign free = !active_q || (issue_o && last);
  assign mode_fits = next_q.double_row == double_q || (drained_i && !active_q);
  assign loading = loading_i[next_q.sbank];
  assign can_begin = next_valid_q && !stop_i && free && !loading;
  filled_t bank;
  assign bank = filled_i[next_q.sbank];
  assign filled = bank.filled && bank.double_row == next_q.double_row && next_q.k <= bank.k && next_q.m <= bank.m;
  // Those before it are told first, if anything is wrong with them.
  assign illegal = can_begin && !filled && drained_i && !active_q;
  assign begins = can_begin && filled && mode_fits;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_valid_q <= 1'b0;
      next_q       <= '0;
      active_q     <= 1'b0;
      instr_q      <= '0;
      n_q          <= '0;
      double_q     <= 1'b0;
    end else begin
      if (pop_o) begin
        next_valid_q <= 1'b1;
        next_q       <= instr_i;
      end else if (begins || illegal || flush_i) begin
        next_valid_q <= 1'b0;
      end
      if (begins) begin
        active_q <= 1'b1;
        instr_q  <= next_q;
        n_q      <= '0;
        double_q <= next_q.double_row;
      end else if (issue_o) begin
        if (last) active_q <= 1'b0;
        n_q <= n_q + 8'd1;
      end
    end
  end
  assign double_o = double_q;

  // Where the vector's sums go. A column that should add to an entry that is not set drops out.
  columns_t wanted, columns, missing;
  assign addr_o = {instr_q.abank, instr_q.entry + n_q[6:0]};
  assign wanted = columns_below(instr_q.m);
  assign columns = instr_q.accumulate && instr_q.opcode == OpMultiply ? wanted & set_i : wanted;
  assign missing = wanted & ~columns;
  assign ready_o = active_q && !pending_i;
  assign issue_o = ready_o && allow_i;

  // Where its operands are.
  format_e format;
  logic transpose;
  logic [1:0] vectors_log2;  // in a word
  logic [2:0] index;         // of its first element
  assign format = format_e'(instr_q.dtype);
  assign transpose = instr_q.opcode == OpTranspose;
  assign vectors_log2 = elements_log2(format) - 2'(instr_q.double_row);
  assign index = instr_q.double_row ? {n_q[1:0], 1'b0} : n_q[2:0];

  vector_t vector_d, vector_q;
  logic vector_valid_q;
  logic [$bits(acc_top_t)-2:0] top_d, top_q1, top_q2;
  logic vector_valid_q2;
  always_comb begin
    vector_d.fetch = (n_q & ((8'd1 << vectors_log2) - 8'd1)) == '0;
    vector_d.addr = spad_addr_t'(instr_q.address >> 3) + (spad_addr_t'(n_q) >> vectors_log2);
    vector_d.index = index;
    vector_d.format = format;
    vector_d.double_row = instr_q.double_row;
    vector_d.k = transpose ? '0 : instr_q.k;
    vector_d.transpose = transpose;
    vector_d.row = lane_t'(n_q);
    vector_d.sbank = instr_q.sbank;
    vector_d.slot = slot_i;
    top_d = {instr_q.accumulate && !transpose, addr_o, 1'b0, columns};
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      vector_valid_q  <= 1'b0;
      vector_valid_q2 <= 1'b0;
      vector_q        <= '0;
      top_q1          <= '0;
      top_q2          <= '0;
    end else begin
      vector_valid_q  <= issue_o;
      vector_valid_q2 <= vector_valid_q;
      if (issue_o) begin
        vector_q <= vector_d;
        top_q1   <= top_d;
      end
      if (vector_valid_q) top_q2 <= top_q1;
    end
  end
  assign vector_o = vector_q;
  logic unused;
  assign unused = ^instr_q;
  assign vector_valid_o = vector_valid_q;
  assign top_o = {vector_valid_q2, top_q2};

  assign entry_o = '{
          addr: addr_o,
          columns: columns,
          sbank: instr_q.sbank,
          ended: '{valid: last, signal: instr_q.signal, sem: instr_q.signal_sem, tag: instr_q.tag}
      };

  // Vectors under way, by bank.
  logic [1:0][7:0] inside_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= '0;
    end else begin
      for (int b = 0; b < 2; b++)
        inside_q[b] <= inside_q[b] + 8'(issue_o && instr_q.sbank == 1'(b)) - 8'(pop_i && pop_sbank_i == 1'(b));
    end
  end
  always_comb begin
    for (int b = 0; b < 2; b++) bank_used_o[b] = (active_q && instr_q.sbank == 1'(b)) || inside_q[b] != '0;
  end
  assign taken_o = next_valid_q;
  assign busy_o = active_q || !drained_i;

  always_comb begin
    if (issue_o) cycle_o = CycleActive;
    else if (active_q) cycle_o = pending_i ? CycleWaitAccumulator : CycleThrottled;
    else if (next_valid_q && loading) cycle_o = CycleWaitStationary;
    else if (next_valid_q && !mode_fits) cycle_o = CycleWaitAccumulator;
    else if (valid_i && wait_o && !granted_i) cycle_o = CycleWaitSemaphore;
    else cycle_o = CycleIdle;
  end

  assign missing_o = issue_o && missing != '0;
  assign column_o = lowest(missing);
  assign error_o = '{valid: illegal, code: ErrorStationaryUnset, tag: next_q.tag, detail: 32'(next_q.sbank)};

endmodule
