// Which virtual channel a packet takes at the next router. It depends on the class and on the packet's way only, so packets of one class from one
// node to another stay in order. Each class has its own channels; within a class they are parted by where packets go from the next router, so
// that one that must wait there is not in the way of others.
module mesh_vc_map
  import mesh_pkg::*;
#(
    parameter int unsigned NumVcs = 4,
    parameter int unsigned NumClasses = 2,
    parameter bit Torus = 1'b0,
    parameter port_t In = Local
) (
    input  node_t here_i,
    input  node_t last_i,
    input  logic  response_i,
    input  vc_t   vc_i,    // here
    input  port_t port_i,  // output here
    input  port_t next_i,  // output at the next router
    output vc_t   vc_o     // there
);
  localparam int unsigned OfResponse = channels_of_responses(NumVcs, NumClasses);
  localparam int unsigned OfRequest = channels_of_requests(NumVcs, NumClasses);

  logic straight;
  assign straight = next_i == port_i;

  // To the local port it matters only that packets from different inputs need not wait for one another.
  vc_t leaving;
  assign leaving = vc_i + In[1:0];

  // Around a ring packets change the channel at the link that closes it (the dateline), so channels make no ring.
  logic wraps, crossed;
  always_comb begin
    unique case (port_i)
      North: wraps = here_i.y == '0;
      East: wraps = here_i.x == last_i.x;
      South: wraps = here_i.y == last_i.y;
      West: wraps = here_i.x == '0;
      default: wraps = 1'b0;
    endcase
  end
  assign crossed = wraps || (In == opposite(port_i) && vc_i[0]);

  function automatic vc_t channel(int unsigned count, port_t port, port_t next, logic goes_on, logic over, vc_t out);
    if (count == 1) return 2'd0;
    if (port == Local) return count == 2 ? {1'b0, out[0]} : count == 3 && out == 2'd3 ? 2'd0 : out;
    if (Torus) return count == 2 ? {1'b0, over} : {!goes_on, over};
    if (goes_on) return 2'd0;
    if (count == 2) return 2'd1;
    if (next == Local) return count == 3 ? 2'd2 : 2'd3;
    if (count == 3) return 2'd1;
    return next[1:0] == port[1:0] + 2'd1 ? 2'd1 : 2'd2;  // to the right, to the left
  endfunction

  always_comb begin
    if (NumClasses == 1 || !response_i) vc_o = channel(OfRequest, port_i, next_i, straight, crossed, leaving);
    else vc_o = vc_t'(OfRequest) + channel(OfResponse, port_i, next_i, straight, crossed, leaving);
  end

  logic unused;
  assign unused = ^{wraps, crossed, straight, here_i, last_i, response_i};
endmodule
