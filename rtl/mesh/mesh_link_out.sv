// Packets of one class from the router's channels to the link, one at a time and whole: the link begins with a packet when it has credit for all of
// it, so it must know how long it is.
module mesh_link_out
  import mesh_pkg::*;
  import mesh_link_pkg::*;
#(
    parameter int unsigned Channels = 2,
    parameter int unsigned First = 0,    // number of the first of them
    parameter bit Response = 1'b0
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                enable_i,  // off: the router has cut off its packets, and what has come of them is thrown away
    // Channels: the flit that is next in each.
    input  logic [Channels-1:0] valid_i,
    input  logic [Channels-1:0] tail_i,
    input  port_t [Channels-1:0] port_i,   // of a head
    input  logic [Channels-1:0][DataWidth-1:0] data_i,
    output logic [Channels-1:0] pop_o,
    // To the link.
    output link_pkg::flit_t     flit_o,
    input  logic                flit_ready_i,
    output logic                too_long_o  // one cycle: a packet of more than MaxFlits was thrown away
);
  localparam int unsigned Bits = Channels > 1 ? $clog2(Channels) : 1;
  localparam int unsigned Packets = 4;  // that may wait

  // Gather
  logic [Bits-1:0] select_q, select;
  logic busy_q, tail, bad, takes, full;
  logic [5:0] count_q, count;  // flits, MaxFlits + 1 at the most
  port_t port_q;
  logic [$clog2(Packets+1)-1:0] packets_q, packets;  // that wait; with the one that comes now
  place_t place, next;
  logic place_valid, place_pop;

  always_comb begin
    select = select_q;
    if (!busy_q) for (int unsigned c = 0; c < Channels; c++) if (valid_i[c] && Bits'(c) != select_q) select = Bits'(c);
  end
  assign tail = tail_i[select];
  assign count = !busy_q ? 6'd1 : count_q > 6'(MaxFlits) ? count_q : count_q + 6'd1;
  assign bad = count > 6'(MaxFlits) || !enable_i;
  assign takes = enable_i && valid_i[select] && (bad || !full) && (busy_q || packets_q < $bits(packets_q)'(Packets));
  assign place = '{length: count[4:0], vc: vc_t'(First) + vc_t'(select), port: busy_q ? port_q : port_i[select]};
  assign too_long_o = takes && tail && bad;

  always_comb begin
    pop_o = enable_i ? '0 : valid_i;
    pop_o[select] = takes || (!enable_i && valid_i[select]);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      select_q  <= '0;
      busy_q    <= 1'b0;
      count_q   <= '0;
      port_q    <= Nowhere;
      packets_q <= '0;
    end else begin
      packets_q <= packets_q + $bits(packets_q)'(takes && tail && !bad) - $bits(packets_q)'(place_pop);
      if (!enable_i) busy_q <= 1'b0;
      else if (takes) begin
        select_q <= select;
        busy_q   <= !tail;
        count_q  <= count;
        if (!busy_q) port_q <= port_i[select];
      end
    end
  end

  // Wait
  logic [DataWidth-1:0] data;
  logic data_valid, data_pop;
  logic [7:0] used;
  link_packet_fifo #(
      .Depth(64)
  ) u_packets (
      .clk_i,
      .rst_ni,
      .push_i(takes && !bad),
      .data_i(data_i[select]),
      .commit_i(takes && tail && !bad),
      .rollback_i(bad && (takes || !enable_i)),
      .full_o(full),
      .used_o(used),
      .valid_o(data_valid),
      .data_o(data),
      .pop_i(data_pop)
  );
  mesh_fifo #(
      .Depth(Packets),
      .T(place_t)
  ) u_places (
      .clk_i,
      .rst_ni,
      .push_i(takes && tail && !bad),
      .data_i(place),
      .valid_o(place_valid),
      .data_o(next),
      .pop_i(place_pop),
      .count_o(packets)
  );

  // Send: a head that says how long it is, then the packet
  length_t left_q;
  always_comb begin
    flit_o.head = left_q == '0;
    flit_o.valid = flit_o.head ? place_valid : data_valid;
    flit_o.last = left_q == length_t'(1);
    flit_o.traffic = Response ? link_pkg::ClassReadResp : link_pkg::ClassRequest;
    flit_o.data = flit_o.head ? to_link(next, Response) : data;
  end
  assign place_pop = flit_o.valid && flit_o.head && flit_ready_i;
  assign data_pop = flit_o.valid && !flit_o.head && flit_ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else if (place_pop) left_q <= next.length;
    else if (data_pop) left_q <= left_q - length_t'(1);
  end

  logic unused;
  assign unused = ^{used, packets};
endmodule
