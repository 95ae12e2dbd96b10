// Packets of one class, from two sources in turn, as flits for the mesh: the head becomes a header, and a CRC over header and body goes
// behind them, so that what another node gets is what was sent or nothing.
module mesh_ni_tx
  import mesh_pkg::*;
  import mesh_ni_pkg::*;
#(
    parameter bit Response = 1'b0
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  node_t                 here_i,
    input  link_pkg::flit_t [1:0] packet_i,
    output logic [1:0]            packet_ready_o,
    // To the mesh; all but `vc` and `port`.
    output flit_t                 flit_o,
    output node_t                 dst_o,    // of its packet
    input  logic                  ready_i
);
  logic select_q, select, busy_q, ends_q, takes;
  link_pkg::flit_t packet;
  node_t dst_q;
  logic [31:0] crc_q;

  assign select = busy_q ? select_q : packet_i[!select_q].valid ? !select_q : select_q;
  assign packet = packet_i[select];
  assign takes = packet.valid && !ends_q && ready_i;
  always_comb begin
    packet_ready_o = '0;
    packet_ready_o[select] = !ends_q && ready_i;
  end

  link_pkg::head_t head;
  assign head = packet.data;
  always_comb begin
    flit_o = '0;
    flit_o.valid = ends_q || packet.valid;
    flit_o.head = !busy_q;
    flit_o.tail = ends_q;
    flit_o.data = ends_q ? {32'd0, ~crc_q} : busy_q ? packet.data : to_header(head, here_i, Response);
  end
  assign dst_o = busy_q ? dst_q : head.node;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      select_q <= 1'b0;
      busy_q   <= 1'b0;
      ends_q   <= 1'b0;
      dst_q    <= '0;
      crc_q    <= '1;
    end else if (takes) begin
      select_q <= select;
      busy_q   <= 1'b1;
      ends_q   <= packet.last;
      dst_q    <= dst_o;
      crc_q    <= crc_of(crc_q, flit_o.data);
    end else if (ends_q && ready_i) begin
      busy_q <= 1'b0;
      ends_q <= 1'b0;
      crc_q  <= '1;
    end
  end

  logic unused;
  assign unused = ^{packet.head, packet.traffic};
endmodule
