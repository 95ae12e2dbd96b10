// Walks over the words of all partitions, one address every `interval_i` cycles, in all partitions at once. Runs on a clock that does not stop.
module tensor_scrub
  import tensor_pkg::*;
#(
    parameter int unsigned PARTITIONS = 8
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic        [          23:0] interval_i,     // 0: off
    output logic                         scrub_o,        // until all partitions have done it
    output spad_addr_t                   addr_o,
    input  logic        [PARTITIONS-1:0] done_i,
    input  logic        [PARTITIONS-1:0] corrected_i,
    input  logic        [PARTITIONS-1:0] uncorrected_i,
    output logic        [          31:0] corrected_o,    // words; these wrap
    output logic        [          31:0] uncorrected_o,
    output logic        [          31:0] passes_o
);

  // After a step all partitions take a cycle to be ready for the next one.
  logic scrub_q, pause_q;
  logic [23:0] count_q;
  spad_addr_t addr_q;
  logic [31:0] corrected_q, uncorrected_q, passes_q;

  function automatic logic [31:0] ones(logic [PARTITIONS-1:0] bits);
    ones = '0;
    for (int p = 0; p < int'(PARTITIONS); p++) ones += 32'(bits[p]);
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      scrub_q       <= 1'b0;
      pause_q       <= 1'b0;
      count_q       <= '0;
      addr_q        <= '0;
      corrected_q   <= '0;
      uncorrected_q <= '0;
      passes_q      <= '0;
    end else begin
      pause_q <= 1'b0;
      if (scrub_q) begin
        corrected_q   <= corrected_q + ones(corrected_i);
        uncorrected_q <= uncorrected_q + ones(uncorrected_i);
      end
      if (interval_i == '0) count_q <= '0;
      else if (count_q < interval_i - 24'd1) count_q <= count_q + 24'd1;
      else if (!scrub_q && !pause_q) begin
        count_q <= '0;
        scrub_q <= 1'b1;
      end
      if (scrub_q && done_i == '1) begin
        scrub_q <= 1'b0;
        pause_q <= 1'b1;
        addr_q  <= addr_q + 1'b1;
        if (addr_q == '1) passes_q <= passes_q + 32'd1;
      end
    end
  end
  assign scrub_o = scrub_q;
  assign addr_o = addr_q;
  assign corrected_o = corrected_q;
  assign uncorrected_o = uncorrected_q;
  assign passes_o = passes_q;

endmodule
