// STORE: fetches factors and addends, then reads an entry a cycle and hands it to the columns' lanes. One instruction at a time.
module tensor_store
  import tensor_pkg::*;
  import fp_pkg::*;
#(
    parameter int unsigned COLS = 8
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  logic                            stop_i,
    input  logic                            valid_i,
    input  instr_t                          instr_i,
    output logic                            pop_o,
    output logic                            wait_o,          // for the semaphore of `instr_i`
    input  logic                            granted_i,
    // Entries.
    output acc_addr_t                       addr_o,
    input  columns_t                        set_i,
    output logic                            unset_o,
    output columns_t                        unset_columns_o,
    input  acc_top_t                        top_i,           // goes first where it reads the same bank
    output acc_store_t                      store_o,
    input  logic         [COLS-1:0]         tick_i,
    input  logic         [COLS-1:0]         use_i,
    input  logic         [COLS-1:0][31:0]   value_i,
    // Partitions.
    output spad_access_t [COLS-1:0]         access_o,
    input  logic         [COLS-1:0]         ready_i,
    input  logic         [COLS-1:0][63:0]   data_i,
    input  logic         [COLS-1:0]         bad_i,           // a read of this unit met an uncorrectable error
    // Generators.
    input  logic         [COLS-1:0]         random_write_i,
    input  logic         [31:0]             random_i,
    output logic         [COLS-1:0][31:0]   random_o,
    output flags_t                          flags_o,
    output logic         [4:0]              stored_o,        // elements of this cycle
    output logic                            busy_o,
    output ended_t                          ended_o,
    output logic                            found_o,         // an error that is told when the store ends
    output error_t                          error_o
);

  typedef enum logic [2:0] {
    Idle,
    Params,
    Start,
    Stream,
    Drain
  } state_e;
  state_e state_q;
  instr_t instr_q;
  logic [7:0] n_q;

  assign wait_o = state_q == Idle && valid_i && !stop_i;
  assign pop_o = wait_o && granted_i;

  // Factors and addends.
  logic [COLS-1:0] in_use, asked_q, asked_d, params_q;
  always_comb for (int c = 0; c < int'(COLS); c++) in_use[c] = 6'(c) < instr_q.m;

  // Entries.
  columns_t wanted, columns, missing;
  logic issue, last, word_begins;
  logic [COLS-1:0] room, busy;
  logic [1:0] per_word_log2;
  assign wanted = columns_below(instr_q.m);
  logic unused;
  assign unused = ^{instr_q, top_i};
  assign columns = wanted & set_i;
  assign missing = wanted & ~set_i;
  assign addr_o = {instr_q.abank, instr_q.entry + n_q[6:0]};
  assign per_word_log2 = elements_log2(format_e'(instr_q.dtype));
  assign issue = state_q == Stream && (room | ~in_use) == '1 && !(top_i.valid && top_i.accumulate && top_i.addr[8:7] == instr_q.abank);
  assign last = n_q + 8'd1 == instr_q.n;
  assign word_begins = issue && (n_q & ((8'd1 << per_word_log2) - 8'd1)) == '0;
  assign store_o = '{valid: issue, addr: addr_o, spare: 1'b0, columns: columns, ticks: wanted};
  assign unset_o = issue && instr_q.unset;
  assign unset_columns_o = wanted;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Idle;
      instr_q  <= '0;
      n_q      <= '0;
      asked_q  <= '0;
      params_q <= '0;
    end else begin
      params_q <= asked_d;
      case (state_q)
        Idle:
        if (pop_o) begin
          instr_q <= instr_i;
          asked_q <= '0;
          state_q <= (instr_i.scale || instr_i.bias) && !instr_i.raw ? Params : Start;
        end
        Params: begin
          asked_q <= asked_q | asked_d;
          if ((asked_q | ~in_use) == '1) state_q <= Start;
        end
        Start: begin
          n_q <= '0;
          state_q <= Stream;
        end
        Stream:
        if (issue) begin
          n_q <= n_q + 8'd1;
          if (last) state_q <= Drain;
        end
        default: if (busy == '0) state_q <= Idle;
      endcase
    end
  end
  assign busy_o = state_q != Idle;
  assign ended_o = '{
          valid: state_q == Drain && busy == '0,
          signal: instr_q.signal,
          sem: instr_q.signal_sem,
          tag: instr_q.tag
      };

  flags_t [COLS-1:0] flags;
  logic [COLS-1:0] stored;
  spad_access_t [COLS-1:0] words;
  for (genvar c = 0; c < int'(COLS); c++) begin : gen_lane
    tensor_store_lane u_lane (
        .clk_i,
        .rst_ni,
        .start_i(state_q == Start),
        .in_use_i(in_use[c]),
        .instr_i(instr_q),
        .params_i(params_q[c]),
        .data_i(data_i[c]),
        .bad_i(bad_i[c]),
        .word_begins_i(word_begins),
        .room_o(room[c]),
        .busy_o(busy[c]),
        .tick_i(tick_i[c]),
        .use_i(use_i[c]),
        .value_i(value_i[c]),
        .access_o(words[c]),
        .ready_i(ready_i[c] && state_q != Params),
        .stored_o(stored[c]),
        .flags_o(flags[c]),
        .random_write_i(random_write_i[c]),
        .random_i,
        .random_o(random_o[c])
    );
  end

  always_comb begin
    for (int c = 0; c < int'(COLS); c++) begin
      asked_d[c] = state_q == Params && in_use[c] && !asked_q[c] && ready_i[c];
      if (state_q == Params)
        access_o[c] = '{
            valid: in_use[c] && !asked_q[c],
            write: 1'b0,
            addr: spad_addr_t'(instr_q.params >> 3),
            data: '0,
            strb: '0
        };
      else access_o[c] = words[c];
    end
  end

  // The word that a read was of, a cycle or two before.
  spad_addr_t [COLS-1:0] addr_q;
  always_ff @(posedge clk_i) for (int c = 0; c < int'(COLS); c++) if (access_o[c].valid) addr_q[c] <= access_o[c].addr;

  error_t met;
  always_comb begin
    flags_o = '0;
    stored_o = '0;
    met = '0;
    for (int c = int'(COLS) - 1; c >= 0; c--) begin
      flags_o |= flags[c];
      stored_o += 5'(stored[c]);
      if (bad_i[c])
        met = '{valid: 1'b1, code: ErrorMemory, tag: instr_q.tag, detail: memory_detail(lane_t'(c), addr_q[c])};
    end
    if (issue && missing != '0)
      met = '{valid: 1'b1, code: ErrorAccumulatorUnset, tag: instr_q.tag, detail: unset_detail(addr_o, lowest(missing))};
  end
  tensor_lowest u_lowest (
      .clk_i,
      .rst_ni,
      .error_i(met),
      .end_i(ended_o.valid),
      .found_o,
      .error_o
  );

endmodule
