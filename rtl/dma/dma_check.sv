// What is wrong with a fetched descriptor, before anything of it is executed. The first that applies counts.
module dma_check (
    input  dma_pkg::fetched_t fetched_i,
    input  logic [3:0]        log2_i,
    output dma_pkg::status_e  status_o,
    output dma_pkg::addr_t    addr_o,    // what is wrong: the descriptor's own address, or the source or destination
    output logic [16:0]       bytes_o
);
  import dma_pkg::*;

  descriptor_t desc;
  logic [1:0] expected;
  assign desc = fetched_i.desc;
  assign bytes_o = {desc.length == '0, desc.length};
  assign expected = 2'(fetched_i.index >> log2_i) + 2'd1;

  always_comb begin
    status_o = StatusOk;
    addr_o   = '0;
    if (fetched_i.error) begin
      status_o = StatusFetchError;
      addr_o   = fetched_i.addr;
    end else if (desc.phase != expected) begin
      status_o = StatusPhaseMismatch;
      addr_o   = fetched_i.addr;
    end else if (desc.magic != Magic || desc.opcode != OpCopy || desc.zero0 != '0 || desc.zero1 != '0 ||
                 desc.zero2 != '0 || desc.zero3 != '0) begin
      status_o = StatusBadDescriptor;
      addr_o   = fetched_i.addr;
    end else if (!reachable(desc.src, bytes_o)) begin
      status_o = StatusBadAddress;
      addr_o   = desc.src;
    end else if (!reachable(desc.dst, bytes_o)) begin
      status_o = StatusBadAddress;
      addr_o   = desc.dst;
    end
  end

  logic unused;
  assign unused = ^{desc.irq, desc.fence, desc.tag};
endmodule
