// Instructions, commands and sizes of the tensor engine. docs/tensor.md is the specification.
package tensor_pkg;
  import fp_pkg::format_e, fp_pkg::FmaLatency;

  /* verilator lint_off UNUSEDPARAM */

  parameter int unsigned SpadWords = 2048;  // of a partition
  parameter int unsigned SpadBytes = 8 * SpadWords;
  typedef logic [$clog2(SpadWords)-1:0] spad_addr_t;
  // Spare rows, in every partition; they lie behind the words.
  parameter int unsigned SpadSpares = 4;
  typedef logic [$clog2(SpadWords+SpadSpares)-1:0] spad_row_t;
  typedef struct packed {
    logic       [SpadSpares-1:0] enable;
    logic       [SpadSpares-1:0] dead;
    spad_addr_t [SpadSpares-1:0] addr;
  } spad_spares_t;

  parameter int unsigned Banks = 4;
  parameter int unsigned Entries = 128;  // of a bank
  typedef logic [$clog2(Banks*Entries)-1:0] acc_addr_t;  // {bank, entry}
  // Spare entries of a bank, in every column; they lie behind the others.
  parameter int unsigned AccSpares = 2;
  typedef logic [$clog2(Entries)-1:0] acc_entry_t;
  typedef logic [$clog2(Entries+AccSpares)-1:0] acc_row_t;
  typedef struct packed {
    logic       [AccSpares-1:0] enable;
    logic       [AccSpares-1:0] dead;
    acc_entry_t [AccSpares-1:0] addr;
  } acc_spares_t;

  parameter int unsigned NumSemaphores = 16;
  parameter int unsigned QueueDepth = 8;
  parameter int unsigned MaxCols = 16;
  parameter int unsigned MaxPartitions = 16;
  typedef logic [3:0] lane_t;  // a row, a column, or a partition

  typedef enum logic [3:0] {
    OpLoad      = 4'd1,
    OpMultiply  = 4'd2,
    OpStore     = 4'd3,
    OpTranspose = 4'd4,
    OpHalt      = 4'd5
  } opcode_e;

  // Word 1, then word 0.
  typedef struct packed {
    logic [31:0] tag;
    logic [15:0] params;
    logic [15:0] address;
    logic [4:0]  zero;
    logic [6:0]  entry;
    logic [5:0]  m;
    logic [5:0]  k;
    logic [7:0]  n;
    logic        unset;        // `release`
    logic        relu;
    logic        bias;
    logic        scale;
    logic        saturate;
    logic        stochastic;
    logic        raw;
    logic        accumulate;
    logic [1:0]  abank;
    logic        sbank;
    logic        signal;
    logic [3:0]  signal_sem;
    logic [3:0]  wait_count;
    logic [3:0]  wait_sem;
    logic        double_row;
    logic [2:0]  dtype;
    logic [3:0]  opcode;
  } instr_t;

  typedef enum logic [3:0] {
    ErrorNone               = 4'd0,
    ErrorBadOpcode          = 4'd1,
    ErrorBadDtype           = 4'd2,
    ErrorBadShape           = 4'd3,
    ErrorBadAddress         = 4'd4,
    ErrorStationaryUnset    = 4'd5,
    ErrorAccumulatorUnset   = 4'd6,
    ErrorSemaphoreOverflow  = 4'd7,
    ErrorMemory             = 4'd8,
    ErrorFetch              = 4'd9
  } error_e;

  typedef struct packed {
    logic        valid;
    error_e      code;
    logic [31:0] tag;
    logic [31:0] detail;
  } error_t;

  // The units, in the order of their bits, and of their precedence where two do the same thing in one cycle.
  parameter int unsigned NumUnits = 3;
  typedef enum logic [1:0] {
    UnitLoad     = 2'd0,
    UnitMultiply = 2'd1,
    UnitStore    = 2'd2
  } unit_e;

  // An instruction has ended, all its effects are done.
  typedef struct packed {
    logic        valid;
    logic        signal;
    logic [3:0]  sem;
    logic [31:0] tag;
  } ended_t;

  // Slots of the vectors under way: more than fit into the longest array.
  parameter int unsigned Slots = 128;
  typedef logic [$clog2(Slots)-1:0] slot_t;

  // A moving vector on its way down the rows.
  typedef struct packed {
    logic       fetch;      // its first element is in a word that the vector before it did not use
    spad_addr_t addr;
    logic [2:0] index;      // first element in the word
    format_e    format;
    logic       double_row;
    logic [5:0] k;          // steps; 0 with `transpose`
    logic       transpose;
    lane_t      row;        // of `transpose`
    logic       sbank;
    slot_t      slot;
  } vector_t;

  // Operands at the left edge of one step of the array.
  typedef struct packed {
    logic        take_part;
    logic        transpose;  // the stationary element itself goes down
    logic        sbank;
    logic [31:0] value;
  } moving_t;

  // One column of a row's stationary elements.
  typedef struct packed {
    logic             valid;
    logic             second;  // with the second step
    logic             sbank;
    lane_t            column;
    logic [1:0][31:0] value;
  } stationary_t;

  // What goes along the columns, a cycle a column: reads for the array's top, writes of its bottom, reads for the store unit. With `spare` the
  // entry is the number of a spare one.
  typedef logic [MaxCols-1:0] columns_t;
  typedef struct packed {
    logic      valid;
    logic      accumulate;
    acc_addr_t addr;
    logic      spare;
    columns_t  columns;
  } acc_top_t;
  typedef struct packed {
    logic      valid;
    acc_addr_t addr;
    logic      spare;
    columns_t  columns;
  } acc_bottom_t;
  typedef struct packed {
    logic      valid;
    acc_addr_t addr;
    logic      spare;
    columns_t  columns;  // those whose entry is set
    columns_t  ticks;    // those that take part
  } acc_store_t;

  // What is known of a vector under way. `ended` holds for an instruction's last vector.
  typedef struct packed {
    acc_addr_t addr;
    columns_t  columns;
    logic      sbank;
    ended_t    ended;
  } slot_entry_t;

  // What a bank of the array holds.
  typedef struct packed {
    logic       filled;
    logic       double_row;
    logic [5:0] k;
    logic [5:0] m;
  } filled_t;

  // Partitions of the scratchpad: reads, and accesses of those who write as well.
  typedef struct packed {
    logic       valid;
    spad_addr_t addr;
  } spad_read_t;
  typedef struct packed {
    logic        valid;
    logic        write;
    spad_addr_t  addr;
    logic [63:0] data;
    logic [7:0]  strb;
  } spad_access_t;

  // The data bus' ways into the scratchpad. A write waits until `ready`; `error` comes with it. A read may go away; data and error come in the
  // cycle after `ready`.
  typedef struct packed {
    lane_t      partition;
    spad_addr_t addr;
  } bus_word_t;
  typedef struct packed {
    logic        valid;
    bus_word_t   word;
    logic [63:0] data;
    logic [7:0]  strb;
  } bus_write_t;
  typedef struct packed {
    logic ready;
    logic error;
  } bus_written_t;
  typedef struct packed {
    logic      valid;
    bus_word_t word;
  } bus_read_t;
  typedef struct packed {
    logic        ready;
    logic        error;
    logic [63:0] data;
  } bus_data_t;

  // An access of the memory test: a word of all partitions, or an entry (a word of 32 bits) of all columns.
  typedef struct packed {
    logic               spad;   // one of the two, with an access
    logic               acc;
    logic               write;
    spad_addr_t         word;
    acc_addr_t          entry;
    secded_pkg::code_t  data;
  } test_t;

  // What is handed to the engine: an instruction, or the news that it could not be fetched.
  typedef struct packed {
    logic        valid;
    logic        bad;
    instr_t      instr;   // of what is bad only `tag`: its number in the program
    logic [31:0] where;   // of what is bad: the low part of its address
  } handed_t;

  // Engines besides the units that take part in the semaphores.
  parameter int unsigned NumOthers = 2;

  parameter int unsigned FetchCountWidth = 24;

  typedef struct packed {
    logic [7:0] run;
    logic [7:0] period;
  } pace_t;

  // Why no vector was issued, or that one was. Exactly one a cycle.
  typedef enum logic [2:0] {
    CycleActive          = 3'd0,
    CycleIdle            = 3'd1,
    CycleWaitSemaphore   = 3'd2,
    CycleWaitStationary  = 3'd3,
    CycleWaitAccumulator = 3'd4,
    CycleThrottled       = 3'd5
  } cycle_e;

  typedef struct packed {
    logic [47:0] active;  // one vector each
    logic [47:0] idle;
    logic [47:0] wait_semaphore;
    logic [47:0] wait_stationary;
    logic [47:0] wait_accumulator;
    logic [47:0] throttled_active;
    logic [47:0] throttled_idle;
    logic [47:0] instructions;
    logic [47:0] stored;
    logic [47:0] elapsed;
  } counts_t;

  // Between the engine and its registers.
  typedef struct packed {
    logic               enable;
    pace_t [3:0]        pace;         // didt, power, thermal, external
    logic [7:0]         ramp_idle;
    logic [7:0]         ramp_length;
    secded_pkg::code_t  inject;
  } config_t;
  typedef struct packed {
    logic               clear;
    logic               resume;
    logic               issue;
    logic               fetch;
    logic               test;
    logic               test_stop;
    logic               signal;
    logic [3:0]         signal_sem;
    logic [MaxCols-1:0] random_write;
    logic [31:0]        random;
  } command_t;
  typedef struct packed {
    logic error;
    logic issue;
    logic corrected;
    logic uncorrected;
    logic full_write;
  } event_t;
  typedef struct packed {
    logic [NumUnits-1:0] busy;
    logic                idle;
    logic                halted;
    logic                clearing;
    logic [3:0]          limited;  // pace_t's order
  } state_t;

  // Binary logarithm of the elements in a word.
  function automatic logic [1:0] elements_log2(format_e format);
    case (format)
      fp_pkg::Fp32: return 2'd1;
      fp_pkg::Fp16, fp_pkg::Bf16: return 2'd2;
      default: return 2'd3;
    endcase
  endfunction

  // Element `index` of a word, in the low bits. Indices of narrower elements than there are wrap.
  function automatic logic [31:0] element_of(format_e format, logic [63:0] word, logic [2:0] index);
    case (format)
      fp_pkg::Fp32: return index[0] ? word[63:32] : word[31:0];
      fp_pkg::Fp16, fp_pkg::Bf16: return {16'd0, word[{index[1:0], 4'd0}+:16]};
      default: return {24'd0, word[{index, 3'd0}+:8]};
    endcase
  endfunction

  function automatic columns_t columns_below(logic [5:0] m);
    return ~(columns_t'('1) << m);
  endfunction
  function automatic lane_t lowest(columns_t columns);
    lane_t first;
    first = '0;
    for (int c = int'(MaxCols) - 1; c >= 0; c--) if (columns[c]) first = lane_t'(c);
    return first;
  endfunction

  // What `error_detail` says.
  function automatic logic [31:0] unset_detail(acc_addr_t addr, lane_t column);
    return {14'd0, addr[8:7], 1'b0, addr[6:0], 4'd0, column};
  endfunction
  function automatic logic [31:0] memory_detail(lane_t partition, spad_addr_t word);
    return {12'd0, partition, 5'd0, word};
  endfunction

  // Rows that `k` steps use.
  function automatic logic [5:0] rows_of(logic double_row, logic [5:0] k);
    return double_row ? 6'((7'(k) + 7'd1) >> 1) : k;
  endfunction

endpackage
