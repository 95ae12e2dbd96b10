// AXI read channels to word reads: one beat a cycle, bursts back to back, answers in order. Addresses count within the SRAM's 64 KiB;
// who decodes them is the fabric.
module sram_axi_read
  import sram_pkg::*;
  import tern_pkg::*;
(
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      ar_valid_i,
    input  axi_ax_t   ar_i,
    output logic      ar_ready_o,
    output logic      r_valid_o,
    output axi_r_t    r_o,
    input  logic      r_ready_i,
    output word_req_t req_o,
    input  word_rsp_t rsp_i
);

  localparam int unsigned Depth = 4;

  logic ar_full, burst_valid, last;
  logic [0:0][1:0] ar_count_unused;
  axi_ax_t burst;
  logic [7:0] beat_q;
  logic       pending_q;
  logic [AxiIdWidth-1:0] pending_id_q;
  logic       pending_last_q;
  logic       r_full_unused;
  logic [2:0] r_count;
  axi_r_t     r_in;

  sram_fifo #(
      .Width($bits(axi_ax_t)),
      .Depth(2)
  ) i_ar (
      .clk_i,
      .rst_ni,
      .push_i (ar_valid_i && !ar_full),
      .data_i (ar_i),
      .full_o (ar_full),
      .valid_o(burst_valid),
      .data_o (burst),
      .pop_i  (rsp_i.grant && last),
      .count_o(ar_count_unused[0])
  );
  assign ar_ready_o = !ar_full;

  assign last = beat_q == burst.len;

  always_comb begin
    req_o = '0;
    // Room for the answers that are under way, this one included.
    req_o.valid = burst_valid && r_count + 3'(pending_q) < 3'(Depth);
    req_o.addr = burst.addr[15:3] + WordAddrWidth'(beat_q);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q <= '0;
      pending_q <= 1'b0;
      pending_id_q <= '0;
      pending_last_q <= 1'b0;
    end else begin
      pending_q <= rsp_i.grant;
      if (rsp_i.grant) begin
        beat_q <= last ? '0 : beat_q + 8'd1;
        pending_id_q <= burst.id;
        pending_last_q <= last;
      end
    end
  end

  assign r_in = '{
          id: pending_id_q,
          data: rsp_i.rdata,
          resp: rsp_i.error ? AxiSlvErr : AxiOkay,
          last: pending_last_q
      };

  sram_fifo #(
      .Width($bits(axi_r_t)),
      .Depth(Depth)
  ) i_r (
      .clk_i,
      .rst_ni,
      .push_i (rsp_i.rvalid),
      .data_i (r_in),
      .full_o (r_full_unused),
      .valid_o(r_valid_o),
      .data_o (r_o),
      .pop_i  (r_valid_o && r_ready_i),
      .count_o(r_count)
  );

  logic unused;
  assign unused = ^{burst.addr[39:16], burst.addr[2:0], rsp_i.done, ar_count_unused, r_full_unused};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) rsp_i.rvalid |-> pending_q)
  else $error("answer without a read");
  assert property (@(posedge clk_i) disable iff (!rst_ni) r_valid_o && !r_ready_i |=> r_valid_o && $stable(r_o))
  else $error("R channel changed while it waited");
`endif

endmodule
