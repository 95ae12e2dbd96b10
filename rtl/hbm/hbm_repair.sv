// Gives rows that failed a memory test spare rows when the test has ended: one a cycle, the lowest free spare first. A row that has one already
// shows that this spare is bad: it is marked dead, and the row gets another. Nothing moves while the test runs, since a spare that comes in half
// way has not been written by it.
module hbm_repair
  import hbm_pkg::*;
(
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 start_i,      // a test starts: the rows of the last one are forgotten
    input  logic                 wrong_i,      // something of a row was wrong
    input  row_t                 wrong_row_i,
    input  logic                 assign_i,     // the test has ended, and its rows shall get spares
    input  spare_t [Spares-1:0]  spares_i,
    output logic   [Spares-1:0]  load_o,
    output spare_t [Spares-1:0]  spares_o,
    output logic                 busy_o,
    output logic                 exhausted_o   // more rows failed than there were spares for
);
  localparam int unsigned CountWidth = $clog2(Spares + 1);
  typedef logic [CountWidth-1:0] count_t;

  row_t [Spares-1:0] rows_q;  // that failed, each once
  count_t count_q;
  logic busy_q, more_q, exhausted_q;

  logic known;
  always_comb begin
    known = 1'b0;
    for (int unsigned r = 0; r < Spares; r++) if (count_t'(r) < count_q && rows_q[r] == wrong_row_i) known = 1'b1;
  end

  // The spare that the present row gets.
  logic [Spares-1:0] free, chosen, bad;
  row_t row;
  always_comb begin
    row = rows_q[0];
    for (int unsigned s = 0; s < Spares; s++) begin
      free[s] = !spares_i[s].enable;
      bad[s]  = spares_i[s].enable && !spares_i[s].dead && spares_i[s].row == row;
    end
    chosen = free & (~free + 1'b1);
    load_o = busy_q ? chosen | bad : '0;
    for (int unsigned s = 0; s < Spares; s++) spares_o[s] = '{enable: 1'b1, dead: bad[s], row: row};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rows_q <= '0;
      count_q <= '0;
      busy_q <= 1'b0;
      more_q <= 1'b0;
      exhausted_q <= 1'b0;
    end else if (start_i) begin
      count_q <= '0;
      more_q <= 1'b0;
      exhausted_q <= 1'b0;
    end else if (busy_q) begin
      rows_q <= rows_q >> RowWidth;
      count_q <= count_q - 1'b1;
      busy_q <= count_q != count_t'(1);
      if (free == '0) exhausted_q <= 1'b1;
    end else if (assign_i) begin
      busy_q <= count_q != '0;
      if (more_q) exhausted_q <= 1'b1;
    end else if (wrong_i && !known) begin
      if (count_q == count_t'(Spares)) begin
        more_q <= 1'b1;
      end else begin
        rows_q[count_q[CountWidth-2:0]] <= wrong_row_i;
        count_q <= count_q + 1'b1;
      end
    end
  end

  assign busy_o = busy_q;
  assign exhausted_o = exhausted_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) busy_q |-> count_q != '0)
  else $error("a spare for no row");
`endif
endmodule
