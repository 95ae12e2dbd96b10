// Over a link between an output and an input, with everything else free: what the sender believes is what is so, in each virtual channel, always. So no buffer
// overflows, and no place is lost.
module mesh_credits
  import mesh_pkg::*;
(
    input logic                             clk_i,
    input logic [1:0]                       watch,     // a virtual channel
    input flit_t                            flit_i,    // what the switch of the sender grants
    input config_t                          config_i,  // of the receiver, but for the link itself, which is on
    input port_t [MaxNodes-1:0]             table_i,
    input logic                             tick_i,
    input logic [NumPorts-1:0][MaxVcs-1:0]  room_i,
    input logic [NumPorts-1:0][MaxVcs-1:0]  free_i,
    input ports_t                           grant_i
);
  localparam int unsigned NumVcs = 4;
  localparam int unsigned Depth = 8;
  localparam port_t In = West;
  logic rst_n;
  mesh_open u_open (.clk_i, .rst_no(rst_n));

  flit_t flit;
  logic [MaxVcs-1:0] room, free, credit;
  mesh_output #(.NumVcs(NumVcs), .Depth(Depth)) u_output (
      .clk_i, .rst_ni(rst_n), .enable_i(1'b1), .flit_i, .room_o(room), .free_o(free), .flit_o(flit), .credit_i(credit));

  config_t config_on;
  always_comb begin
    config_on = config_i;
    config_on.enable[In] = 1'b1;
  end
  ports_t request;
  ports_t [CrowdLevels:0] urgency;
  flit_t offered;
  logic [NumVcs-1:0] waiting, left, discarded;
  mesh_input #(.NumVcs(NumVcs), .Depth(Depth), .In(In)) u_input (
      .clk_i, .rst_ni(rst_n), .config_i(config_on), .table_i, .tick_i, .flit_i(flit), .credit_o(credit), .room_i, .free_i, .request_o(request),
      .urgency_o(urgency), .grant_i, .flit_o(offered), .waiting_o(waiting), .left_o(left), .discarded_o(discarded));

  // Places that the sender knows of, flits on the link, flits in the buffer, and credits on the link.
  logic [NumVcs-1:0][3:0] count;
  assign count = {u_input.gen_vc[3].u_vc.u_fifo.count_q, u_input.gen_vc[2].u_vc.u_fifo.count_q, u_input.gen_vc[1].u_vc.u_fifo.count_q,
                  u_input.gen_vc[0].u_vc.u_fifo.count_q};
  logic [5:0] sum;
  assign sum = 6'(u_output.places_q[watch]) + 6'(flit.valid && flit.vc == watch) + 6'(count[watch]) + 6'(credit[watch]);

  always_comb begin
    // The switch: only where there is room, and a head where no packet is; a grant only for a request, one an input.
    if (flit_i.valid) assume (room[flit_i.vc] && flit_i.head == free[flit_i.vc]);
    assume ((grant_i & ~request) == '0);
    assume ((grant_i & (grant_i - 1'b1)) == '0);
    if (rst_n) begin
      assert (sum == 6'(Depth));
      assert (count[watch] <= 4'(Depth));
      // What comes in finds a place.
      if (flit.valid && flit.vc == watch) assert (count[watch] != 4'(Depth));
      // A grant takes one flit out of one channel.
      assert ((left & (left - 1'b1)) == '0);
      assert ((grant_i != '0) == (left != '0));
      assert (offered.valid == (grant_i != '0));
    end
  end

  logic unused;
  assign unused = ^{urgency, waiting, discarded, offered};
endmodule
