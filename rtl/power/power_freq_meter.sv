// Counts core clock cycles in windows of the reference clock. A Gray counter in the core domain is sampled by the reference: whatever the
// ratio of the clocks, a sample is one of two neighbouring counts, so a window is good to one cycle. Windows follow one another
// while enabled; a stopped clock counts as zero.
module power_freq_meter (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        clk_core_i,
    input  logic        enable_i,
    input  logic        restart_i,    // begins a new window
    input  logic [11:0] window_i,     // ref cycles, 0 counts as 1
    input  logic [ 7:0] mult_i,
    input  logic [11:0] tolerance_i,
    output logic        done_o,       // pulse: count_o, error_o and good_o are of a new window
    output logic        valid_o,
    output logic        good_o,
    output logic [19:0] count_o,
    output logic [20:0] error_o       // signed
);

  // Core domain.
  logic [ 1:0] core_rst_sync_q;
  logic [19:0] core_count_q, core_gray_q;
  always_ff @(posedge clk_core_i or negedge rst_ni) begin
    if (!rst_ni) core_rst_sync_q <= '0;
    else core_rst_sync_q <= {core_rst_sync_q[0], 1'b1};
  end
  always_ff @(posedge clk_core_i or negedge rst_ni) begin
    if (!rst_ni) begin
      core_count_q <= '0;
      core_gray_q  <= '0;
    end else if (core_rst_sync_q[1]) begin
      core_count_q <= core_count_q + 20'd1;
      core_gray_q  <= core_count_q ^ (core_count_q >> 1);
    end
  end

  // Reference domain.
  logic [1:0][19:0] gray_q;
  logic [19:0] now, start_q;
  always_comb begin
    for (int i = 0; i < 20; i++) now[i] = ^(gray_q[1] >> i);
  end

  logic running_q, ends;
  logic [11:0] left_q, length;
  logic [19:0] expected_q, expected, count;
  logic signed [20:0] difference;
  assign length = window_i == '0 ? 12'd1 : window_i;
  assign expected = 20'(length) * 20'(mult_i);
  assign ends = running_q && left_q == 12'd0;
  assign count = now - start_q;
  assign difference = $signed({1'b0, count}) - $signed({1'b0, expected_q});

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      gray_q <= '0;
      start_q <= '0;
      running_q <= 1'b0;
      left_q <= '0;
      expected_q <= '0;
      done_o <= 1'b0;
      valid_o <= 1'b0;
      good_o <= 1'b0;
      count_o <= '0;
      error_o <= '0;
    end else begin
      gray_q <= {gray_q[0], core_gray_q};
      done_o <= 1'b0;
      if (!enable_i) begin
        running_q <= 1'b0;
        valid_o <= 1'b0;
        good_o <= 1'b0;
      end else if (!running_q || restart_i || ends) begin
        running_q <= 1'b1;
        start_q <= now;
        left_q <= length - 12'd1;
        expected_q <= expected;
        if (ends && !restart_i) begin
          done_o <= 1'b1;
          valid_o <= 1'b1;
          count_o <= count;
          error_o <= difference;
          good_o <= count != '0 && difference <= $signed({9'd0, tolerance_i}) && difference >= -$signed({9'd0, tolerance_i});
        end
      end else begin
        left_q <= left_q - 12'd1;
      end
    end
  end

endmodule
