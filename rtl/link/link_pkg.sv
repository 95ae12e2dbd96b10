// Words of the chip-to-chip link: states, causes, ordered sets, frames, packets, and the linear functions of its streams.
// docs/link.md has them in prose.
/* verilator lint_off UNUSEDPARAM */   // each module uses a part
/* verilator lint_off UNUSEDSIGNAL */  // functions take whole words of which they need some bits
package link_pkg;
  import tern_pkg::LaneWidth;
  import tern_pkg::NumLanes;

  typedef logic [LaneWidth-1:0] word_t;
  typedef logic [NumLanes-1:0] lanes_t;

  typedef enum logic [2:0] {
    StDisabled = 3'd0,
    StDetect   = 3'd1,
    StPolling  = 3'd2,
    StConfig   = 3'd3,
    StL0       = 3'd4,
    StRecovery = 3'd5
  } state_e;

  // Why the training machine left a state. From CauseNoReceiver on: failures.
  typedef enum logic [4:0] {
    CauseNone            = 5'd0,
    CauseEnable          = 5'd1,
    CauseSoftDisable     = 5'd2,
    CauseSoftRetrain     = 5'd3,
    CausePrbsMode        = 5'd4,
    CausePeerFound       = 5'd5,
    CauseLanesLocked     = 5'd6,
    CauseLanesPartial    = 5'd7,
    CauseTrained         = 5'd8,
    CausePeerRequest     = 5'd9,
    CauseNoReceiver      = 5'd10,
    CausePollingTimeout  = 5'd11,
    CauseConfigTimeout   = 5'd12,
    CauseRecoveryTimeout = 5'd13,
    CauseLaneMap         = 5'd14,
    CauseReversalRefused = 5'd15,
    CauseNoCommonLane    = 5'd16,
    CauseDeskewOverflow  = 5'd17,
    CauseCrcErrors       = 5'd18,
    CauseAlignmentLost   = 5'd19,
    CauseSignalLost      = 5'd20,
    CauseRetryLimit      = 5'd21,
    CauseRecoveryLimit   = 5'd22,
    CauseReplayLimit     = 5'd23,
    CauseHotReset        = 5'd24,  // an order of either end, no failure
    CauseSessionConflict = 5'd25
  } cause_e;

  function automatic logic is_failure(cause_e cause);
    return cause >= CauseNoReceiver && cause != CauseHotReset;
  endfunction

  // Ordered sets: 8 words a lane. The sync marker is that of CCSDS 131.0-B (1ACFFC1D), the least likely 32 bits to be met when shifted.
  parameter word_t Sync0 = 16'hFC1D;
  parameter word_t Sync1 = 16'h1ACF;
  parameter logic [3:0] SetVersion = 4'd2;
  parameter logic [3:0] StartCount = 4'd7;  // START sets before data, minus one
  typedef enum logic [3:0] {
    SetTs1   = 4'd1,
    SetTs2   = 4'd2,
    SetStart = 4'd3
  } set_e;
  typedef struct packed {
    logic [3:0]  kind;
    logic [3:0]  count;      // START: sets that follow before data
    logic [3:0]  lane;
    logic [3:0]  version;
    lanes_t      rx_ok;      // lanes of the receiver of this set that its sender hears
    lanes_t      mask;       // lanes that the sender proposes
    logic        agreed;
    logic [1:0]  max_width;  // log2
    logic        resume;     // the sender's session lives: its replay goes on where it was
    logic        hot_reset;
    logic [2:0]  zero;
    logic [15:0] id;
  } set_t;

  // Data stream: one marker word on every lane, then 64 words of frames.
  parameter word_t Marker = 16'h6A3C;
  parameter logic [6:0] BlockLast = 7'd64;

  // A frame: seven slots of 64 bits and a control slot.
  parameter logic [2:0] ControlSlot = 3'd7;
  typedef enum logic [1:0] {
    SlotIdle     = 2'd0,
    SlotHead     = 2'd1,
    SlotBody     = 2'd2,
    SlotIdentity = 2'd3
  } slot_e;
  typedef logic [5:0] number_t;  // of a frame with something in it; one bit more than the window needs
  parameter number_t Window = 6'd32;
  typedef struct packed {
    logic [31:0]     crc;
    logic [6:0][1:0] kinds;
    logic [2:0]      credit;           // limit of a class, in its units, modulo 8
    logic [1:0]      credit_class;
    logic            nak;              // changes: go back to `ack`
    number_t         ack;              // the number that is expected next
    number_t         sequence_number;
  } control_t;
  // What the receiver knows that the transmitter must say, and the other way round.
  typedef struct packed {
    logic       valid;  // one cycle, of a good frame; else not used
    number_t    ack;
    logic       nak;
    logic [1:0] credit_class;
    logic [2:0] credit;
  } feedback_t;
  typedef struct packed {
    logic [47:0] serial;
    logic [7:0]  link;
    logic [7:0]  version;
  } identity_t;
  parameter logic [7:0] IdentityVersion = 8'd1;

  // Traffic classes, each with a queue of its own at the receiver. A limit is told in units of 2^shift flits, three bits of it: so no more
  // than seven units are ever granted ahead, and that much of its queue a receiver gives away.
  typedef enum logic [1:0] {
    ClassRequest   = 2'd0,
    ClassReadResp  = 2'd1,
    ClassWriteResp = 2'd2
  } class_e;
  parameter int unsigned NumClasses = 3;
  function automatic logic [7:0] class_grant(logic [1:0] c);
    return c == ClassWriteResp ? 8'd7 : 8'd112;
  endfunction
  function automatic logic [2:0] class_units(logic [1:0] c, logic [7:0] flits);
    return c == ClassWriteResp ? flits[2:0] : flits[6:4];
  endfunction

  typedef enum logic [3:0] {
    PktWrite     = 4'd1,
    PktRead      = 4'd2,
    PktWriteResp = 4'd3,
    PktReadResp  = 4'd4,
    // Packets of the mesh on their way from router to router, as they are.
    PktMeshRequest  = 4'd5,
    PktMeshResponse = 4'd6
  } packet_e;
  typedef struct packed {
    logic [31:0] offset;   // bytes into the window
    logic [5:0]  node;     // in the mesh the other end: where a packet goes, or who sent it; on the link zero, or of the mesh's its output
    logic        spare;
    logic        upper;    // zero on the link; in the mesh bit 32 of the address
    logic [7:0]  tag;      // of the mesh's packets their flits
    logic [4:0]  zero;
    logic [1:0]  resp;     // of the mesh's packets their channel
    logic        strobed;  // strobe flits, 8 beats each, stand before the data
    logic [3:0]  beats;    // minus one
    logic [3:0]  kind;
  } head_t;

  typedef struct packed {
    logic        valid;
    logic        head;
    logic        last;
    logic [1:0]  traffic;  // class_e
    logic [63:0] data;
  } flit_t;

  // What the bridge reports, one cycle each; of the pairs 0 is of a write, 1 of a read.
  typedef struct packed {
    logic [1:0] timed_out;
    logic [1:0] refused;
    logic [1:0] stale;
    logic       dropped;
    logic       framing_error;
    logic       overflow;
  } bridge_events_t;

  // Flits that follow a head.
  function automatic logic [4:0] body_flits(head_t head);
    logic [4:0] beats;
    beats = {1'b0, head.beats} + 5'd1;
    unique case (head.kind)
      PktWrite:    return head.strobed ? beats + (head.beats[3] ? 5'd2 : 5'd1) : beats;
      PktReadResp: return beats;
      PktMeshRequest, PktMeshResponse: return head.tag[4:0];
      default:     return 5'd0;
    endcase
  endfunction

  // Pseudo-random sequences, ITU-T O.150: s[k] = s[k-n] ^ s[k-m] for x^n + x^m + 1. A history holds the last 31 bits, the newest on top.
  // Squaring a polynomial over GF(2) doubles its exponents and keeps its sequences, so PRBS7 and PRBS15 too make a whole word from bits
  // that are older than the word.
  typedef logic [30:0] history_t;
  typedef enum logic [1:0] {
    Prbs7  = 2'd0,
    Prbs15 = 2'd1,
    Prbs31 = 2'd2
  } prbs_e;

  function automatic word_t prbs_word(logic [1:0] select, history_t h);
    unique case (select)
      Prbs7:   return h[18:3] ^ h[22:7];
      Prbs15:  return h[16:1] ^ h[18:3];
      default: return h[15:0] ^ h[18:3];
    endcase
  endfunction

  function automatic history_t history_push(history_t h, word_t w);
    return {w, h[30:16]};
  endfunction

  // The recurrence itself on received bits: what each bit of `w` must be if `h` and `w` are free of errors.
  function automatic word_t prbs_expect(logic [1:0] select, history_t h, word_t w);
    logic [46:0] s;
    s = {w, h};
    unique case (select)
      Prbs7:   return s[39:24] ^ s[40:25];
      Prbs15:  return s[31:16] ^ s[32:17];
      default: return s[15:0] ^ s[18:3];
    endcase
  endfunction

  // A history that obeys the recurrence, another for each lane.
  function automatic history_t prbs_seed(logic [1:0] select, logic [1:0] lane);
    history_t h;
    h = {29'h1555_5555, lane} | 31'd1;
    if (select == Prbs7) for (int unsigned i = 7; i < 31; i++) h[i] = h[i-7] ^ h[i-6];
    if (select == Prbs15) for (int unsigned i = 15; i < 31; i++) h[i] = h[i-15] ^ h[i-14];
    return h;
  endfunction

  // Scrambler: x^23 + x^18 + 1 (O.150 as well), from a start of each lane's own. Not one of the test sequences: a PRBS checker must not
  // take the idle stream of a running link for its own.
  function automatic word_t scrambler_word(history_t h);
    return h[23:8] ^ h[28:13];
  endfunction

  function automatic history_t scrambler_seed(logic [1:0] lane);
    unique case (lane)
      2'd0:    return 31'h1F3A_9C57;
      2'd1:    return 31'h5B02_E6D1;
      2'd2:    return 31'h2C8D_714B;
      default: return 31'h66F1_083E;
    endcase
  endfunction

  // CRC-32/ISO-HDLC (IEEE 802.3 clause 3.2.9), least significant bit first, 32 bits at a time.
  function automatic logic [31:0][31:0] crc32_columns();
    logic [31:0][31:0] columns;
    logic [31:0] c;
    for (int unsigned i = 0; i < 32; i++) begin
      c = 32'd1 << i;
      for (int unsigned k = 0; k < 32; k++) c = c[0] ? (c >> 1) ^ 32'hEDB8_8320 : c >> 1;
      columns[i] = c;
    end
    return columns;
  endfunction
  localparam logic [31:0][31:0] Crc32Columns = crc32_columns();

  function automatic logic [31:0] crc32_word(logic [31:0] crc, logic [31:0] data);
    logic [31:0] x, sum;
    x = crc ^ data;
    sum = '0;
    for (int unsigned i = 0; i < 32; i++) sum ^= {32{x[i]}} & Crc32Columns[i];
    return sum;
  endfunction

  // Event counters, in the order of their registers; the errors of the four lanes stand behind them.
  parameter int unsigned CountCrcErrors = 0;
  parameter int unsigned CountFramingErrors = 1;
  parameter int unsigned CountSequenceErrors = 2;
  parameter int unsigned CountRxOverflows = 3;
  parameter int unsigned CountAlignmentLosses = 4;
  parameter int unsigned CountDeskewOverflows = 5;
  parameter int unsigned CountRecoveries = 6;
  parameter int unsigned CountDetectTimeouts = 7;
  parameter int unsigned CountPollingTimeouts = 8;
  parameter int unsigned CountConfigTimeouts = 9;
  parameter int unsigned CountRecoveryTimeouts = 10;
  parameter int unsigned CountUnexpectedSets = 11;
  parameter int unsigned CountBridgeTimeouts = 12;
  parameter int unsigned CountBridgeRefusals = 13;
  parameter int unsigned CountSessionsLost = 14;
  parameter int unsigned CountStaleResponses = 15;
  parameter int unsigned CountDroppedFlits = 16;
  parameter int unsigned CountTxFlits = 17;
  parameter int unsigned CountRxFlits = 18;
  parameter int unsigned CountReplays = 19;
  parameter int unsigned CountNaks = 20;
  parameter int unsigned CountReplayTimeouts = 21;
  parameter int unsigned CountDuplicates = 22;
  parameter int unsigned CountRetrains = 23;
  parameter int unsigned CountHotResets = 24;
  parameter int unsigned CountLaneErrors = 25;
  parameter int unsigned NumCounters = CountLaneErrors + 4;

  // The widest set of 4, 2 or 1 lanes within `live`, lowest lanes first.
  function automatic lanes_t choose_lanes(lanes_t live, logic [1:0] max_width);
    lanes_t lowest, second;
    lowest = live & (~live + 4'd1);
    second = live & ~lowest;
    second = second & (~second + 4'd1);
    if (live == '1 && max_width >= 2'd2) return '1;
    if (second != '0 && max_width >= 2'd1) return lowest | second;
    return lowest;
  endfunction

  function automatic lanes_t reverse_lanes(lanes_t lanes);
    return {lanes[0], lanes[1], lanes[2], lanes[3]};
  endfunction

endpackage
/* verilator lint_on UNUSEDPARAM */
/* verilator lint_on UNUSEDSIGNAL */
