// Answers to the requests of others, as packets: a write answer is one flit; a read burst is gathered first, because its head says
// how it ended. An access that was refused is answered in its turn.
module link_response_out
  import link_pkg::*;
  import tern_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input  logic       write_push_i,
    input  logic       read_push_i,
    input  logic       push_error_i,
    input  logic       push_orphan_i,
    input  logic       up_i,  // 0 between sessions: what waits then is answered to no one
    input  logic [5:0] push_node_i,
    input  logic [7:0] push_tag_i,
    input  logic [3:0] push_beats_i,
    output logic       write_full_o,
    output logic       read_full_o,

    // Manager, answers. The ready outputs depend on flip-flops only.
    input  logic   b_valid_i,
    input  axi_b_t b_i,
    output logic   b_ready_o,
    input  logic   r_valid_i,
    input  axi_r_t r_i,
    output logic   r_ready_o,

    output flit_t write_flit_o,
    input  logic  write_flit_ready_i,
    output flit_t read_flit_o,
    input  logic  read_flit_ready_i
);

  typedef struct packed {
    logic       orphan;
    logic       error;
    logic [5:0] node;
    logic [7:0] tag;
    logic [3:0] beats;
  } expected_t;

  expected_t [7:0] write_queue_q, read_queue_q;
  logic [3:0] write_in_q, write_out_q, read_in_q, read_out_q;
  expected_t write_next, read_next;
  logic write_waits, read_waits;

  assign write_full_o = (write_in_q ^ write_out_q) == 4'b1000;
  assign read_full_o = (read_in_q ^ read_out_q) == 4'b1000;
  assign write_waits = write_in_q != write_out_q;
  assign read_waits = read_in_q != read_out_q;
  assign write_next = write_queue_q[write_out_q[2:0]];
  assign read_next = read_queue_q[read_out_q[2:0]];

  // Writes
  logic write_flit_q, write_ends;
  head_t write_head_q;
  assign b_ready_o = write_waits && !write_next.error && !write_flit_q;
  assign write_ends = (b_ready_o && b_valid_i) || (write_waits && write_next.error && !write_flit_q);
  always_comb begin
    write_flit_o.valid = write_flit_q;
    write_flit_o.head = 1'b1;
    write_flit_o.last = 1'b1;
    write_flit_o.traffic = ClassWriteResp;
    write_flit_o.data = write_head_q;
  end

  // Reads: gathered into one of two banks, sent from the other
  logic [63:0] data_q[32];
  head_t [1:0] head_q;
  logic bank_in_q, bank_out_q, sending_q;
  logic [1:0] bank_orphan_q;
  logic [1:0] banks_q;
  logic [3:0] beat_q, step_q;
  logic [1:0] worst_q, worst;
  logic takes_r, read_ends, gathers, sends_last, drops;

  assign r_ready_o = read_waits && !read_next.error && banks_q != 2'd2;
  assign takes_r = r_ready_o && r_valid_i;
  assign worst = r_i.resp > worst_q ? r_i.resp : worst_q;
  assign read_ends = (takes_r && r_i.last) || (read_waits && read_next.error && banks_q != 2'd2);
  assign gathers = read_ends && !read_next.orphan;
  assign drops = banks_q != '0 && bank_orphan_q[bank_out_q] && !sending_q;
  always_comb begin
    read_flit_o.valid = banks_q != '0 && !drops;
    read_flit_o.head = !sending_q;
    read_flit_o.traffic = ClassReadResp;
    read_flit_o.last = sending_q && step_q == head_q[bank_out_q].beats;
    read_flit_o.data = !sending_q ? head_q[bank_out_q] : head_q[bank_out_q].resp != '0 ? '0 : data_q[{bank_out_q, step_q}];
  end
  assign sends_last = read_flit_o.valid && read_flit_o.last && read_flit_ready_i;

  always_ff @(posedge clk_i) begin
    if (takes_r) data_q[{bank_in_q, beat_q}] <= r_i.data;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_queue_q <= '0;
      read_queue_q  <= '0;
      write_in_q    <= '0;
      write_out_q   <= '0;
      read_in_q     <= '0;
      read_out_q    <= '0;
      write_flit_q  <= 1'b0;
      write_head_q  <= '0;
      head_q        <= '0;
      bank_in_q     <= 1'b0;
      bank_out_q    <= 1'b0;
      sending_q     <= 1'b0;
      bank_orphan_q <= '0;
      banks_q       <= '0;
      beat_q        <= '0;
      step_q        <= '0;
      worst_q       <= '0;
    end else begin
      if (write_push_i) begin
        write_queue_q[write_in_q[2:0]] <= {push_orphan_i, push_error_i, push_node_i, push_tag_i, push_beats_i};
        write_in_q                     <= write_in_q + 4'd1;
      end
      if (read_push_i) begin
        read_queue_q[read_in_q[2:0]] <= {push_orphan_i, push_error_i, push_node_i, push_tag_i, push_beats_i};
        read_in_q                    <= read_in_q + 4'd1;
      end
      if (!up_i) begin
        for (int unsigned i = 0; i < 8; i++) write_queue_q[i].orphan <= 1'b1;
        for (int unsigned i = 0; i < 8; i++) read_queue_q[i].orphan <= 1'b1;
      end
      if (write_ends) begin
        write_out_q       <= write_out_q + 4'd1;
        write_flit_q      <= !write_next.orphan && up_i;
        write_head_q.kind <= PktWriteResp;
        write_head_q.node <= write_next.node;
        write_head_q.tag  <= write_next.tag;
        write_head_q.resp <= write_next.error ? AxiDecErr : b_i.resp;
      end else if (write_flit_ready_i || !up_i) write_flit_q <= 1'b0;
      if (takes_r) begin
        beat_q  <= r_i.last ? '0 : beat_q + 4'd1;
        worst_q <= r_i.last ? '0 : worst;
      end
      if (read_ends) read_out_q <= read_out_q + 4'd1;
      if (!up_i) bank_orphan_q <= '1;
      else if (gathers) bank_orphan_q[bank_in_q] <= 1'b0;
      if (gathers) begin
        bank_in_q               <= !bank_in_q;
        head_q[bank_in_q].kind  <= PktReadResp;
        head_q[bank_in_q].node  <= read_next.node;
        head_q[bank_in_q].tag   <= read_next.tag;
        head_q[bank_in_q].beats <= read_next.beats;
        head_q[bank_in_q].resp  <= read_next.error ? AxiDecErr : worst;
      end
      banks_q <= banks_q + 2'(gathers) - 2'(sends_last || drops);
      if (drops) bank_out_q <= !bank_out_q;
      if (read_flit_o.valid && read_flit_ready_i) begin
        sending_q <= !read_flit_o.last;
        step_q    <= sending_q ? step_q + 4'd1 : '0;
        if (read_flit_o.last) bank_out_q <= !bank_out_q;
      end
    end
  end

  logic unused;
  assign unused = ^{b_i.id, r_i.id, write_next.beats};

endmodule
