// Counts CRC errors over windows of 128 frames, at every width, and says when there are too many.
module link_health (
    input logic clk_i,
    input logic rst_ni,

    input  logic       enable_i,
    input  logic       good_i,       // one cycle a frame: it was good, or
    input  logic       crc_error_i,  // it was not
    input  logic [7:0] limit_i,    // errors a window; 0: never
    output logic       too_many_o
);

  logic [6:0] window_q;
  logic [7:0] errors_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      window_q <= '0;
      errors_q <= '0;
    end else if (!enable_i) begin
      window_q <= '0;
      errors_q <= '0;
    end else if (good_i || crc_error_i) begin
      window_q <= window_q + 7'd1;
      if (window_q == '1) errors_q <= {7'd0, crc_error_i};
      else if (crc_error_i && errors_q != '1) errors_q <= errors_q + 8'd1;
    end
  end

  assign too_many_o = limit_i != '0 && errors_q >= limit_i;

endmodule
