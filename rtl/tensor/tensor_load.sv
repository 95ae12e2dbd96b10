// LOAD_STATIONARY: takes its semaphore, waits until no product under way uses the bank, and lets the rows load.
module tensor_load
  import tensor_pkg::*;
  import fp_pkg::*;
#(
    parameter int unsigned ROWS = 8
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    input  logic                           stop_i,        // begin nothing
    input  logic                           flush_i,       // forget what has not begun
    input  logic                           valid_i,
    input  instr_t                         instr_i,
    output logic                           pop_o,
    output logic                           wait_o,        // for the semaphore of `instr_i`
    input  logic                           granted_i,     // and it was taken, or none is needed
    input  logic        [     1:0]         bank_used_i,   // by products under way
    output logic        [     1:0]         loading_o,     // from the cycle in which a load begins
    output filled_t     [     1:0]         filled_o,
    output spad_read_t  [ROWS-1:0]         read_o,
    input  logic        [ROWS-1:0]         ready_i,
    input  logic        [ROWS-1:0][63:0]   data_i,
    input  logic        [ROWS-1:0]         bad_i,
    output stationary_t [ROWS-1:0]         stationary_o,
    output flags_t                         flags_o,
    output logic                           taken_o,       // an instruction has left the queue and not begun
    output logic                           busy_o,
    output ended_t                         ended_o,
    output logic                           found_o,       // an error that is told when the load ends
    output error_t                         error_o
);

  typedef enum logic [1:0] {
    Idle,
    Wait,  // for the bank
    Load,
    Last   // the last columns are being written
  } state_e;
  state_e state_q;
  instr_t instr_q;
  filled_t [1:0] filled_q;

  logic [ROWS-1:0] busy;
  logic start;
  assign wait_o = state_q == Idle && valid_i && !stop_i;
  assign pop_o = wait_o && granted_i;
  assign start = state_q == Wait && !stop_i && !bank_used_i[instr_q.sbank];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Idle;
      instr_q  <= '0;
      filled_q <= '0;
    end else begin
      case (state_q)
        Idle:
        if (pop_o) begin
          state_q <= Wait;
          instr_q <= instr_i;
        end
        Wait:
        if (flush_i) state_q <= Idle;
        else if (start) begin
          state_q <= Load;
          filled_q[instr_q.sbank].filled <= 1'b0;
        end
        Load: if (busy == '0) state_q <= Last;
        default: begin
          state_q <= Idle;
          filled_q[instr_q.sbank] <= '{filled: 1'b1, double_row: instr_q.double_row, k: instr_q.k, m: instr_q.m};
        end
      endcase
    end
  end

  assign taken_o = state_q == Wait;
  assign busy_o = state_q == Load || state_q == Last;
  always_comb begin
    loading_o = '0;
    loading_o[instr_q.sbank] = start || busy_o;
  end
  assign filled_o = filled_q;
  assign ended_o = '{valid: state_q == Last, signal: instr_q.signal, sem: instr_q.signal_sem, tag: instr_q.tag};

  flags_t [ROWS-1:0] flags;
  logic [ROWS-1:0] bad;
  spad_addr_t [ROWS-1:0] bad_addr;
  for (genvar r = 0; r < int'(ROWS); r++) begin : gen_row
    tensor_load_row #(
        .ROW(r)
    ) u_row (
        .clk_i,
        .rst_ni,
        .start_i(start),
        .instr_i(instr_q),
        .busy_o(busy[r]),
        .read_o(read_o[r]),
        .ready_i(ready_i[r]),
        .data_i(data_i[r]),
        .bad_i(bad_i[r]),
        .stationary_o(stationary_o[r]),
        .flags_o(flags[r]),
        .bad_o(bad[r]),
        .bad_addr_o(bad_addr[r])
    );
  end

  error_t met;
  always_comb begin
    flags_o = '0;
    met = '{valid: 1'b0, code: ErrorMemory, tag: instr_q.tag, detail: '0};
    for (int r = int'(ROWS) - 1; r >= 0; r--) begin
      flags_o |= flags[r];
      if (bad[r]) begin
        met.valid = 1'b1;
        met.detail = memory_detail(lane_t'(r), bad_addr[r]);
      end
    end
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
