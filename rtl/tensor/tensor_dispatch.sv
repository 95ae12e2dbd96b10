// Hands instructions to the queues in the program's order. A full queue holds up what follows, HALT everything until `resume_i`.
module tensor_dispatch
  import tensor_pkg::*;
#(
    parameter int unsigned ROWS = 8,
    parameter int unsigned COLS = 8
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  enable_i,
    input  logic                  stop_i,
    input  logic                  flush_i,
    input  logic                  resume_i,
    input  handed_t               handed_i,
    output logic                  ready_o,
    output logic   [NumUnits-1:0] push_o,
    input  logic   [NumUnits-1:0] full_i,
    output logic                  halted_o,
    output error_t                error_o
);

  error_e wrong;
  tensor_check #(
      .ROWS(ROWS),
      .COLS(COLS)
  ) u_check (
      .instr_i(handed_i.instr),
      .error_o(wrong)
  );

  logic halted_q, taken;
  unit_e unit;
  logic legal, halt;
  assign legal = !handed_i.bad && wrong == ErrorNone;
  assign halt = legal && handed_i.instr.opcode == OpHalt;
  always_comb begin
    case (handed_i.instr.opcode)
      OpLoad: unit = UnitLoad;
      OpStore: unit = UnitStore;
      default: unit = UnitMultiply;
    endcase
  end

  assign ready_o = enable_i && !stop_i && !halted_q && (!legal || halt || !full_i[unit]);
  assign taken = handed_i.valid && ready_o;
  always_comb begin
    push_o = '0;
    push_o[unit] = taken && legal && !halt;
  end
  assign error_o = '{
          valid: taken && !legal,
          code: handed_i.bad ? ErrorFetch : wrong,
          tag: handed_i.instr.tag,
          detail: handed_i.bad ? handed_i.where : '0
      };
  assign halted_o = halted_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) halted_q <= 1'b0;
    else if (flush_i || resume_i) halted_q <= 1'b0;
    else if (taken && halt) halted_q <= 1'b1;
  end

endmodule
