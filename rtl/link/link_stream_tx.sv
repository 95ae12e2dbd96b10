// From slots of 64 bits to lanes: a marker word on every lane, then 64 words of slots, spread over 4, 2 or 1 lanes.
module link_stream_tx
  import link_pkg::*;
  import tern_pkg::NumLanes;
(
    input logic clk_i,
    input logic rst_ni,

    input logic   enable_i,
    input lanes_t active_i,

    output logic        take_o,  // takes the slot in this cycle
    input  logic [63:0] slot_i,

    output word_t [NumLanes-1:0] word_o
);

  logic [6:0] cycle_q;
  logic [1:0] part_q, parts_last;
  logic [47:0] rest_q;
  logic [63:0] current;
  /* verilator lint_off UNUSEDSIGNAL */  // the count's bit 0 says nothing that the others do not
  logic [2:0] width;
  /* verilator lint_on UNUSEDSIGNAL */

  assign width = 3'($countones(active_i));
  assign parts_last = width[2] ? 2'd0 : width[1] ? 2'd1 : 2'd3;
  assign take_o = enable_i && cycle_q != '0 && part_q == '0;
  assign current = part_q == '0 ? slot_i : {16'd0, rest_q};

  always_comb begin
    logic second;
    second = 1'b0;
    for (int unsigned l = 0; l < NumLanes; l++) begin
      if (cycle_q == '0) word_o[l] = Marker;
      else if (width[2]) word_o[l] = current[16*l+:16];
      else word_o[l] = second ? current[31:16] : current[15:0];
      second = second | active_i[l];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycle_q <= '0;
      part_q  <= '0;
      rest_q  <= '0;
    end else if (!enable_i) begin
      cycle_q <= '0;
      part_q  <= '0;
    end else begin
      cycle_q <= cycle_q == BlockLast ? '0 : cycle_q + 7'd1;
      if (cycle_q != '0) begin
        part_q <= part_q == parts_last ? '0 : part_q + 2'd1;
        rest_q <= width[1] ? {16'd0, current[63:32]} : current[63:16];
      end
    end
  end

endmodule
