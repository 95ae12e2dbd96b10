// What a queue has done, and its first error. Counters wrap.
module dma_queue_counters (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  clear_i,
    input  logic                  clear_error_i,
    input  dma_pkg::queue_event_t event_i,
    input  dma_pkg::result_t      result_i,
    output logic [31:0]           descriptors_o,
    output logic [31:0]           transfers_o,
    output logic [31:0]           ring_overruns_o,
    output logic [31:0]           doorbell_overruns_o,
    output logic [31:0]           comp_lost_o,
    output logic [31:0]           cycles_waiting_o,
    output logic                  error_valid_o,
    output dma_pkg::index_t       error_index_o,
    output dma_pkg::status_e      error_cause_o,
    output dma_pkg::addr_t        error_addr_o
);
  import dma_pkg::*;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      descriptors_o       <= '0;
      transfers_o         <= '0;
      ring_overruns_o     <= '0;
      doorbell_overruns_o <= '0;
      comp_lost_o         <= '0;
      cycles_waiting_o    <= '0;
    end else if (clear_i) begin
      descriptors_o       <= '0;
      transfers_o         <= '0;
      ring_overruns_o     <= '0;
      doorbell_overruns_o <= '0;
      comp_lost_o         <= '0;
      cycles_waiting_o    <= '0;
    end else begin
      descriptors_o       <= descriptors_o + 32'(event_i.descriptor_end);
      transfers_o         <= transfers_o + 32'(event_i.transfer_end);
      ring_overruns_o     <= ring_overruns_o + 32'(event_i.comp_full);
      doorbell_overruns_o <= doorbell_overruns_o + 32'(event_i.overrun);
      comp_lost_o         <= comp_lost_o + 32'(event_i.comp_lost);
      cycles_waiting_o    <= cycles_waiting_o + 32'(event_i.waits);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_valid_o <= 1'b0;
      error_index_o <= '0;
      error_cause_o <= StatusOk;
      error_addr_o  <= '0;
    end else if (event_i.transfer_end && result_i.status != StatusOk && (!error_valid_o || clear_error_i)) begin
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
  assign unused = ^{event_i, result_i};
endmodule
