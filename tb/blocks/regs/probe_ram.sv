// A small memory on the register bus whose answers come after 0 to 3 waits, in a pattern that repeats rarely.
module probe_ram
  import tern_pkg::*;
#(
    parameter int unsigned Words = 16
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     valid_i,
    input  logic                     write_i,
    input  logic [$clog2(Words)-1:0] word_i,
    input  logic [             31:0] wdata_i,
    input  logic [              3:0] strb_i,
    output reg_rsp_t                 rsp_o
);

  logic [31:0] words_q[Words];
  logic [6:0] lfsr_q;
  logic [1:0] wait_q;
  logic answer;
  assign answer = valid_i && wait_q == 2'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lfsr_q <= 7'h1;
      wait_q <= 2'd0;
    end else if (answer) begin
      lfsr_q <= {lfsr_q[5:0], lfsr_q[6] ^ lfsr_q[5]};
      wait_q <= lfsr_q[1:0];
    end else if (valid_i) begin
      wait_q <= wait_q - 2'd1;
    end
  end

  // A word that was not written since the reset reads 0.
  logic [Words-1:0] written_q;
  logic [31:0] old_word, new_word, mask;
  assign old_word = written_q[word_i] ? words_q[word_i] : '0;
  assign mask = {{8{strb_i[3]}}, {8{strb_i[2]}}, {8{strb_i[1]}}, {8{strb_i[0]}}};
  assign new_word = (old_word & ~mask) | (wdata_i & mask);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) written_q <= '0;
    else if (answer && write_i) written_q[word_i] <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (answer && write_i) words_q[word_i] <= new_word;
  end

  assign rsp_o = '{ready: answer, error: 1'b0, rdata: old_word};

endmodule
