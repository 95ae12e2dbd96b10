// Error counters and the first error of each kind.
module sram_ecc_status
  import sram_pkg::*;
(
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              clear_i,
    input  ecc_event_t        event_i,
    output logic       [31:0] corrected_count_o,
    output logic       [31:0] uncorrected_count_o,
    output logic              corrected_valid_o,
    output ecc_event_t        corrected_first_o,
    output logic              uncorrected_valid_o,
    output ecc_event_t        uncorrected_first_o
);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      corrected_count_o <= '0;
      uncorrected_count_o <= '0;
      corrected_valid_o <= 1'b0;
      uncorrected_valid_o <= 1'b0;
      corrected_first_o <= '0;
      uncorrected_first_o <= '0;
    end else if (clear_i) begin
      // An event in the cycle of the clear counts.
      corrected_count_o <= 32'(event_i.corrected);
      uncorrected_count_o <= 32'(event_i.uncorrected);
      corrected_valid_o <= event_i.corrected;
      uncorrected_valid_o <= event_i.uncorrected;
      corrected_first_o <= event_i;
      uncorrected_first_o <= event_i;
    end else begin
      if (event_i.corrected) begin
        if (corrected_count_o != '1) corrected_count_o <= corrected_count_o + 32'd1;
        corrected_valid_o <= 1'b1;
        if (!corrected_valid_o) corrected_first_o <= event_i;
      end
      if (event_i.uncorrected) begin
        if (uncorrected_count_o != '1) uncorrected_count_o <= uncorrected_count_o + 32'd1;
        uncorrected_valid_o <= 1'b1;
        if (!uncorrected_valid_o) uncorrected_first_o <= event_i;
      end
    end
  end

endmodule
