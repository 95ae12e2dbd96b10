// Requests of others, as AXI accesses. Whole packets only reach this module, so a write never stalls half way. A neighbour has the local
// SRAM: an access beyond it is not made, and its place in the queue of answers carries the error.
module link_request_in
  import link_pkg::*;
  import tern_axi_map_pkg::*;
  import tern_pkg::*;
#(
    parameter bit Everywhere = 1'b0  // addresses are those of this chip, all 33 bits
) (
    input logic clk_i,
    input logic rst_ni,

    input  logic        req_valid_i,
    input  logic [63:0] req_i,
    output logic        req_pop_o,

    input logic       up_i,      // 0 between sessions
    input logic [7:0] used_i,    // flits that wait
    input logic       popped_i,  // one of them leaves, for here or elsewhere

    // Manager, address and write data. Outputs come from flip-flops.
    output logic    aw_valid_o,
    output axi_ax_t aw_o,
    input  logic    aw_ready_i,
    output logic    w_valid_o,
    output axi_w_t  w_o,
    input  logic    w_ready_i,
    output logic    ar_valid_o,
    output axi_ax_t ar_o,
    input  logic    ar_ready_i,

    // Answers to expect, in order of the requests.
    output logic       write_push_o,
    output logic       read_push_o,
    output logic       push_error_o,
    output logic       push_orphan_o,  // asked in a session that is gone: no one waits for the answer
    output logic [5:0] push_node_o,
    output logic [7:0] push_tag_o,
    output logic [3:0] push_beats_o,
    input  logic       write_full_i,
    input  logic       read_full_i
);

  typedef enum logic [1:0] {
    Head,
    Strobes,
    Data
  } state_e;

  state_e state_q;
  head_t head;
  logic [15:0][7:0] strb_q;
  logic [3:0] left_q, beat_q;
  logic error_q, more_strobes_q;
  logic [32:0] past;
  logic [AxiAddrWidth-1:0] addr;
  logic beyond, starts_write, starts_read, loads_w;

  assign head = req_i;
  assign past = {1'b0, head.offset} + {26'd0, head.beats, 3'd0} + 33'd8;
  assign beyond = !Everywhere && past > 33'(AxiSramBytes);
  assign addr = Everywhere ? {7'd0, head.upper, head.offset} : AxiSramBase + {8'd0, head.offset};
  assign starts_write = state_q == Head && req_valid_i && head.kind == PktWrite && !aw_valid_o && !write_full_i;
  assign starts_read = state_q == Head && req_valid_i && head.kind == PktRead && !ar_valid_o && !read_full_i;
  // No data before its address has been taken: not every subordinate waits for it.
  assign loads_w = state_q == Data && req_valid_i && (error_q || ((!aw_valid_o || aw_ready_i) && (!w_valid_o || w_ready_i)));
  assign req_pop_o = starts_write || starts_read || loads_w || (state_q == Strobes && req_valid_i);
  assign write_push_o = starts_write;
  assign read_push_o = starts_read;
  assign push_error_o = beyond;
  assign push_node_o = head.node;
  assign push_tag_o = head.tag;

  // Flits of sessions that are gone, in front of those of this one.
  logic [7:0] old_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) old_q <= '0;
    else if (!up_i) old_q <= used_i - {7'd0, popped_i};
    else if (popped_i && old_q != '0) old_q <= old_q - 8'd1;
  end
  assign push_orphan_o = old_q != '0;
  assign push_beats_o = head.beats;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q        <= Head;
      strb_q         <= '1;
      left_q         <= '0;
      beat_q         <= '0;
      error_q        <= 1'b0;
      more_strobes_q <= 1'b0;
    end else begin
      unique case (state_q)
        Head: begin
          if (starts_write) begin
            state_q        <= head.strobed ? Strobes : Data;
            strb_q         <= '1;
            left_q         <= head.beats;
            beat_q         <= '0;
            error_q        <= beyond;
            more_strobes_q <= head.beats[3];
          end
        end
        Strobes: begin
          if (req_valid_i) begin
            // The first flit is beats 0 to 7 and ends up there whether one or two come.
            strb_q         <= more_strobes_q || left_q[3] ? {req_i, strb_q[15:8]} : {64'hFFFF_FFFF_FFFF_FFFF, req_i};
            more_strobes_q <= 1'b0;
            if (!more_strobes_q) state_q <= Data;
          end
        end
        default: begin
          if (loads_w) begin
            left_q <= left_q - 4'd1;
            beat_q <= beat_q + 4'd1;
            if (left_q == '0) state_q <= Head;
          end
        end
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_valid_o <= 1'b0;
      aw_o       <= '0;
      w_valid_o  <= 1'b0;
      w_o        <= '0;
      ar_valid_o <= 1'b0;
      ar_o       <= '0;
    end else begin
      if (aw_ready_i) aw_valid_o <= 1'b0;
      if (starts_write && !beyond) begin
        aw_valid_o <= 1'b1;
        aw_o.id    <= '0;
        aw_o.addr  <= addr;
        aw_o.len   <= {4'd0, head.beats};
      end
      if (ar_ready_i) ar_valid_o <= 1'b0;
      if (starts_read && !beyond) begin
        ar_valid_o <= 1'b1;
        ar_o.id    <= '0;
        ar_o.addr  <= addr;
        ar_o.len   <= {4'd0, head.beats};
      end
      if (loads_w && !error_q) begin
        w_valid_o <= 1'b1;
        w_o.data  <= req_i;
        w_o.strb  <= strb_q[beat_q];
        w_o.last  <= left_q == '0;
      end else if (w_ready_i) w_valid_o <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{head, past};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) aw_valid_o && !aw_ready_i |=> aw_valid_o && $stable(aw_o));
  assert property (@(posedge clk_i) disable iff (!rst_ni) ar_valid_o && !ar_ready_i |=> ar_valid_o && $stable(ar_o));
  assert property (@(posedge clk_i) disable iff (!rst_ni) w_valid_o && !w_ready_i |=> w_valid_o && $stable(w_o));
`endif

endmodule
