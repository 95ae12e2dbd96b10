// AXI read channels to words of the scratchpad: a beat a cycle, bursts back to back, answers in order.
module tensor_axi_read
  import tensor_pkg::*;
  import tern_pkg::*;
(
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      ar_valid_i,
    input  axi_ax_t   ar_i,
    output logic      ar_ready_o,
    output logic      r_valid_o,
    output axi_r_t    r_o,
    input  logic      r_ready_i,
    output bus_read_t read_o,
    input  bus_data_t data_i,
    output logic      busy_o
);

  localparam int unsigned Depth = 4;

  logic burst_valid, last, pop;
  axi_ax_t burst;
  axi_fifo #(.T(axi_ax_t)) u_ar (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(ar_valid_i), .ready_o(ar_ready_o), .data_i(ar_i), .valid_o(burst_valid),
      .ready_i(data_i.ready && last), .data_o(burst));

  // A read starts only when there is room for its answer.
  logic [7:0] beat_q;
  logic [$clog2(Depth+1)-1:0] room_q;
  logic pending_q, pending_last_q;
  logic [AxiIdWidth-1:0] pending_id_q;
  assign last = beat_q == burst.len;
  assign read_o = '{valid: burst_valid && room_q != '0, word: bus_word_t'(burst.addr[17:3] + 15'(beat_q))};
  assign pop = r_valid_o && r_ready_i;
  assign busy_o = burst_valid || 32'(room_q) != Depth;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q         <= '0;
      room_q         <= ($clog2(Depth+1))'(Depth);
      pending_q      <= 1'b0;
      pending_last_q <= 1'b0;
      pending_id_q   <= '0;
    end else begin
      pending_q <= data_i.ready;
      if (data_i.ready) begin
        beat_q         <= last ? '0 : beat_q + 8'd1;
        pending_last_q <= last;
        pending_id_q   <= burst.id;
      end
      if (data_i.ready && !pop) room_q <= room_q - 1'b1;
      else if (pop && !data_i.ready) room_q <= room_q + 1'b1;
    end
  end

  axi_r_t answer;
  logic unused_space;
  assign answer = '{
          id: pending_id_q,
          data: data_i.data,
          resp: data_i.error ? AxiSlvErr : AxiOkay,
          last: pending_last_q
      };
  axi_fifo #(.Depth(Depth), .T(axi_r_t)) u_r (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(pending_q), .ready_o(unused_space), .data_i(answer), .valid_o(r_valid_o),
      .ready_i(r_ready_i), .data_o(r_o));

  logic unused;
  assign unused = ^{burst.addr[39:18], burst.addr[2:0], unused_space};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) pending_q |-> unused_space)
  else $error("no room for an answer");
`endif

endmodule
