// Takes the addresses of one direction from the fabric: splits those of the HBM region where they cross a row, puts spare rows in the place of
// others, and says which bursts are not to pass.
module hbm_split
  import tern_pkg::*;
  import hbm_pkg::*;
(
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic   [31:0]       size_i,
    input  logic                open_i,
    input  logic                hold_i,       // no burst begins
    input  spare_t [Spares-1:0] spares_i,
    // From the fabric.
    input  logic                valid_i,
    output logic                ready_o,
    input  axi_ax_t             ax_i,
    // A part of a burst that passes.
    output logic                valid_o,
    input  logic                ready_i,
    output axi_ax_t             ax_o,
    output logic                first_o,
    output logic                final_o,
    // A burst that does not.
    output logic                refuse_valid_o,
    input  logic                refuse_ready_i,
    output axi_ax_t             refuse_ax_o,
    output axi_resp_e           refuse_resp_o
);
  localparam int unsigned RowWords = 1 << (RowBytesLog2 - 3);
  localparam logic [AxiAddrWidth-1:0] Base = tern_axi_map_pkg::AxiHbmBase;

  axi_ax_t head;
  logic head_valid, head_pop;
  axi_fifo #(
      .Depth(2),
      .T(axi_ax_t)
  ) i_fifo (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .valid_i,
      .ready_o,
      .data_i(ax_i),
      .valid_o(head_valid),
      .ready_i(head_pop),
      .data_o(head)
  );

  logic [8:0] sent_q;  // words of the head that parts have asked for
  logic in_hbm, beyond, refuse, go;
  assign in_hbm = head.addr[AxiAddrWidth-1:32] == Base[AxiAddrWidth-1:32];
  assign beyond = head.addr[31:0] >= size_i;
  assign refuse = in_hbm && (!open_i || beyond);
  assign go = head_valid && (sent_q != '0 || !(hold_i || refuse));

  logic [AxiAddrWidth-1:0] addr;
  logic [8:0] left, to_row_end, part;
  logic [31:0] mapped;
  always_comb begin
    addr = head.addr + {28'd0, sent_q, 3'd0};
    left = {1'b0, head.len} + 9'd1 - sent_q;
    to_row_end = 9'(RowWords) - {2'b0, addr[RowBytesLog2-1:3]};
    part = in_hbm && left > to_row_end ? to_row_end : left;
    mapped = {placed(addr[31:RowBytesLog2], spares_i, size_i[31:RowBytesLog2]), addr[RowBytesLog2-1:0]};
    ax_o = '{id: head.id, addr: in_hbm ? {addr[AxiAddrWidth-1:32], mapped} : addr, len: 8'(part - 9'd1)};
  end
  assign valid_o = go;
  assign first_o = sent_q == '0;
  assign final_o = part == left;

  assign refuse_valid_o = head_valid && sent_q == '0 && !hold_i && refuse;
  assign refuse_ax_o = head;
  assign refuse_resp_o = open_i ? AxiDecErr : AxiSlvErr;
  assign head_pop = (valid_o && ready_i && final_o) || (refuse_valid_o && refuse_ready_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sent_q <= '0;
    else if (valid_o && ready_i) sent_q <= final_o ? '0 : sent_q + part;
  end
endmodule
