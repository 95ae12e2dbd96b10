// Packets of the mesh on a link between chips: docs/link.md, "Packets".
/* verilator lint_off UNUSEDSIGNAL */  // functions take whole words of which they need some bits
package mesh_link_pkg;
  import mesh_pkg::port_t;
  import mesh_pkg::vc_t;

  parameter int unsigned MaxFlits = 31;  // of a packet that may use a link
  typedef logic [4:0] length_t;

  // What of its flits stands in the link's head of a packet.
  typedef struct packed {
    length_t length;
    vc_t     vc;
    port_t   port;
  } place_t;

  function automatic link_pkg::head_t to_link(place_t place, logic response);
    link_pkg::head_t head;
    head = '0;
    head.kind = response ? link_pkg::PktMeshResponse : link_pkg::PktMeshRequest;
    head.tag = 8'(place.length);
    head.resp = place.vc;
    head.node = 6'(place.port);
    return head;
  endfunction

  function automatic place_t from_link(link_pkg::head_t head);
    return '{length: head.tag[4:0], vc: head.resp, port: head.node[2:0]};
  endfunction

endpackage
