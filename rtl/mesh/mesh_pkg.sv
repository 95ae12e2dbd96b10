// Types of the mesh switch: docs/mesh.md.
package mesh_pkg;

  // A module that is linted alone uses a part of these.
  /* verilator lint_off UNUSEDPARAM */

  parameter int unsigned NumPorts = 5;
  typedef logic [2:0] port_t;
  // The four directions go round clockwise, so the one behind `p` is p + 2, and p + 1 is a turn to the right.
  parameter port_t North = 3'd0;
  parameter port_t East = 3'd1;
  parameter port_t South = 3'd2;
  parameter port_t West = 3'd3;
  parameter port_t Local = 3'd4;
  parameter port_t Nowhere = 3'd7;  // no way leads there: the packet is discarded

  typedef logic [NumPorts-1:0] ports_t;  // one bit a port
  typedef ports_t [NumPorts-1:0] matrix_t;  // [input][output]

  parameter int unsigned MaxVcs = 4;
  typedef logic [1:0] vc_t;

  parameter int unsigned CoordWidth = 3;  // up to 8 x 8
  typedef struct packed {
    logic [CoordWidth-1:0] y;  // grows to the south
    logic [CoordWidth-1:0] x;  // grows to the east
  } node_t;
  parameter int unsigned MaxNodes = 1 << $bits(node_t);

  // The data of a head flit. The switch reads `response` and `dst`; the rest is between the two ends.
  typedef struct packed {
    logic [50:0] user;
    node_t       src;
    logic        response;  // the class
    node_t       dst;
  } header_t;
  parameter int unsigned DataWidth = $bits(header_t);

  // What goes over a link. All but `data` changes from hop to hop.
  typedef struct packed {
    logic                 valid;
    logic                 head;
    logic                 tail;
    vc_t                  vc;    // at the receiver
    port_t                port;  // of a head: the output that it takes at the receiver (look-ahead)
    logic [DataWidth-1:0] data;
  } flit_t;

  // What waits in an input: a flit, and of a head where it goes from here.
  typedef struct packed {
    logic                 head;
    logic                 tail;
    port_t                port;  // output here
    port_t                next;  // output at the router behind that output
    vc_t                  vc;    // virtual channel there
    logic [DataWidth-1:0] data;
  } entry_t;

  // How urgent a request is. A thermometer: whoever has a higher bit has the lower ones.
  parameter int unsigned CrowdLevels = 3;  // two, three and five flits wait in the virtual channel
  typedef logic [CrowdLevels:0] urgency_t;  // the top bit: starving
  parameter int unsigned Levels = 2 * (CrowdLevels + 1);  // the same with a share or without at each

  parameter int unsigned ShareWidth = 4;
  typedef logic [NumPorts-1:0][NumPorts-1:0][ShareWidth-1:0] shares_t;  // [output][input]

  typedef struct packed {
    node_t   here;
    node_t   last;        // the south-east corner; only a torus looks at it
    logic    table_mode;  // routes come from the table instead of dimension order
    ports_t  enable;      // a link that is not enabled sends nothing, and what comes from it is ignored
    shares_t share;       // of an output, how much each input may have of it when there is not enough
  } config_t;

  // For the counters: what happened in a cycle, by port and class ([port][response]).
  typedef struct packed {
    logic [NumPorts-1:0][1:0] sent;       // a flit left by this output
    logic [NumPorts-1:0][1:0] stalled;    // a flit waits in this input and none of its class left
    logic [NumPorts-1:0][1:0] discarded;  // a packet of this input has been thrown away
  } events_t;

  // The first so many channels are for requests, the others for responses; with one class all are for both.
  function automatic int unsigned channels_of_requests(int unsigned vcs, int unsigned classes);
    return classes == 1 ? vcs : vcs - vcs / 2;
  endfunction
  function automatic int unsigned channels_of_responses(int unsigned vcs, int unsigned classes);
    return classes == 1 ? vcs : vcs / 2;
  endfunction

  function automatic port_t opposite(port_t port);
    return port == Local ? Local : {1'b0, ~port[1], port[0]};
  endfunction

  function automatic matrix_t transpose(matrix_t m);
    matrix_t t;
    for (int unsigned i = 0; i < NumPorts; i++) begin
      for (int unsigned j = 0; j < NumPorts; j++) t[j][i] = m[i][j];
    end
    return t;
  endfunction

endpackage
