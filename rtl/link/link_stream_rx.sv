// From aligned lanes to slots of 64 bits: checks the marker of each block and gathers a slot from 4, 2 or 1 lanes in 1, 2 or 4 cycles.
module link_stream_rx
  import link_pkg::*;
  import tern_pkg::NumLanes;
(
    input logic clk_i,
    input logic rst_ni,

    input logic                 enable_i,
    input lanes_t               active_i,
    input logic                 valid_i,
    input word_t [NumLanes-1:0] word_i,

    output logic        slot_valid_o,
    output logic [63:0] slot_o,
    output logic [2:0]  slot_index_o,
    output lanes_t      marker_bad_o,  // one cycle
    output logic        lost_o         // one cycle: four markers in a row wrong on one lane
);

  logic [6:0] cycle_q;
  logic [1:0] part_q, parts_last;
  logic [2:0] index_q;
  logic [47:0] gathered_q;
  logic [NumLanes-1:0][1:0] bad_q;
  /* verilator lint_off UNUSEDSIGNAL */  // the count's bit 0 says nothing that the others do not
  logic [2:0] width;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [63:0] slot;
  lanes_t bad, lost;
  word_t low, high;

  assign width = 3'($countones(active_i));  // 4, 2 or 1
  assign parts_last = width[2] ? 2'd0 : width[1] ? 2'd1 : 2'd3;

  always_comb begin
    low = '0;
    high = '0;
    for (int unsigned l = 0; l < NumLanes; l++) begin
      bad[l] = active_i[l] && word_i[l] != Marker;
      lost[l] = bad[l] && bad_q[l] == 2'd3;
      if (active_i[l]) high = word_i[l];
      if (active_i[NumLanes-1-l]) low = word_i[NumLanes-1-l];
    end
    if (width[2]) slot = word_i;
    else if (width[1]) slot = {high, low, gathered_q[31:0]};
    else slot = {low, gathered_q};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycle_q      <= '0;
      part_q       <= '0;
      index_q      <= '0;
      gathered_q   <= '0;
      bad_q        <= '0;
      slot_valid_o <= 1'b0;
      slot_o       <= '0;
      slot_index_o <= '0;
      marker_bad_o <= '0;
      lost_o       <= 1'b0;
    end else if (!enable_i) begin
      cycle_q      <= '0;
      part_q       <= '0;
      index_q      <= '0;
      bad_q        <= '0;
      slot_valid_o <= 1'b0;
      marker_bad_o <= '0;
      lost_o       <= 1'b0;
    end else begin
      slot_valid_o <= 1'b0;
      marker_bad_o <= '0;
      lost_o       <= 1'b0;
      if (valid_i) begin
        cycle_q <= cycle_q == BlockLast ? '0 : cycle_q + 7'd1;
        if (cycle_q == '0) begin
          marker_bad_o <= bad;
          lost_o       <= lost != '0;
          for (int unsigned l = 0; l < NumLanes; l++) bad_q[l] <= bad[l] ? bad_q[l] + 2'd1 : '0;
        end else begin
          part_q <= part_q == parts_last ? '0 : part_q + 2'd1;
          if (width[1]) gathered_q[31:0] <= {high, low};
          else gathered_q <= {low, gathered_q[47:16]};
          if (part_q == parts_last) begin
            slot_valid_o <= 1'b1;
            slot_o       <= slot;
            slot_index_o <= index_q;
            index_q      <= index_q + 3'd1;
          end
        end
      end
    end
  end

endmodule
