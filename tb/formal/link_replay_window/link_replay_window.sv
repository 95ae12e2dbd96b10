// The window: no frame that waits is overwritten or left out, and no frame on its way, however late, is taken for another than it is. Frames
// are counted here without end (in 9 bits); the RTL has the low 6.
module link_replay_window
  import link_pkg::*;
(
    input logic       clk_i,
    input logic [7:0] timeout,
    input logic       enable_i,
    input logic       accept_i,
    input logic       take_i,
    input logic       valid_i,
    input feedback_t  feedback_i,
    input control_t   rx_control_i,
    input logic       send_i,     // this frame is the one that is watched
    input logic       arrive_i,
    input logic       other_i     // another frame arrives
);
  typedef logic [8:0] count_t;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  // The watched frame: its number, and what had been sent when it was.
  logic flies_q;
  count_t number_q, sent_q, base_q, tail_q, expect_q;
  logic ends, holds, arrives;
  count_t tail_d, number;

  link_replay_open u_open (
      .clk_i,
      .rst_ni(rst_n),
      .timeout,
      .enable_i,
      .accept_i,
      .take_i,
      .valid_i,
      .feedback_i,
      .rx_valid_i(arrives || other_i),
      .rx_control_i
  );

  assign ends = take_i && enable_i && u_open.index_q == ControlSlot;
  assign holds = ends && u_open.u_replay.kinds_q != '0;
  assign tail_d = tail_q + {8'd0, u_open.u_replay.commits};
  assign number = tail_q - {3'd0, u_open.u_replay.tail_q - u_open.u_replay.current_q};
  assign arrives = flies_q && arrive_i;

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      flies_q  <= 1'b0;
      number_q <= '0;
      sent_q   <= '0;
      base_q   <= '0;
      tail_q   <= '0;
      expect_q <= '0;
    end else begin
      tail_q <= tail_d;
      base_q <= base_q + (u_open.u_replay.moves ? {3'd0, u_open.u_replay.progress} : '0);
      if (arrives) flies_q <= 1'b0;
      else if (holds && send_i && !flies_q) begin
        flies_q  <= 1'b1;
        number_q <= number;
        sent_q   <= tail_d;
      end
      if (u_open.u_rx.fits) expect_q <= expect_q + 9'd1;
    end
  end

  // Distances of counts: less than half of all.
  function automatic logic not_above(count_t a, count_t b);
    return b - a < 9'd256;
  endfunction

  always_comb begin
    if (rst_n) begin
      // The other end acknowledges what it has, and has what was sent.
      assume (!feedback_i.valid || (u_open.u_replay.progress <= u_open.u_replay.outstanding && not_above(base_q + {3'd0, u_open.u_replay.progress}, expect_q)));
      assume (not_above(base_q, expect_q) && not_above(expect_q, tail_q));
      // Frames arrive in order: whatever came before the watched one was sent before it.
      assume (!flies_q || not_above(expect_q, sent_q));
      assume (!arrives || (rx_control_i.sequence_number == number_q[5:0] && rx_control_i.kinds != '0));
      // A frame's control slot has what its slots were.
      assume (!(ends && u_open.u_replay.mode_q == 2'd0) || u_open.u_replay.kinds_q == '0);

      assert (u_open.u_replay.outstanding <= Window);
      assert (tail_q - base_q == {3'd0, u_open.u_replay.outstanding});
      assert (tail_q[5:0] == u_open.u_replay.tail_q && base_q[5:0] == u_open.u_replay.base_q && expect_q[5:0] == u_open.u_rx.expect_q);
      assert (u_open.u_replay.next - u_open.u_replay.base_q <= u_open.u_replay.outstanding);
      // The frame under way: a new one is the next there is, one that goes again is among the last ones.
      assert (u_open.u_replay.mode_q != 2'd3);
      if (u_open.index_q != '0 && u_open.u_replay.mode_q == 2'd1)
        assert (u_open.u_replay.current_q == u_open.u_replay.tail_q && u_open.u_replay.outstanding != Window);
      if (u_open.index_q != '0 && u_open.u_replay.mode_q == 2'd2)
        assert (u_open.u_replay.tail_q != u_open.u_replay.current_q && u_open.u_replay.tail_q - u_open.u_replay.current_q <= Window);
      // A flit goes to a place that holds no frame that waits.
      if (u_open.u_replay.ready_o) assert (u_open.u_replay.current == u_open.u_replay.tail_q && u_open.u_replay.outstanding != Window);
      // Whatever is on its way is taken for what it is.
      if (flies_q) begin
        assert (tail_q - sent_q <= 9'd32 && sent_q - number_q <= 9'd32 && sent_q != number_q);
        if (arrives && u_open.u_rx.good) begin
          assert (u_open.u_rx.fits == (number_q == expect_q));
          assert (u_open.u_rx.again == (number_q != expect_q && not_above(number_q, expect_q)));
          assert (u_open.u_rx.future == (number_q != expect_q && not_above(expect_q, number_q)));
        end
      end
    end
  end
endmodule
