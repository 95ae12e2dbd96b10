// Memory test: March C- (M. Marinescu, "Simple and Efficient Algorithms for Functional RAM Testing", ITC 1982) over bursts, once for each
// selected background. docs/hbm.md says what a block step is.
module hbm_bist
  import hbm_pkg::*;
(
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     start_i,         // pulse
    input  logic                     abort_i,         // pulse: ends at once
    input  logic        [ 4:0]       tests_i,
    input  logic        [ 2:0]       burst_i,
    input  logic        [31:0]       seed_i,
    input  logic        [31:0]       base_i,
    input  logic        [31:0]       length_i,
    input  logic        [31:0]       size_i,
    output logic                     done_o,          // pulse: ran to its end
    output logic                     fail_o,
    output test_e                    test_o,
    output logic        [ 2:0]       element_o,
    output logic        [31:0]       blocks_o,
    output logic        [31:0]       errors_o,
    output logic        [15:0]       bus_errors_o,
    output test_e                    first_test_o,
    output logic        [ 2:0]       first_element_o,
    output logic                     first_bus_error_o,
    output logic        [31:0]       first_offset_o,
    output logic        [63:0]       first_bits_o,
    output logic [Lanes-1:0][23:0]   lane_errors_o,
    output logic                     wrong_o,         // pulse: something of `wrong_row_o` was wrong
    output row_t                     wrong_row_o,
    output engine_req_t              req_o,
    input  engine_rsp_t              rsp_i
);
  localparam logic [2:0] LastElement = 3'd5;

  typedef enum logic [2:0] {
    Idle,
    Choose,
    Ask,
    Read,
    Write,
    Next
  } state_e;
  typedef logic [7:0] count_t;  // of words in a block, and of what happened to them

  state_e state_q;
  logic [4:0] todo_q;
  test_e test_q;
  logic [2:0] element_q;
  logic writing_q;       // the block's second half
  logic [28:0] block_q;
  count_t asked_q, moved_q, answered_q;

  // ------------------------------------------------------------------------------------------------------------------------- range
  logic lines;
  logic [2:0] burst;
  count_t words;
  logic [28:0] last_block;
  logic [4:0] top_line;
  logic [31:0] block_offset;
  always_comb begin
    top_line = '0;
    for (int unsigned b = 0; b < 32; b++) if (32'(1) << b < size_i) top_line = 5'(b);
  end
  assign lines = test_q == TestLines;
  assign burst = lines ? 3'd0 : burst_i;
  assign words = count_t'(1) << burst;
  assign last_block = lines ? {24'd0, top_line} - 29'd2 : (length_i[31:3] >> burst) - 29'd1;
  always_comb begin
    if (lines) block_offset = block_q == '0 ? '0 : 32'd4 << block_q[4:0];
    else block_offset = base_i + ({block_q, 3'd0} << burst);
  end

  // ---------------------------------------------------------------------------------------------------------------------- elements
  logic has_read, has_write, down, inverse;
  assign has_read = element_q != 3'd0;
  assign has_write = element_q != LastElement;
  assign down = element_q == 3'd3 || element_q == 3'd4;
  assign inverse = writing_q ? element_q == 3'd1 || element_q == 3'd3 : element_q == 3'd2 || element_q == 3'd4;

  // Single words go downwards, a burst upwards.
  logic singles;
  count_t bursts, last_word, asked_word, moved_word, answered_word;
  assign singles = writing_q && down;
  assign bursts = singles ? words : count_t'(1);
  assign last_word = words - count_t'(1);
  assign asked_word = singles ? last_word - asked_q : '0;
  assign moved_word = singles ? last_word - moved_q : moved_q;
  assign answered_word = singles ? last_word - answered_q : '0;

  function automatic logic [31:0] offset_of(logic [31:0] block, count_t word);
    return block + {21'd0, word, 3'd0};
  endfunction
  logic [31:0] moved_offset, answered_offset;
  logic [63:0] data, differ;
  assign moved_offset = offset_of(block_offset, moved_word);
  assign answered_offset = offset_of(block_offset, answered_word);
  assign data = background(test_q, seed_i, moved_offset) ^ {64{inverse}};
  assign differ = rsp_i.r_data ^ data;

  logic ask, read_end, write_end;
  assign ask = (state_q == Ask || state_q == Write) && asked_q != bursts;
  assign read_end = rsp_i.r_valid && rsp_i.r_last;
  assign write_end = rsp_i.b_valid && answered_q == bursts - count_t'(1);
  assign req_o = '{
          valid: ask,
          write: writing_q,
          offset: offset_of(block_offset, asked_word),
          len: singles ? 8'd0 : last_word,
          w_data: data
      };

  // ---------------------------------------------------------------------------------------------------------------------- sequence
  function automatic test_e lowest(logic [4:0] set);
    test_e test;
    test = TestSolid;
    for (int unsigned t = 0; t < 5; t++) if (set[4-t]) test = test_e'(3'(4 - t));
    return test;
  endfunction

  // The direction of an element, before it begins.
  function automatic logic goes_down(logic [2:0] element);
    return element == 3'd3 || element == 3'd4;
  endfunction

  logic block_last;
  logic [2:0] next_element;
  assign block_last = down ? block_q == '0 : block_q == last_block;
  assign next_element = element_q + 3'd1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      todo_q <= '0;
      test_q <= TestSolid;
      element_q <= '0;
      writing_q <= 1'b0;
      block_q <= '0;
      asked_q <= '0;
      moved_q <= '0;
      answered_q <= '0;
    end else if (abort_i) begin
      state_q <= Idle;
    end else begin
      unique case (state_q)
        Idle:
        if (start_i) begin
          state_q <= Choose;
          todo_q <= tests_i;
        end
        Choose: begin
          state_q <= todo_q == '0 ? Idle : Ask;
          if (todo_q != '0) test_q <= lowest(todo_q);
          todo_q <= todo_q & (todo_q - 5'd1);
          element_q <= '0;
          writing_q <= 1'b1;
          block_q <= '0;
          asked_q <= '0;
          moved_q <= '0;
          answered_q <= '0;
        end
        Ask:
        if (rsp_i.ready) begin
          state_q <= writing_q ? Write : Read;
          asked_q <= asked_q + count_t'(1);
        end
        Read:
        if (read_end) begin
          state_q <= has_write ? Ask : Next;
          writing_q <= has_write;
          asked_q <= '0;
        end
        Write: begin
          if (ask && rsp_i.ready) asked_q <= asked_q + count_t'(1);
          if (write_end) state_q <= Next;
        end
        Next: begin
          state_q <= Ask;
          asked_q <= '0;
          writing_q <= !has_read;
          block_q <= down ? block_q - 29'd1 : block_q + 29'd1;
          if (block_last) begin
            element_q <= next_element;
            writing_q <= 1'b0;
            block_q <= goes_down(next_element) ? last_block : '0;
            if (element_q == LastElement) begin
              state_q <= Choose;
              element_q <= element_q;
            end
          end
        end
        default: state_q <= Idle;
      endcase
      if (state_q == Next || (state_q == Read && read_end)) begin
        moved_q <= '0;
        answered_q <= '0;
      end else if (state_q != Choose) begin
        if (writing_q ? rsp_i.w_ready : rsp_i.r_valid) moved_q <= moved_q + count_t'(1);
        if (rsp_i.b_valid) answered_q <= answered_q + count_t'(1);
      end
    end
  end
  assign done_o = state_q == Choose && todo_q == '0;

  // ----------------------------------------------------------------------------------------------------------------------- verdict
  logic running, bus_error;
  logic [63:0] wrong_bits;
  assign running = state_q != Idle && state_q != Choose;
  assign bus_error = (rsp_i.r_valid || rsp_i.b_valid) && rsp_i.error;
  assign wrong_bits = rsp_i.r_valid && !rsp_i.error ? differ : '0;
  assign wrong_o = running && (bus_error || wrong_bits != '0);
  logic [31:0] wrong_offset;
  assign wrong_offset = rsp_i.r_valid ? moved_offset : answered_offset;
  assign wrong_row_o = wrong_offset[31:RowBytesLog2];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      errors_o <= '0;
      bus_errors_o <= '0;
      first_test_o <= TestSolid;
      first_element_o <= '0;
      first_bus_error_o <= 1'b0;
      first_offset_o <= '0;
      first_bits_o <= '0;
      lane_errors_o <= '0;
      blocks_o <= '0;
    end else if (state_q == Idle) begin
      if (start_i) begin
        errors_o <= '0;
        bus_errors_o <= '0;
        first_test_o <= TestSolid;
        first_element_o <= '0;
        first_bus_error_o <= 1'b0;
        first_offset_o <= '0;
        first_bits_o <= '0;
        lane_errors_o <= '0;
        blocks_o <= '0;
      end
    end else begin
      if (state_q == Next && blocks_o != '1) blocks_o <= blocks_o + 32'd1;
      if (wrong_o) begin
        if (errors_o != '1) errors_o <= errors_o + 32'd1;
        if (bus_error && bus_errors_o != '1) bus_errors_o <= bus_errors_o + 16'd1;
        for (int unsigned lane = 0; lane < Lanes; lane++)
          if (wrong_bits[lane*8+:8] != '0 && lane_errors_o[lane] != '1) lane_errors_o[lane] <= lane_errors_o[lane] + 24'd1;
        if (errors_o == '0) begin
          first_test_o <= test_q;
          first_element_o <= element_q;
          first_bus_error_o <= bus_error;
          first_offset_o <= wrong_offset;
          first_bits_o <= wrong_bits;
        end
      end
    end
  end
  assign fail_o = errors_o != '0;
  assign test_o = test_q;
  assign element_o = element_q;

  logic unused;
  assign unused = ^length_i[2:0];

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) element_q <= LastElement)
  else $error("no such march element");
  assert property (@(posedge clk_i) disable iff (!rst_ni) req_o.valid && !abort_i && !rsp_i.ready |=> req_o.valid)
  else $error("a request was taken back");
`endif
endmodule
