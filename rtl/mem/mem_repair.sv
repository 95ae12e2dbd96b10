// Gives words that failed a memory test spare rows when the test has ended: one a cycle, the lowest free row first. A word that has one
// already shows that this row is bad: it is marked dead, and the word gets another. Nothing moves while the test runs, since a row that
// comes in half way has not been written by it.
module mem_repair #(
    parameter int unsigned AddrWidth = 1,
    parameter int unsigned Spares = 2
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic                              start_i,       // a test starts: the words of the last one are forgotten
    input  logic                              wrong_i,       // a word read back wrong
    input  logic             [AddrWidth-1:0]  wrong_addr_i,
    input  logic                              assign_i,      // the test has ended, and its words shall get spares
    // The map: row s stands in for the word at its address when it is enabled and not dead.
    input  logic [Spares-1:0]                 enable_i,
    input  logic [Spares-1:0]                 dead_i,
    input  logic [Spares-1:0][AddrWidth-1:0]  addr_i,
    output logic [Spares-1:0]                 load_o,        // these become enabled, for the word `addr_o`
    output logic [Spares-1:0]                 dead_o,        // or dead, with the address that found them out
    output logic             [AddrWidth-1:0]  addr_o,
    output logic                              busy_o,
    output logic                              exhausted_o    // more words failed than there were spares for
);

  localparam int unsigned CountWidth = $clog2(Spares + 1);
  typedef logic [CountWidth-1:0] count_t;
  typedef logic [AddrWidth-1:0] addr_t;

  // Words that failed, each once.
  addr_t [Spares-1:0] words_q;
  count_t count_q;
  logic busy_q, exhausted_q, more_q, assign_q;

  logic known;
  always_comb begin
    known = 1'b0;
    for (int unsigned w = 0; w < Spares; w++) if (count_t'(w) < count_q && words_q[w] == wrong_addr_i) known = 1'b1;
  end

  // The spare that the present word gets.
  logic [Spares-1:0] free, bad;
  addr_t word;
  assign word = words_q[0];
  always_comb begin
    for (int unsigned s = 0; s < Spares; s++) begin
      free[s] = !enable_i[s];
      bad[s]  = enable_i[s] && !dead_i[s] && addr_i[s] == word;
    end
  end
  assign load_o = busy_q ? (free & (~free + 1'b1)) | bad : '0;
  assign dead_o = bad;
  assign addr_o = word;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      words_q <= '0;
      count_q <= '0;
      busy_q <= 1'b0;
      exhausted_q <= 1'b0;
      more_q <= 1'b0;
      assign_q <= 1'b0;
    end else begin
      // The last read is judged in the very cycle in which the test ends.
      assign_q <= assign_i;
      if (start_i) begin
        count_q <= '0;
        more_q <= 1'b0;
        exhausted_q <= 1'b0;
      end else if (busy_q) begin
        words_q <= words_q >> AddrWidth;
        count_q <= count_q - 1'b1;
        busy_q <= count_q != count_t'(1);
        if (free == '0) exhausted_q <= 1'b1;
      end else if (assign_q) begin
        busy_q <= count_q != '0;
        if (more_q) exhausted_q <= 1'b1;
      end else if (wrong_i && !known) begin
        if (count_q == count_t'(Spares)) begin
          more_q <= 1'b1;
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
