// What the engine has done, and its first error. Counters wrap.
module dma_counters (
    input  logic                                  clk_i,
    input  logic                                  rst_ni,
    input  logic                                  clear_i,
    input  logic                                  clear_error_i,
    // Events.
    input  logic                                  end_i,
    input  dma_pkg::result_t                      result_i,
    input  logic                                  read_beat_i,
    input  logic [3:0]                            strobes_i,
    input  logic                                  full_event_i,
    input  logic                                  overrun_i,
    input  logic                                  lost_i,
    input  logic                                  busy_i,
    input  logic                                  read_stall_i,
    input  logic                                  write_stall_i,
    input  logic                                  throttled_i,
    // Values.
    output logic [31:0]                           descriptors_o,
    output logic [dma_pkg::NumStatus-1:0][31:0]   errors_o,
    output logic [47:0]                           bytes_read_o,
    output logic [47:0]                           bytes_written_o,
    output logic [31:0]                           ring_overruns_o,
    output logic [31:0]                           doorbell_overruns_o,
    output logic [31:0]                           lost_o,
    output logic [31:0]                           cycles_busy_o,
    output logic [31:0]                           cycles_read_stall_o,
    output logic [31:0]                           cycles_write_stall_o,
    output logic [31:0]                           cycles_throttled_o,
    output logic                                  error_valid_o,
    output dma_pkg::index_t                       error_index_o,
    output dma_pkg::status_e                      error_cause_o,
    output dma_pkg::addr_t                        error_addr_o
);
  import dma_pkg::*;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      descriptors_o        <= '0;
      errors_o             <= '0;
      bytes_read_o         <= '0;
      bytes_written_o      <= '0;
      ring_overruns_o      <= '0;
      doorbell_overruns_o  <= '0;
      lost_o               <= '0;
      cycles_busy_o        <= '0;
      cycles_read_stall_o  <= '0;
      cycles_write_stall_o <= '0;
      cycles_throttled_o   <= '0;
    end else if (clear_i) begin
      descriptors_o        <= '0;
      errors_o             <= '0;
      bytes_read_o         <= '0;
      bytes_written_o      <= '0;
      ring_overruns_o      <= '0;
      doorbell_overruns_o  <= '0;
      lost_o               <= '0;
      cycles_busy_o        <= '0;
      cycles_read_stall_o  <= '0;
      cycles_write_stall_o <= '0;
      cycles_throttled_o   <= '0;
    end else begin
      descriptors_o <= descriptors_o + 32'(end_i);
      if (end_i) errors_o[result_i.status[2:0]] <= errors_o[result_i.status[2:0]] + 32'd1;
      bytes_read_o         <= bytes_read_o + (read_beat_i ? 48'd8 : 48'd0);
      bytes_written_o      <= bytes_written_o + 48'(strobes_i);
      ring_overruns_o      <= ring_overruns_o + 32'(full_event_i);
      doorbell_overruns_o  <= doorbell_overruns_o + 32'(overrun_i);
      lost_o               <= lost_o + 32'(lost_i);
      cycles_busy_o        <= cycles_busy_o + 32'(busy_i);
      cycles_read_stall_o  <= cycles_read_stall_o + 32'(read_stall_i);
      cycles_write_stall_o <= cycles_write_stall_o + 32'(write_stall_i);
      cycles_throttled_o   <= cycles_throttled_o + 32'(throttled_i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_valid_o <= 1'b0;
      error_index_o <= '0;
      error_cause_o <= StatusOk;
      error_addr_o  <= '0;
    end else if (end_i && result_i.status != StatusOk && (!error_valid_o || clear_error_i)) begin
      error_valid_o <= 1'b1;
      error_index_o <= result_i.index;
      error_cause_o <= result_i.status;
      error_addr_o  <= result_i.addr;
    end else if (clear_error_i) begin
      error_valid_o <= 1'b0;
      error_index_o <= '0;
      error_cause_o <= StatusOk;
      error_addr_o  <= '0;
    end
  end

  logic unused;
  assign unused = ^{result_i.tag, result_i.irq, result_i.bytes};
endmodule
