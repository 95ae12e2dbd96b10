// Throttle request: reasons, dwell, duty and counters.
module thermal_throttle
  import tern_pkg::NumZones;
(
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic [NumZones-1:0] zones_i,
    input  logic                software_i,
    input  logic                sensor_i,
    input  logic [        15:0] dwell_i,
    input  logic                clear_i,
    output logic                active_o,
    output logic                begins_o,
    output logic                dwelling_o,
    output logic [        31:0] cycles_o,
    output logic [        15:0] events_o,
    output logic [        12:0] duty_o,
    output logic [        15:0] windows_o
);

  localparam logic [11:0] WindowEnd = 12'd4095;

  logic any, active_d, active_q;
  logic [15:0] held_q;  // cycles that the request has lasted
  logic [11:0] window_q;
  logic [12:0] in_window_q, in_window_d;

  assign any = |zones_i || software_i || sensor_i;
  assign active_d = any || (active_q && held_q < dwell_i);
  assign in_window_d = in_window_q + 13'(active_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      held_q <= '0;
    end else begin
      active_q <= active_d;
      if (!active_d) held_q <= '0;
      else if (held_q != '1) held_q <= held_q + 16'd1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycles_o <= '0;
      events_o <= '0;
      duty_o <= '0;
      windows_o <= '0;
      window_q <= '0;
      in_window_q <= '0;
    end else if (clear_i) begin
      cycles_o <= '0;
      events_o <= '0;
      duty_o <= '0;
      windows_o <= '0;
      window_q <= '0;
      in_window_q <= '0;
    end else begin
      if (active_q && cycles_o != '1) cycles_o <= cycles_o + 32'd1;
      if (begins_o && events_o != '1) events_o <= events_o + 16'd1;
      window_q <= window_q + 12'd1;
      in_window_q <= in_window_d;
      if (window_q == WindowEnd) begin
        duty_o <= in_window_d;
        in_window_q <= '0;
        if (windows_o != '1) windows_o <= windows_o + 16'd1;
      end
    end
  end

  assign active_o   = active_q;
  assign begins_o   = active_d && !active_q;
  assign dwelling_o = active_q && !any;

endmodule
