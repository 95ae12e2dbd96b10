// Counters of what happens, which stay at their largest value.
module event_counters #(
    parameter int unsigned Count = 1
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   clear_i,
    input  logic [Count-1:0]       event_i,  // one cycle each
    input  logic [Count-1:0]       twice_i,  // with event_i: counts two
    output logic [Count-1:0][31:0] count_o
);

  logic [Count-1:0][31:0] count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else if (clear_i) count_q <= '0;
    else if (event_i != '0) begin
      for (int unsigned i = 0; i < Count; i++)
        if (event_i[i] && count_q[i] != '1) count_q[i] <= count_q[i] + (twice_i[i] && !(&count_q[i][31:1]) ? 32'd2 : 32'd1);
    end
  end

  assign count_o = count_q;

endmodule
