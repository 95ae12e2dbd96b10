// Sorts the slots of proven frames into packets for three queues: requests, read responses, write responses. A packet that a new
// session cuts off, that breaks the framing, or finds its queue full is rolled back whole. The last two are faults of the other end.
module link_packet_rx
  import link_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input logic        valid_i,
    input logic [1:0]  kind_i,
    input logic [63:0] data_i,
    input logic        abort_i,

    // Queues: 0 requests, 1 read responses, 2 write responses.
    output logic [2:0]  push_o,
    output logic [2:0]  commit_o,
    output logic [2:0]  rollback_o,
    output logic [63:0] data_o,
    input  logic [2:0]  full_i,

    output logic framing_error_o,  // one cycle each
    output logic overflow_o
);

  logic [1:0] queue_q, queue;
  logic [4:0] left_q, left;
  logic resync_q;  // a part is known to be lost: bodies without a head are no news
  logic known, is_head, is_body, fits, accepts;
  head_t head;

  assign head = data_i;
  assign is_head = valid_i && kind_i == SlotHead;
  assign is_body = valid_i && kind_i == SlotBody;
  assign data_o = data_i;

  always_comb begin
    known = 1'b1;
    queue = queue_q;
    left = left_q - 5'd1;
    if (is_head) begin
      left = body_flits(head);
      unique case (head.kind)
        PktWrite, PktRead, PktMeshRequest: queue = 2'd0;
        PktReadResp, PktMeshResponse:      queue = 2'd1;
        PktWriteResp:                      queue = 2'd2;
        default:                           known = 1'b0;
      endcase
    end
    fits = !full_i[queue];
    accepts = (is_head && known) || (is_body && left_q != '0);
    rollback_o = '0;
    if (left_q != '0 && (abort_i || is_head || (valid_i && !is_body))) rollback_o[queue_q] = 1'b1;
    if (accepts && !fits) rollback_o[queue] = 1'b1;
    push_o = '0;
    commit_o = '0;
    if (accepts && fits && !abort_i) begin
      push_o[queue] = 1'b1;
      commit_o[queue] = left == '0;
    end
  end
  assign overflow_o = accepts && !fits && !abort_i;
  assign framing_error_o = !abort_i && valid_i &&
      ((is_head && (left_q != '0 || !known)) || (is_body && left_q == '0 && !resync_q) || !(is_head || is_body));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      queue_q  <= '0;
      left_q   <= '0;
      resync_q <= 1'b0;
    end else if (abort_i) begin
      left_q   <= '0;
      resync_q <= 1'b1;
    end else if (valid_i) begin
      if (accepts && fits) begin
        queue_q  <= queue;
        left_q   <= left;
        resync_q <= 1'b0;
      end else begin
        left_q   <= '0;
        resync_q <= 1'b1;
      end
    end
  end

endmodule
