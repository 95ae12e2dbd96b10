// Packets of one class as they come from the mesh, out of the class's channels, a packet at a time: proven by their CRC, and only then seen by
// whoever reads the queue. A damaged packet vanishes whole. So do packets for which there is no room in time, until the reader goes on: a node that
// hangs must not fill the mesh.
module mesh_ni_in
  import mesh_pkg::*;
  import mesh_ni_pkg::*;
#(
    parameter int unsigned Channels = 2,
    parameter bit Response = 1'b0
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic [15:0]         timeout_i,
    // Channels: the flit that is next in each.
    input  logic [Channels-1:0] valid_i,
    input  logic [Channels-1:0] tail_i,
    input  logic [Channels-1:0][DataWidth-1:0] data_i,
    output logic [Channels-1:0] pop_o,
    // Queues: requests; or read responses, write responses.
    output logic [1:0]          push_o,
    output logic [1:0]          commit_o,
    output logic [1:0]          rollback_o,
    output logic [63:0]         data_o,
    input  logic [1:0]          full_i,
    input  logic [1:0]          read_i,     // one cycle: a flit was read
    output logic                damaged_o  // one cycle
);
  localparam int unsigned Bits = Channels > 1 ? $clog2(Channels) : 1;

  logic [Bits-1:0] select_q, select;
  logic busy_q, queue_q, queue, bad_q, bad;
  logic [1:0] hangs_q;
  logic [15:0] waited_q;
  logic [4:0] left_q;
  logic [31:0] crc_q, crc;
  logic tail, takes, known, good;
  logic [DataWidth-1:0] data;
  link_pkg::head_t head;

  always_comb begin
    select = select_q;
    if (!busy_q) for (int unsigned c = 0; c < Channels; c++) if (valid_i[c] && Bits'(c) != select_q) select = Bits'(c);
  end
  assign tail = tail_i[select];
  assign data = data_i[select];
  assign head = to_head(data);
  assign crc = crc_of(crc_q, data);
  assign known = Response ? head.kind inside {link_pkg::PktReadResp, link_pkg::PktWriteResp} :
      head.kind inside {link_pkg::PktRead, link_pkg::PktWrite};
  assign queue = busy_q ? queue_q : Response && head.kind == link_pkg::PktWriteResp;
  // Of a good packet nothing is left, and its last flit is the CRC of all before.
  assign good = busy_q && !bad_q && left_q == '0 && data == {32'd0, ~crc_q};
  assign bad = hangs_q[queue] || (busy_q ? bad_q || left_q == '0 : !known);
  assign takes = valid_i[select] && (tail || !full_i[queue] || bad);

  always_comb begin
    pop_o = '0;
    pop_o[select] = takes;
    push_o = '0;
    commit_o = '0;
    rollback_o = '0;
    if (takes && !tail) push_o[queue] = !bad;
    if (takes && tail) begin
      commit_o[queue] = good;
      rollback_o[queue] = !good;
    end
  end
  assign data_o = busy_q ? data : head;
  assign damaged_o = takes && tail && !good;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      select_q <= '0;
      busy_q   <= 1'b0;
      queue_q  <= 1'b0;
      bad_q    <= 1'b0;
      left_q   <= '0;
      crc_q    <= '1;
      hangs_q  <= '0;
      waited_q <= '0;
    end else begin
      waited_q <= valid_i[select] && !takes ? waited_q + 16'd1 : '0;
      for (int unsigned q = 0; q < 2; q++) if (read_i[q]) hangs_q[q] <= 1'b0;
      if (valid_i[select] && !takes && waited_q >= timeout_i && !read_i[queue]) hangs_q[queue] <= 1'b1;
      if (takes) begin
        select_q <= select;
        busy_q   <= !tail;
        queue_q  <= queue;
        crc_q    <= tail ? '1 : crc;
        bad_q    <= (busy_q && bad_q) || bad;  // longer than it says, unknown, or no room
        if (!busy_q) left_q <= link_pkg::body_flits(head);
        else if (left_q != '0) left_q <= left_q - 5'd1;
      end
    end
  end

  logic unused;
  assign unused = ^head;
endmodule
