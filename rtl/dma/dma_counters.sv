// What the engine has done. Counters wrap.
module dma_counters (
    input  logic                               clk_i,
    input  logic                               rst_ni,
    input  logic                               clear_i,
    input  dma_pkg::event_t                    event_i,
    input  logic                               busy_i,
    input  logic                               transfer_end_i,
    input  dma_pkg::status_e                   status_i,
    output logic [dma_pkg::NumStatus-1:0][31:0] errors_o,
    output logic [47:0]                        bytes_read_o,
    output logic [47:0]                        bytes_written_o,
    output logic [31:0]                        cycles_busy_o,
    output logic [31:0]                        cycles_read_stall_o,
    output logic [31:0]                        cycles_write_stall_o,
    output logic [31:0]                        cycles_throttled_o
);
  import dma_pkg::*;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      errors_o             <= '0;
      bytes_read_o         <= '0;
      bytes_written_o      <= '0;
      cycles_busy_o        <= '0;
      cycles_read_stall_o  <= '0;
      cycles_write_stall_o <= '0;
      cycles_throttled_o   <= '0;
    end else if (clear_i) begin
      errors_o             <= '0;
      bytes_read_o         <= '0;
      bytes_written_o      <= '0;
      cycles_busy_o        <= '0;
      cycles_read_stall_o  <= '0;
      cycles_write_stall_o <= '0;
      cycles_throttled_o   <= '0;
    end else begin
      if (transfer_end_i) errors_o[status_i[2:0]] <= errors_o[status_i[2:0]] + 32'd1;
      bytes_read_o         <= bytes_read_o + (event_i.read_beat ? 48'd8 : 48'd0);
      bytes_written_o      <= bytes_written_o + 48'(event_i.strobes);
      cycles_busy_o        <= cycles_busy_o + 32'(busy_i);
      cycles_read_stall_o  <= cycles_read_stall_o + 32'(event_i.read_stall);
      cycles_write_stall_o <= cycles_write_stall_o + 32'(event_i.write_stall);
      cycles_throttled_o   <= cycles_throttled_o + 32'(event_i.throttled);
    end
  end

  logic unused;
  assign unused = ^{event_i.moves, event_i.outstanding, status_i[3]};
endmodule
