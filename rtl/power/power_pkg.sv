// Types inside the power sequencer.
package power_pkg;
  import tern_pkg::NumRails;

  typedef enum logic [3:0] {
    StateOff          = 4'd0,
    StateWaitRails    = 4'd1,
    StatePllStart     = 4'd2,
    StatePllLock      = 4'd3,
    StateFreqCheck    = 4'd4,
    StateResetRelease = 4'd5,
    StateRun          = 4'd6,
    StateStop         = 4'd7,
    StateFault        = 4'd8
  } state_e;

  // In order of precedence.
  typedef enum logic [3:0] {
    CauseNone        = 4'd0,
    CauseBrownout    = 4'd1,
    CauseThermtrip   = 4'd2,
    CauseLockLost    = 4'd3,
    CauseFreq        = 4'd4,
    CauseRailTimeout = 4'd5,
    CauseLockTimeout = 4'd6
  } cause_e;
  parameter int unsigned NumCauses = 6;

  parameter logic [2:0] NoRail = 3'd7;
  typedef logic [NumRails-1:0] rails_t;
  typedef logic [47:0] time_t;

  // Fault events of one cycle, and which bit is whose: bit c - 1 for cause c.
  typedef logic [NumCauses-1:0] causes_t;
  parameter int unsigned Brownout = 0;
  parameter int unsigned Thermtrip = 1;
  parameter int unsigned LockLost = 2;
  parameter int unsigned Freq = 3;
  parameter int unsigned RailTimeout = 4;
  parameter int unsigned LockTimeout = 5;

  typedef struct packed {
    cause_e     cause;
    logic [2:0] rail;
    state_e     state;
    rails_t     rails_before;
    rails_t     rails_after;
    logic       injected;
    time_t      at;
  } snapshot_t;

  function automatic logic [2:0] lowest_rail(rails_t rails);
    for (int r = 0; r < int'(NumRails); r++) if (rails[r]) return 3'(r);
    return NoRail;
  endfunction
endpackage
