// What is wrong with a fetched descriptor, before anything of it is executed. The first that applies counts. The verdict stands until
// the descriptor goes.
module dma_check (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              valid_i,
    input  dma_pkg::fetched_t fetched_i,
    input  logic              drop_i,     // the descriptor goes
    input  logic [3:0]        log2_i,
    output logic              done_o,
    output dma_pkg::status_e  status_o,
    output dma_pkg::addr_t    addr_o      // what is wrong: the descriptor's own address, or the source or destination
);
  import dma_pkg::*;

  descriptor_t desc;
  logic [1:0] expected;
  length_t length;
  logic measuring_q, done_q, measured;
  status_e status_q, status;
  addr_t addr_q, addr;
  extent_t src_bytes, dst_bytes;

  assign desc = fetched_i.desc;
  assign length = {desc.length == '0, desc.length};
  assign expected = 2'(fetched_i.index >> log2_i) + 2'd1;
  dma_extent u_extent (
      .clk_i, .rst_ni, .start_i(!measuring_q), .rows_i(desc.rows), .length_i(length), .src_stride_i(desc.src_stride),
      .dst_stride_i(desc.dst_stride), .done_o(measured), .src_bytes_o(src_bytes), .dst_bytes_o(dst_bytes));

  always_comb begin
    status = StatusOk;
    addr   = '0;
    if (fetched_i.error) begin
      status = StatusFetchError;
      addr   = fetched_i.addr;
    end else if (desc.phase != expected) begin
      status = StatusPhaseMismatch;
      addr   = fetched_i.addr;
    end else if (desc.magic != Magic || desc.opcode != OpCopy || desc.zero2 != '0 || desc.zero3 != '0) begin
      status = StatusBadDescriptor;
      addr   = fetched_i.addr;
    end else if (!reachable(desc.src, src_bytes)) begin
      status = StatusBadAddress;
      addr   = desc.src;
    end else if (!reachable(desc.dst, dst_bytes)) begin
      status = StatusBadAddress;
      addr   = desc.dst;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      measuring_q <= 1'b0;
      done_q      <= 1'b0;
      status_q    <= StatusOk;
      addr_q      <= '0;
    end else if (drop_i || !valid_i) begin
      measuring_q <= 1'b0;
      done_q      <= 1'b0;
    end else begin
      measuring_q <= 1'b1;
      if (measuring_q && measured) begin
        done_q   <= 1'b1;
        status_q <= status;
        addr_q   <= addr;
      end
    end
  end
  assign done_o = done_q;
  assign status_o = status_q;
  assign addr_o = addr_q;

  logic unused;
  assign unused = ^{desc.irq, desc.dmb, desc.chain, desc.tag, desc.wait_sem, desc.wait_count, desc.signal, desc.signal_sem};
`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) done_q |-> valid_i);
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i && !drop_i |=> $stable(fetched_i) || !valid_i);
`endif
endmodule
