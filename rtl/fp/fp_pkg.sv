// Formats, flags and constants of docs/arithmetic.md.
package fp_pkg;
  /* verilator lint_off UNUSEDPARAM */  // each module uses a part

  typedef enum logic [2:0] {
    Fp32    = 3'd0,
    Fp16    = 3'd1,
    Bf16    = 3'd2,
    Fp8E4m3 = 3'd3,
    Fp8E5m2 = 3'd4
  } format_e;

  typedef enum logic {
    RoundNearest    = 1'b0,
    RoundStochastic = 1'b1
  } rounding_e;

  typedef enum logic {
    OverflowSaturate = 1'b0,
    OverflowInfinity = 1'b1
  } overflow_e;

  // Bit 0 last.
  typedef struct packed {
    logic nan_in;
    logic inexact;
    logic underflow;
    logic overflow;
    logic invalid;
  } flags_t;

  // What a result is when its digits do not matter.
  typedef enum logic [1:0] {
    ClassNumber   = 2'd0,
    ClassInfinity = 2'd1,
    ClassNan      = 2'd2
  } class_e;

  // Cycles with `en_i` from an operand to its result.
  parameter int unsigned FmaLatency = 3;
  parameter int unsigned PostLatency = 2 * FmaLatency + 1;

  parameter logic [31:0] Fp32Nan = 32'h7fc0_0000;
  parameter logic [31:0] Fp32One = 32'h3f80_0000;
  parameter logic [31:0] Fp32MinusZero = 32'h8000_0000;

  // Stages of the multiply-add. The unit is 2^0 of the sum's exponent: bit 46 in front, bit 50 in the other two, whose bit 0 is sticky.
  typedef logic [47:0] front_t;
  typedef logic [50:0] back_t;
  typedef logic [52:0] sum_t;
  // Biased as fp32's, from 1 to what a product of two large numbers has.
  typedef logic [8:0] exponent_t;

  // Zeros above the highest one; 63 for 0 as well.
  function automatic logic [5:0] leading_zeros(logic [63:0] value);
    logic [5:0] n;
    logic [31:0] a;
    logic [15:0] b;
    logic [7:0] c;
    /* verilator lint_off UNUSEDSIGNAL */  // bit 0 says nothing that the others do not
    logic [3:0] d;
    /* verilator lint_on UNUSEDSIGNAL */
    n[5] = value[63:32] == '0;
    a = n[5] ? value[31:0] : value[63:32];
    n[4] = a[31:16] == '0;
    b = n[4] ? a[15:0] : a[31:16];
    n[3] = b[15:8] == '0;
    c = n[3] ? b[7:0] : b[15:8];
    n[2] = c[7:4] == '0;
    d = n[2] ? c[3:0] : c[7:4];
    n[1] = d[3:2] == '0;
    n[0] = n[1] ? !d[1] : !d[3];
    return n;
  endfunction

endpackage
