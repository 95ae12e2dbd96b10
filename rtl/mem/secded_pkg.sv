// Odd-weight-column SECDED code (72,64) after M. Y. Hsiao, "A Class of Optimal Minimum Odd-weight-column SEC-DED Codes",
// IBM Journal of Research and Development 14(4), 1970.
//
// A codeword is {check[7:0], data[63:0]}. Column of data bit i, i = 0..55: the i-th 8-bit number of weight 3 in ascending order;
// of data bit 56 + k: 8'h1f rotated left by k; of check bit k: 1 << k. A syndrome of 0 is no error, a column is that bit's error,
// anything else is uncorrectable (every double error has an even, non-zero syndrome).
package secded_pkg;

  parameter int unsigned DataBits = 64;
  parameter int unsigned CheckBits = 8;
  parameter int unsigned CodeBits = DataBits + CheckBits;

  typedef logic [DataBits-1:0] data_t;
  typedef logic [CheckBits-1:0] check_t;
  typedef logic [CodeBits-1:0] code_t;
  typedef logic [CodeBits-1:0][CheckBits-1:0] columns_t;
  typedef logic [CheckBits-1:0][CodeBits-1:0] rows_t;

  typedef struct packed {
    data_t  data;
    check_t syndrome;
    logic   corrected;
    logic   uncorrected;
  } decoded_t;

  function automatic columns_t make_columns();
    columns_t columns;
    int n;
    columns = '0;
    n = 0;
    for (int value = 0; value < 256; value++) begin
      int weight;
      weight = 0;
      for (int b = 0; b < 8; b++) weight += (value >> b) & 1;
      if (weight == 3) begin
        columns[n] = check_t'(value);
        n++;
      end
    end
    for (int k = 0; k < 8; k++) begin
      columns[56+k] = check_t'((32'h1f << k) | (32'h1f >> (8 - k)));
      columns[64+k] = check_t'(1 << k);
    end
    return columns;
  endfunction

  localparam columns_t Columns = make_columns();

  function automatic rows_t make_rows();
    rows_t rows;
    rows = '0;
    for (int i = 0; i < int'(CodeBits); i++) for (int r = 0; r < int'(CheckBits); r++) rows[r][i] = Columns[i][r];
    return rows;
  endfunction

  localparam rows_t Rows = make_rows();

  function automatic check_t syndrome_of(code_t code);
    check_t syndrome;
    for (int r = 0; r < int'(CheckBits); r++) syndrome[r] = ^(code & Rows[r]);
    return syndrome;
  endfunction

  function automatic code_t encode(data_t data);
    return {syndrome_of({8'h00, data}), data};
  endfunction

  function automatic decoded_t decode(code_t code);
    decoded_t result;
    code_t flip;
    flip = '0;
    result.syndrome = syndrome_of(code);
    if (result.syndrome != '0) begin
      for (int i = 0; i < int'(CodeBits); i++) flip[i] = result.syndrome == Columns[i];
    end
    result.data = code[DataBits-1:0] ^ flip[DataBits-1:0];
    result.corrected = |flip;
    result.uncorrected = result.syndrome != '0 && flip == '0;
    return result;
  endfunction

endpackage
