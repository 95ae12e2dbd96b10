// AXI4-Lite subordinate (AMBA AXI, IHI 0022, chapter on AXI4-Lite) that makes one host access at a time.
//
// AW and W come in any order and wait in one slot each. Reads and writes take turns, and an answer that the host does not fetch holds
// up its own kind only. No output depends on an input of the same cycle.
module axil_subordinate
  import tern_pkg::*;
  import host_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    // The host.
    input  logic                     awvalid_i,
    output logic                     awready_o,
    input  logic [HostAddrWidth-1:0] awaddr_i,
    input  logic                     wvalid_i,
    output logic                     wready_o,
    input  logic [31:0]              wdata_i,
    input  logic [3:0]               wstrb_i,
    output logic                     bvalid_o,
    input  logic                     bready_i,
    output logic [1:0]               bresp_o,
    input  logic                     arvalid_i,
    output logic                     arready_o,
    input  logic [HostAddrWidth-1:0] araddr_i,
    output logic                     rvalid_o,
    input  logic                     rready_i,
    output logic [31:0]              rdata_o,
    output logic [1:0]               rresp_o,

    // The blocks.
    output host_req_t req_o,
    input  host_rsp_t rsp_i
);

  // Slots that took a transfer which is not answered yet.
  logic aw_full_q, w_full_q, ar_full_q;
  logic [HostAddrWidth-1:0] aw_addr_q, ar_addr_q;
  logic [31:0] w_data_q;
  logic [3:0] w_strb_q;

  logic busy_q, write_q;  // an access is on its way, and its kind
  logic last_write_q;  // the kind that had its turn last
  logic b_valid_q, r_valid_q;
  axi_resp_e b_resp_q, r_resp_q;
  logic [31:0] r_data_q;

  logic can_write, can_read, start, start_write, done;
  assign can_write = aw_full_q && w_full_q && !b_valid_q;
  assign can_read = ar_full_q && !r_valid_q;
  assign start = !busy_q && (can_write || can_read);
  assign start_write = can_write && (!can_read || !last_write_q);
  assign done = busy_q && rsp_i.ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      write_q <= 1'b0;
      last_write_q <= 1'b0;
    end else if (start) begin
      busy_q <= 1'b1;
      write_q <= start_write;
      last_write_q <= start_write;
    end else if (done) begin
      busy_q <= 1'b0;
    end
  end

  // Write data may arrive while a read is on its way, so a read carries none.
  assign req_o = '{
          valid: busy_q,
          write: write_q,
          addr: write_q ? aw_addr_q : ar_addr_q,
          wdata: write_q ? w_data_q : 32'h0,
          strb: write_q ? w_strb_q : 4'h0
      };

  // A slot is free again once its access is answered.
  assign awready_o = !aw_full_q;
  assign wready_o = !w_full_q;
  assign arready_o = !ar_full_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_full_q <= 1'b0;
      aw_addr_q <= '0;
    end else if (awvalid_i && awready_o) begin
      aw_full_q <= 1'b1;
      aw_addr_q <= {awaddr_i[HostAddrWidth-1:2], 2'b00};
    end else if (done && write_q) begin
      aw_full_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      w_full_q <= 1'b0;
      w_data_q <= '0;
      w_strb_q <= '0;
    end else if (wvalid_i && wready_o) begin
      w_full_q <= 1'b1;
      w_data_q <= wdata_i;
      w_strb_q <= wstrb_i;
    end else if (done && write_q) begin
      w_full_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ar_full_q <= 1'b0;
      ar_addr_q <= '0;
    end else if (arvalid_i && arready_o) begin
      ar_full_q <= 1'b1;
      ar_addr_q <= {araddr_i[HostAddrWidth-1:2], 2'b00};
    end else if (done && !write_q) begin
      ar_full_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      b_valid_q <= 1'b0;
      b_resp_q <= AxiOkay;
    end else if (done && write_q) begin
      b_valid_q <= 1'b1;
      b_resp_q <= rsp_i.resp;
    end else if (bready_i) begin
      b_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      r_valid_q <= 1'b0;
      r_resp_q <= AxiOkay;
      r_data_q <= '0;
    end else if (done && !write_q) begin
      r_valid_q <= 1'b1;
      r_resp_q <= rsp_i.resp;
      r_data_q <= rsp_i.rdata;
    end else if (rready_i) begin
      r_valid_q <= 1'b0;
    end
  end

  assign bvalid_o = b_valid_q;
  assign bresp_o = b_resp_q;
  assign rvalid_o = r_valid_q;
  assign rresp_o = r_resp_q;
  assign rdata_o = r_data_q;

  // The byte within the word is what the strobes say.
  logic unused_addr;
  assign unused_addr = ^{awaddr_i[1:0], araddr_i[1:0]};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) awvalid_i && !awready_o |=> awvalid_i && $stable(awaddr_i));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      wvalid_i && !wready_o |=> wvalid_i && $stable(wdata_i) && $stable(wstrb_i));
  assert property (@(posedge clk_i) disable iff (!rst_ni) arvalid_i && !arready_o |=> arvalid_i && $stable(araddr_i));
  assert property (@(posedge clk_i) disable iff (!rst_ni) bvalid_o && !bready_i |=> bvalid_o && $stable(bresp_o));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      rvalid_o && !rready_i |=> rvalid_o && $stable(rresp_o) && $stable(rdata_o));
`endif

endmodule
