// Packets of the network interface: docs/mesh.md, "The network interface".
/* verilator lint_off UNUSEDSIGNAL */  // functions take whole words of which they need some bits
package mesh_ni_pkg;
  import mesh_pkg::header_t;
  import mesh_pkg::node_t;

  // What the header of a packet carries for the two ends: fields as in link_pkg::head_t, the address in words of 8 bytes.
  typedef struct packed {
    logic [1:0]  zero;
    logic [29:0] word;
    logic [7:0]  tag;
    logic [1:0]  resp;
    logic        strobed;
    logic [3:0]  beats;
    logic [3:0]  kind;
  } user_t;

  // The header of a packet of ours, and back; `node` of a head is the other end.
  function automatic header_t to_header(link_pkg::head_t head, node_t here, logic response);
    user_t user;
    user = '{
        zero: '0,
        word: {head.upper, head.offset[31:3]},
        tag: head.tag,
        resp: head.resp,
        strobed: head.strobed,
        beats: head.beats,
        kind: head.kind
    };
    return '{user: user, src: here, response: response, dst: head.node};
  endfunction

  function automatic link_pkg::head_t to_head(header_t header);
    user_t user;
    user = header.user;
    return '{
        offset: {user.word[28:0], 3'd0},
        node: header.src,
        spare: 1'b0,
        upper: user.word[29],
        tag: user.tag,
        zero: '0,
        resp: user.resp,
        strobed: user.strobed,
        beats: user.beats,
        kind: user.kind
    };
  endfunction

  function automatic logic [31:0] crc_of(logic [31:0] crc, logic [63:0] data);
    return link_pkg::crc32_word(link_pkg::crc32_word(crc, data[31:0]), data[63:32]);
  endfunction

  // One cycle each; of the pairs 0 is of a write, 1 of a read.
  typedef struct packed {
    logic [1:0] timed_out;  // no answer in time
    logic [1:0] refused;    // no access, for it is off or the burst is too long
    logic [1:0] stale;      // an answer that no one waits for
    logic [1:0] damaged;    // a packet was dropped: its CRC is wrong, it is too short or too long, or no room; request, response
  } ni_events_t;

endpackage
