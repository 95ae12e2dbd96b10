// What is wrong with an instruction by itself, codes 1 to 4 of docs/tensor.md, the lowest first.
module tensor_check
  import tensor_pkg::*;
  import fp_pkg::*;
#(
    parameter int unsigned ROWS = 8,
    parameter int unsigned COLS = 8
) (
    input  instr_t instr_i,
    output error_e error_o
);

  logic load, multiply, store, transpose, halt, reads, has_n, has_k;
  assign load = instr_i.opcode == OpLoad;
  assign multiply = instr_i.opcode == OpMultiply;
  assign store = instr_i.opcode == OpStore;
  assign transpose = instr_i.opcode == OpTranspose;
  assign halt = instr_i.opcode == OpHalt;
  assign reads = load || multiply;
  assign has_n = multiply || store;
  assign has_k = load || multiply || transpose;

  logic is_fp8, dtype_ok, double_ok, shape_ok, address_ok;
  logic [1:0] bytes_log2;
  logic [9:0] elements;
  logic [17:0] bytes;
  logic [7:0] entries;
  logic with_params;
  assign is_fp8 = instr_i.dtype == Fp8E4m3 || instr_i.dtype == Fp8E5m2;
  assign dtype_ok = transpose || instr_i.dtype <= Fp8E5m2;
  assign double_ok = !instr_i.double_row || (reads && is_fp8);

  assign entries = transpose ? 8'(instr_i.k) : instr_i.n;
  always_comb begin
    shape_ok = instr_i.m != '0 && instr_i.m <= 6'(COLS);
    if (has_n && (instr_i.n == '0 || instr_i.n > 8'(Entries))) shape_ok = 1'b0;
    if (has_k && (instr_i.k == '0 || 7'(instr_i.k) > (instr_i.double_row ? 7'(2 * ROWS) : 7'(ROWS)))) shape_ok = 1'b0;
    if (!load && 9'(instr_i.entry) + 9'(entries) > 9'(Entries)) shape_ok = 1'b0;
  end

  assign bytes_log2 = 2'd3 - elements_log2(format_e'(instr_i.dtype));
  assign elements = (load ? 10'(instr_i.m) : 10'(instr_i.n)) << instr_i.double_row;
  assign bytes = 18'(elements) << bytes_log2;
  assign with_params = store && !instr_i.raw && (instr_i.scale || instr_i.bias);
  always_comb begin
    address_ok = instr_i.address[2:0] == '0 && 18'(instr_i.address) + bytes <= 18'(SpadBytes);
    if (transpose) address_ok = 1'b1;
    if (with_params && (instr_i.params[2:0] != '0 || instr_i.params >= 16'(SpadBytes))) address_ok = 1'b0;
  end

  always_comb begin
    if (instr_i.zero != '0 || !(has_k || store || halt)) error_o = ErrorBadOpcode;
    else if (halt) error_o = ErrorNone;
    else if (!dtype_ok || !double_ok) error_o = ErrorBadDtype;
    else if (!shape_ok) error_o = ErrorBadShape;
    else if (!address_ok) error_o = ErrorBadAddress;
    else error_o = ErrorNone;
  end

  logic unused;
  assign unused = ^instr_i;

endmodule
