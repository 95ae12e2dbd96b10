// The moving side of one row: reads its partition when a vector comes by, and puts the elements before the row's two steps, two cycles later
// (the second step's FmaLatency cycles after the first's). Its reads always win, so a vector never waits once it is under way.
module tensor_moving_row
  import tensor_pkg::*;
  import fp_pkg::*;
#(
    parameter int unsigned ROW = 0
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              valid_i,
    input  vector_t           vector_i,
    output spad_read_t        read_o,
    input  logic       [63:0] data_i,      // a cycle after the read
    input  logic              bad_i,
    output moving_t    [ 1:0] moving_o,
    output flags_t            flags_o,     // of widening, with the elements
    output logic              bad_o,       // this row's read of a cycle before met an uncorrectable error
    output spad_addr_t        bad_addr_o,
    output slot_t             bad_slot_o
);

  /* verilator no_inline_module */  // as tensor_cell

  logic first, second, fetch;
  assign first = valid_i && (vector_i.double_row ? vector_i.k > 6'(2 * ROW) : vector_i.k > 6'(ROW));
  assign second = valid_i && vector_i.double_row && vector_i.k > 6'(2 * ROW + 1);
  assign fetch = first && vector_i.fetch;
  assign read_o = '{valid: fetch, addr: vector_i.addr};

  // The word is there.
  logic first_q, second_q, fetch_q, transpose_q, sbank_q;
  logic [2:0] index_q;
  format_e format_q;
  slot_t slot_q;
  spad_addr_t addr_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q     <= 1'b0;
      second_q    <= 1'b0;
      fetch_q     <= 1'b0;
      transpose_q <= 1'b0;
      sbank_q     <= 1'b0;
      index_q     <= '0;
      format_q    <= Fp32;
      slot_q      <= '0;
      addr_q      <= '0;
    end else begin
      first_q     <= first;
      second_q    <= second;
      fetch_q     <= fetch;
      transpose_q <= valid_i && vector_i.transpose && vector_i.row == lane_t'(ROW);
      if (valid_i) begin
        sbank_q  <= vector_i.sbank;
        index_q  <= vector_i.index;
        format_q <= vector_i.format;
      end
      if (fetch) begin
        slot_q <= vector_i.slot;
        addr_q <= vector_i.addr;
      end
    end
  end

  logic [63:0] word, word_q;
  logic rotten, rotten_q;
  assign word = fetch_q ? data_i : word_q;
  assign rotten = fetch_q ? bad_i : rotten_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      word_q   <= '0;
      rotten_q <= 1'b0;
    end else if (fetch_q) begin
      word_q   <= data_i;
      rotten_q <= bad_i;
    end
  end
  assign bad_o = fetch_q && bad_i;
  assign bad_addr_o = addr_q;
  assign bad_slot_o = slot_q;

  logic [31:0] wide0, wide1;
  flags_t flags0, flags1;
  fp_widen u_widen0 (
      .format_i(format_q),
      .value_i(element_of(format_q, word, index_q)),
      .value_o(wide0),
      .flags_o(flags0)
  );
  fp_widen u_widen1 (
      .format_i(format_q),
      .value_i({24'd0, word[{index_q[2:1], 4'd8}+:8]}),
      .value_o(wide1),
      .flags_o(flags1)
  );

  // A rotten word's elements are NaN: no product of theirs looks like a number.
  moving_t step0_d, step0_q, step1_d, step1_q;
  flags_t flags_q;
  always_comb begin
    step0_d = '{take_part: first_q, transpose: transpose_q, sbank: sbank_q, value: rotten ? Fp32Nan : wide0};
    step1_d = '{take_part: second_q, transpose: 1'b0, sbank: sbank_q, value: rotten ? Fp32Nan : wide1};
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step0_q <= '0;
      step1_q <= '0;
      flags_q <= '0;
    end else begin
      if (first_q || transpose_q) step0_q <= step0_d;
      else begin
        step0_q.take_part <= 1'b0;
        step0_q.transpose <= 1'b0;
      end
      if (second_q) step1_q <= step1_d;
      else step1_q.take_part <= 1'b0;
      flags_q <= (first_q && !rotten ? flags0 : '0) | (second_q && !rotten ? flags1 : '0);
    end
  end
  assign moving_o[0] = step0_q;
  logic unused;
  assign unused = step1_q.transpose;
  assign flags_o = flags_q;

  logic second_late;
  logic [32:0] late;
  tensor_delay #(
      .WIDTH(33),
      .DEPTH(FmaLatency)
  ) u_late (
      .clk_i,
      .rst_ni,
      .valid_i(step1_q.take_part),
      .value_i({step1_q.sbank, step1_q.value}),
      .valid_o(second_late),
      .value_o(late)
  );
  assign moving_o[1] = '{take_part: second_late, transpose: 1'b0, sbank: late[32], value: late[31:0]};

endmodule
