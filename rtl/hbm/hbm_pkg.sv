// Types and patterns of the external memory's controller. docs/hbm.md is the programmer's model.
package hbm_pkg;

  parameter int unsigned Lanes = 8;
  parameter int unsigned TapWidth = 6;
  parameter int unsigned Spares = 4;
  parameter int unsigned RowBytesLog2 = 10;
  parameter int unsigned RowWidth = 32 - RowBytesLog2;
  parameter int unsigned PageWords = 32;

  typedef logic [TapWidth-1:0] tap_t;
  typedef logic [RowWidth-1:0] row_t;
  parameter tap_t MiddleTap = 6'd32;

  typedef enum logic [1:0] {
    EngineNone  = 2'd0,
    EngineTrain = 2'd1,
    EngineProbe = 2'd2,
    EngineBist  = 2'd3
  } engine_e;

  // An engine's accesses: one burst at a time is asked for, its words are taken in order, answers come in the order of the requests.
  // Offsets count from the base of the HBM region.
  typedef struct packed {
    logic        valid;
    logic        write;
    logic [31:0] offset;
    logic [7:0]  len;      // words - 1
    logic [63:0] w_data;   // the next word that is to be written
  } engine_req_t;
  typedef struct packed {
    logic        ready;
    logic        w_ready;  // w_data was taken
    logic        r_valid;
    logic [63:0] r_data;
    logic        r_last;
    logic        b_valid;
    logic        error;    // of the answer that is valid
  } engine_rsp_t;

  typedef struct packed {
    logic enable;
    logic dead;
    row_t row;
  } spare_t;

  // Where a row lies: spare row s stands behind the rows that the chip offers. Of several that stand in for a row, the
  // highest counts.
  function automatic row_t placed(row_t row, spare_t [Spares-1:0] spares, row_t rows);
    row_t place;
    place = row;
    for (int unsigned s = 0; s < Spares; s++) if (spares[s].enable && !spares[s].dead && spares[s].row == row) place = rows + row_t'(s);
    return place;
  endfunction

  // What a lane's sweep found.
  typedef struct packed {
    logic valid;
    tap_t first;
    tap_t last;
  } window_t;

  function automatic logic [63:0] xorshift(logic [63:0] x);
    logic [63:0] y;
    y = x ^ (x << 13);
    y = y ^ (y >> 7);
    return y ^ (y << 17);
  endfunction
  function automatic logic [63:0] mix(logic [31:0] a, logic [31:0] b);
    return xorshift(xorshift(xorshift({a ^ 32'h9e3779b9, b ^ 32'h7f4a7c15})));
  endfunction

  // Word `i` of the training page with number `n`.
  function automatic logic [63:0] page_word(logic [15:0] n, logic [4:0] i);
    logic [63:0] word;
    logic [2:0]  one;
    if (i[4]) begin
      word = '0;
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        one = i[2:0] + 3'(lane) + n[2:0];
        word[lane*8+:8] = 8'd1 << one;
      end
    end else begin
      word = mix({16'd0, n}, {29'd0, i[2:0]});
    end
    return i[3] ? ~word : word;
  endfunction

  typedef enum logic [2:0] {
    TestSolid   = 3'd0,
    TestChecker = 3'd1,
    TestAddress = 3'd2,
    TestRandom  = 3'd3,
    TestLines   = 3'd4
  } test_e;

  // The background of the word at byte `offset`.
  function automatic logic [63:0] background(test_e test, logic [31:0] seed, logic [31:0] offset);
    unique case (test)
      TestSolid: return '0;
      TestChecker: return {32{(offset[3] != offset[RowBytesLog2]) ? 2'b10 : 2'b01}};
      TestRandom: return mix(seed, {3'd0, offset[31:3]});
      default: return {~offset, offset};
    endcase
  endfunction

endpackage
