// Gives words that failed a memory test spare rows when the test has ended: one a cycle, the lowest free row first. A word that has one
// already shows that this row is bad: it is marked dead, and the word gets another. Nothing moves while the test runs, since a row that
// comes in half way has not been written by it.
module sram_repair
  import sram_pkg::*;
(
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    start_i,       // a test starts: the words of the last one are forgotten
    input  logic                    wrong_i,       // a word read back wrong
    input  word_addr_t              wrong_addr_i,
    input  logic                    assign_i,      // the test has ended, and its words shall get spares
    input  spare_t     [Spares-1:0] spares_i,
    output logic       [Spares-1:0] load_o,
    output spare_t     [Spares-1:0] spares_o,
    output logic                    busy_o,
    output logic                    exhausted_o    // more words failed than there were spares for
);

  localparam int unsigned CountWidth = $clog2(Spares + 1);

  // Words that failed, each once.
  word_addr_t [Spares-1:0] words_q;
  logic [CountWidth-1:0] count_q;
  logic busy_q, exhausted_q, assign_q;

  logic known;
  always_comb begin
    known = 1'b0;
    for (int unsigned w = 0; w < Spares; w++) if (CountWidth'(w) < count_q && words_q[w] == wrong_addr_i) known = 1'b1;
  end

  // The spare that the present word gets.
  logic [Spares-1:0] free, chosen, bad;
  word_addr_t word;
  always_comb begin
    word = words_q[0];
    for (int unsigned s = 0; s < Spares; s++) begin
      free[s] = !spares_i[s].enable;
      bad[s]  = spares_i[s].enable && !spares_i[s].dead && spares_i[s].addr == word;
    end
    chosen = free & (~free + 1'b1);
    load_o = busy_q ? chosen | bad : '0;
    for (int unsigned s = 0; s < Spares; s++)
      spares_o[s] = '{enable: 1'b1, dead: bad[s], addr: word};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      words_q <= '0;
      count_q <= '0;
      busy_q <= 1'b0;
      exhausted_q <= 1'b0;
      assign_q <= 1'b0;
    end else begin
      // The last read is judged in the very cycle in which the test ends.
      assign_q <= assign_i;
      if (start_i) begin
        count_q <= '0;
        exhausted_q <= 1'b0;
      end else if (busy_q) begin
        words_q <= words_q >> WordAddrWidth;
        count_q <= count_q - 1'b1;
        busy_q <= count_q != CountWidth'(1);
        if (free == '0) exhausted_q <= 1'b1;
      end else if (assign_q) begin
        busy_q <= count_q != '0;
      end else if (wrong_i && !known) begin
        if (count_q == CountWidth'(Spares)) begin
          exhausted_q <= 1'b1;
        end else begin
          words_q[count_q[CountWidth-2:0]] <= wrong_addr_i;
          count_q <= count_q + 1'b1;
        end
      end
    end
  end

  assign busy_o = busy_q || assign_q;
  assign exhausted_o = exhausted_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) busy_q |-> count_q != '0)
  else $error("a spare for no word");
  assert property (@(posedge clk_i) disable iff (!rst_ni) assign_i |-> !busy_q)
  else $error("a test ended while the last one's words still get spares");
`endif

endmodule
