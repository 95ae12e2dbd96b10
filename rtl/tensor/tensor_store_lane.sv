// The store side of one column: scale, bias, ReLU and narrowing, then elements packed into words, which wait for the partition in a FIFO.
// An entry that is not set leaves its bytes out. The unit above counts on room for every word that it begins.
module tensor_store_lane
  import tensor_pkg::*;
  import fp_pkg::*;
(
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                start_i,
    input  logic                in_use_i,      // this column takes part
    input  instr_t              instr_i,       // holds while busy
    input  logic                params_i,      // the word of factor and addend is there
    input  logic         [63:0] data_i,
    input  logic                bad_i,
    input  logic                word_begins_i,
    output logic                room_o,        // for another word
    output logic                busy_o,
    input  logic                tick_i,        // an entry
    input  logic                use_i,         // and it is set
    input  logic         [31:0] value_i,
    output spad_access_t        access_o,
    input  logic                ready_i,
    output logic                stored_o,      // an element was packed
    output flags_t              flags_o,
    input  logic                random_write_i,
    input  logic         [31:0] random_i,
    output logic         [31:0] random_o
);

  /* verilator no_inline_module */  // as tensor_cell

  localparam int unsigned Depth = 16;

  logic [31:0] scale_q, bias_q;
  always_ff @(posedge clk_i) begin
    if (params_i) {bias_q, scale_q} <= bad_i ? {Fp32Nan, Fp32Nan} : data_i;
  end

  format_e format;
  logic valid;
  logic [31:0] narrowed;
  flags_t flags;
  assign format = format_e'(instr_i.dtype);
  fp_post u_post (
      .clk_i,
      .rst_ni,
      .en_i(1'b1),
      .scale_en_i(instr_i.scale),
      .bias_en_i(instr_i.bias),
      .relu_i(instr_i.relu),
      .format_i(format),
      .rounding_i(rounding_e'(instr_i.stochastic)),
      .overflow_i(instr_i.saturate ? OverflowSaturate : OverflowInfinity),
      .valid_i(use_i && !instr_i.raw),
      .value_i,
      .scale_i(scale_q),
      .bias_i(bias_q),
      .valid_o(valid),
      .value_o(narrowed),
      .flags_o(flags),
      .state_write_i(random_write_i),
      .state_i(random_i),
      .state_o(random_o)
  );
  assign flags_o = valid ? flags : '0;
  logic unused;
  assign unused = ^instr_i;

  logic [PostLatency-1:0] tick_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) tick_q <= '0;
    else tick_q <= {tick_q[PostLatency-2:0], tick_i && !instr_i.raw};
  end

  // Packing.
  logic tick, used, full_word;
  logic [31:0] element;
  logic [7:0] count_q;  // of elements, set or not
  logic [1:0] per_word_log2;
  logic [2:0] index;
  logic [63:0] word, word_q;
  logic [7:0] strb, strb_q;
  assign tick = instr_i.raw ? tick_i : tick_q[PostLatency-1];
  assign used = instr_i.raw ? use_i : valid;
  assign element = instr_i.raw ? value_i : narrowed;
  assign per_word_log2 = elements_log2(format);
  assign index = count_q[2:0] & 3'((4'd1 << per_word_log2) - 4'd1);
  assign full_word = ((count_q + 8'd1) & ((8'd1 << per_word_log2) - 8'd1)) == '0 || count_q + 8'd1 == instr_i.n;
  always_comb begin
    word = word_q;
    strb = strb_q;
    if (used) begin
      case (format)
        Fp32: begin
          word[{index[0], 5'd0}+:32] = element;
          strb[{index[0], 2'd0}+:4] = '1;
        end
        Fp16, Bf16: begin
          word[{index[1:0], 4'd0}+:16] = element[15:0];
          strb[{index[1:0], 1'd0}+:2] = '1;
        end
        default: begin
          word[{index, 3'd0}+:8] = element[7:0];
          strb[index] = 1'b1;
        end
      endcase
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      word_q  <= '0;
      strb_q  <= '0;
    end else if (start_i) begin
      count_q <= '0;
      strb_q  <= '0;
    end else if (tick) begin
      count_q <= count_q + 8'd1;
      word_q  <= word;
      strb_q  <= full_word ? '0 : strb;
    end
  end
  assign stored_o = used;

  // Words that wait for the partition; those that have begun count as well.
  logic push, pop;
  logic [71:0] fifo_q[Depth];
  logic [$clog2(Depth)-1:0] write_q, read_q;
  logic [$clog2(Depth):0] held_q, begun_q;
  spad_addr_t addr_q;
  assign push = tick && full_word;
  assign pop = access_o.valid && ready_i;
  always_ff @(posedge clk_i) if (push) fifo_q[write_q] <= {strb, word};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      held_q  <= '0;
      begun_q <= '0;
      addr_q  <= '0;
    end else begin
      write_q <= write_q + $bits(write_q)'(push);
      read_q  <= read_q + $bits(read_q)'(pop);
      held_q  <= held_q + $bits(held_q)'(push) - $bits(held_q)'(pop);
      begun_q <= begun_q + $bits(begun_q)'(word_begins_i && in_use_i) - $bits(begun_q)'(pop);
      if (start_i) addr_q <= spad_addr_t'(instr_i.address >> 3);
      else if (pop) addr_q <= addr_q + 1'b1;
    end
  end
  logic [71:0] head;
  assign head = fifo_q[read_q];
  assign access_o = '{valid: held_q != '0, write: 1'b1, addr: addr_q, data: head[63:0], strb: head[71:64]};
  assign room_o = begun_q < ($clog2(Depth) + 1)'(Depth);
  assign busy_o = begun_q != '0;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) push |-> held_q < ($clog2(Depth) + 1)'(Depth))
  else $error("a word that no room was kept for");
  assert property (@(posedge clk_i) disable iff (!rst_ni) used |-> tick)
  else $error("an element beside its place");
`endif

endmodule
