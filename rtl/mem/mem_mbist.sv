// Memory test: March C- (M. Marinescu, "Simple and Efficient Algorithms for Functional RAM Testing", ITC 1982) over raw codewords:
// up(w0) up(r0,w1) up(r1,w0) down(r0,w1) down(r1,w0) up(r0), once for each selected background, the solid one last. Arrays of one size are
// tested side by side: all get the same accesses, each is compared by itself.
module mem_mbist #(
    parameter  int unsigned Words = 2,
    parameter  int unsigned Bits = 8,
    parameter  int unsigned Arrays = 1,
    localparam int unsigned AddrWidth = $clog2(Words),
    localparam int unsigned ArrayWidth = Arrays > 1 ? $clog2(Arrays) : 1
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  logic                             start_i,
    input  logic                             stop_i,
    input  logic [           3:0]            backgrounds_i,
    // What takes part; stays while the test runs.
    input  logic [ AddrWidth-1:0]            last_i,              // last word
    input  logic [      Bits-1:0]            bits_i,
    input  logic [    Arrays-1:0]            arrays_i,
    output logic                             busy_o,
    output logic                             ended_o,             // pulse: ran to its end
    output logic                             done_o,
    output logic                             fail_o,
    output logic [          31:0]            fail_count_o,        // wrong reads, of all arrays
    // The first wrong read; of several in one cycle that of the lowest array.
    output logic [ AddrWidth-1:0]            first_addr_o,
    output logic [ArrayWidth-1:0]            first_array_o,
    output logic [           2:0]            first_element_o,
    output logic [           1:0]            first_background_o,
    output logic [      Bits-1:0]            first_bits_o,
    output logic                             wrong_o,             // pulse: a word read back wrong
    output logic [ AddrWidth-1:0]            wrong_addr_o,
    // An access of all arrays; data come the cycle after a read.
    output logic                             valid_o,
    output logic                             write_o,
    output logic [ AddrWidth-1:0]            addr_o,
    output logic [      Bits-1:0]            data_o,
    input  logic                             ready_i,
    input  logic [    Arrays-1:0][Bits-1:0]  data_i
);

  typedef logic [AddrWidth-1:0] addr_t;
  typedef logic [Bits-1:0] word_t;

  localparam logic [2:0] LastElement = 3'd5;

  // Read under way, compared when its data come.
  typedef struct packed {
    logic       valid;
    addr_t      addr;
    logic [2:0] element;
    logic [1:0] background;
    word_t      expected;
  } check_t;

  logic busy_q, writing_q, last_q;
  logic [2:0] element_q;
  logic [1:0] background_q;
  logic [3:0] todo_q;  // backgrounds after this one
  addr_t addr_q;
  check_t check_q;

  function automatic logic [1:0] highest(logic [3:0] set);
    highest = 2'd0;
    for (int b = 0; b < 4; b++) if (set[b]) highest = 2'(b);
  endfunction
  function automatic word_t pattern(logic [1:0] background, logic inverse);
    logic [7:0] seed;
    unique case (background)
      2'd0: seed = 8'h00;
      2'd1: seed = 8'h55;
      2'd2: seed = 8'h33;
      default: seed = 8'h0f;
    endcase
    return word_t'({(Bits + 7) / 8{inverse ? ~seed : seed}});
  endfunction

  // Elements: has a read (all but 0) and a write (all but 5); the read expects 1 in 2 and 4, the write stores 1 in 1 and 3.
  logic has_read, has_write, down, read_one, write_one, write_now, word_ends, addr_ends;
  logic [3:0] first_set;
  assign has_read = element_q != 3'd0;
  assign has_write = element_q != LastElement;
  assign down = element_q == 3'd3 || element_q == 3'd4;
  assign read_one = element_q == 3'd2 || element_q == 3'd4;
  assign write_one = element_q == 3'd1 || element_q == 3'd3;
  assign write_now = !has_read || writing_q;
  assign word_ends = write_now || !has_write;
  assign addr_ends = addr_q == (down ? '0 : last_i);
  // A test without any background would pass without a test: the solid one then.
  assign first_set = backgrounds_i == '0 ? 4'h1 : backgrounds_i;

  function automatic logic starts_down(logic [2:0] element);
    return element == 3'd3 || element == 3'd4;
  endfunction

  logic step;
  assign step = busy_q && !last_q && ready_i;
  assign valid_o = busy_q && !last_q;
  assign write_o = write_now;
  assign addr_o = addr_q;
  assign data_o = pattern(background_q, write_one);

  logic [2:0] next_element;
  assign next_element = element_q + 3'd1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      writing_q <= 1'b0;
      last_q <= 1'b0;
      element_q <= '0;
      background_q <= '0;
      todo_q <= '0;
      addr_q <= '0;
      check_q <= '0;
    end else begin
      check_q.valid <= 1'b0;
      if (!busy_q) begin
        if (start_i) begin
          busy_q <= 1'b1;
          background_q <= highest(first_set);
          todo_q <= first_set & ~(4'h1 << highest(first_set));
          element_q <= '0;
          addr_q <= '0;
          writing_q <= 1'b0;
          last_q <= 1'b0;
        end
      end else if (stop_i || last_q) begin
        busy_q <= 1'b0;
        last_q <= 1'b0;
      end else if (step) begin
        if (!write_now) begin
          check_q <= '{
              valid: 1'b1,
              addr: addr_q,
              element: element_q,
              background: background_q,
              expected: pattern(background_q, read_one)
          };
        end
        writing_q <= !word_ends;
        if (word_ends) begin
          if (!addr_ends) begin
            addr_q <= down ? addr_q - 1'b1 : addr_q + 1'b1;
          end else if (element_q != LastElement) begin
            element_q <= next_element;
            addr_q <= starts_down(next_element) ? last_i : '0;
          end else if (todo_q != '0) begin
            background_q <= highest(todo_q);
            todo_q <= todo_q & ~(4'h1 << highest(todo_q));
            element_q <= '0;
            addr_q <= '0;
          end else begin
            last_q <= 1'b1;
          end
        end
      end
    end
  end

  // Which arrays are wrong now, and what the lowest of them is.
  logic [Arrays-1:0] wrong;
  logic [ArrayWidth-1:0] wrong_array;
  word_t wrong_bits;
  logic [31:0] wrong_count;
  always_comb begin
    wrong = '0;
    wrong_array = '0;
    wrong_bits = '0;
    wrong_count = '0;
    if (check_q.valid) begin
      for (int a = int'(Arrays) - 1; a >= 0; a--) begin
        if (arrays_i[a] && ((data_i[a] ^ check_q.expected) & bits_i) != '0) begin
          wrong[a] = 1'b1;
          wrong_array = ArrayWidth'(a);
          wrong_bits = (data_i[a] ^ check_q.expected) & bits_i;
          wrong_count = wrong_count + 32'd1;
        end
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      done_o <= 1'b0;
      fail_o <= 1'b0;
      fail_count_o <= '0;
      first_addr_o <= '0;
      first_array_o <= '0;
      first_element_o <= '0;
      first_background_o <= '0;
      first_bits_o <= '0;
    end else if (!busy_q && start_i) begin
      done_o <= 1'b0;
      fail_o <= 1'b0;
      fail_count_o <= '0;
      first_addr_o <= '0;
      first_array_o <= '0;
      first_element_o <= '0;
      first_background_o <= '0;
      first_bits_o <= '0;
    end else begin
      if (ended_o) done_o <= 1'b1;
      if (wrong_o) begin
        fail_o <= 1'b1;
        fail_count_o <= fail_count_o > ~wrong_count ? '1 : fail_count_o + wrong_count;
        if (!fail_o) begin
          first_addr_o <= check_q.addr;
          first_array_o <= wrong_array;
          first_element_o <= check_q.element;
          first_background_o <= check_q.background;
          first_bits_o <= wrong_bits;
        end
      end
    end
  end

  assign wrong_o = wrong != '0;
  assign wrong_addr_o = check_q.addr;
  assign busy_o = busy_q;
  assign ended_o = busy_q && last_q && !stop_i;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) busy_q |-> element_q <= LastElement)
  else $error("no such march element");
`endif

endmodule
