// How busy the memory port is in this core cycle: 7 for each data beat that moves, 1 for addresses or answers.
module mem_activity
  import tern_pkg::*;
(
    input  logic     clk_i,
    input  logic     rst_ni,
    input  axi_req_t req_i,
    input  axi_rsp_t rsp_i,
    output logic [3:0] activity_o
);

  logic write_beat, read_beat, command;
  assign write_beat = req_i.w_valid && rsp_i.w_ready;
  assign read_beat = rsp_i.r_valid && req_i.r_ready;
  assign command = (req_i.aw_valid && rsp_i.aw_ready) || (req_i.ar_valid && rsp_i.ar_ready) ||
                   (rsp_i.b_valid && req_i.b_ready);

  logic [3:0] activity_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) activity_q <= '0;
    else activity_q <= (write_beat ? 4'd7 : 4'd0) + (read_beat ? 4'd7 : 4'd0) + {3'b0, command};
  end
  assign activity_o = activity_q;

  // Only the handshakes count.
  logic unused_payload;
  assign unused_payload = ^{req_i, rsp_i};

endmodule
