// A value with its valid bit, DEPTH cycles later. Registers load only what is valid.
module tensor_delay #(
    parameter int unsigned WIDTH = 1,
    parameter int unsigned DEPTH = 1
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             valid_i,
    input  logic [WIDTH-1:0] value_i,
    output logic             valid_o,
    output logic [WIDTH-1:0] value_o
);

  logic [DEPTH:0] valid;
  logic [DEPTH-1:0] valid_q;
  logic [DEPTH-1:0][WIDTH-1:0] value_q;

  assign valid = {valid_q, valid_i};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= valid[DEPTH-1:0];
  end
  always_ff @(posedge clk_i) begin
    if (valid[0]) value_q[0] <= value_i;
    for (int i = 1; i < int'(DEPTH); i++) if (valid[i]) value_q[i] <= value_q[i-1];
  end

  assign valid_o = valid_q[DEPTH-1];
  assign value_o = value_q[DEPTH-1];

endmodule
