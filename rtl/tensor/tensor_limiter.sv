// When a vector may be issued. Reason 0 is the engine's own: for `ramp_length_i` cycles after `ramp_idle_i` cycles without a vector
// current rises in two steps. The tightest of the active reasons holds.
module tensor_limiter
  import tensor_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic  [2:0] reason_i,       // power, thermal, external
    input  pace_t [3:0] pace_i,         // didt first
    input  logic  [7:0] ramp_idle_i,
    input  logic  [7:0] ramp_length_i,  // 0: no ramp
    input  logic        ready_i,        // a vector could go
    input  logic        issue_i,
    output logic        allow_o,
    output logic  [3:0] active_o
);

  // The ramp begins with the vector that ends the idle time, and runs on whether vectors follow or not.
  logic [7:0] idle_q, ramp_q;
  logic rested, ramp;
  assign rested = idle_q >= ramp_idle_i && ramp_length_i != '0;
  assign ramp = ramp_q != '0 || (rested && ready_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      idle_q <= '1;
      ramp_q <= '0;
    end else begin
      if (issue_i) idle_q <= '0;
      else if (idle_q != '1) idle_q <= idle_q + 8'd1;
      if (rested && issue_i) ramp_q <= ramp_length_i - 8'd1;
      else if (ramp_q != '0) ramp_q <= ramp_q - 8'd1;
    end
  end

  assign active_o = {reason_i, ramp};
  logic [3:0] allow;
  for (genvar i = 0; i < 4; i++) begin : gen_reason
    tensor_pace u_pace (
        .clk_i,
        .rst_ni,
        .active_i(active_o[i]),
        .pace_i(pace_i[i]),
        .issue_i,
        .allow_o(allow[i])
    );
  end
  assign allow_o = allow == '1;

endmodule
