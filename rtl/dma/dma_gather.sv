// Gathers beats into whole bursts. A burst is announced by a token only when all its data is in the buffer, so that write data
// never waits for a read once its address is out.
module dma_gather (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic            long_bursts_i,
    input  logic            valid_i,
    input  dma_pkg::queue_t queue_i,
    input  dma_pkg::slot_t  slot_i,
    input  dma_pkg::addr_t  addr_i,
    input  logic [63:0]     data_i,
    input  logic [7:0]      strb_i,
    input  logic            last_i,      // of a piece
    input  logic            end_i,       // and of its descriptor
    input  logic            bad_i,
    output logic            ready_o,
    // Bursts.
    output logic            token_valid_o,
    output dma_pkg::token_t token_o,
    input  logic            token_ready_i,
    // Their data, in the same order; `skip_i` drops as many beats at once.
    output logic [63:0]     data_o,
    output logic [7:0]      strb_o,
    input  logic            pop_i,
    input  logic            skip_i,
    input  dma_pkg::burst_t skip_beats_i
);
  import dma_pkg::*;

  localparam int unsigned BufferBeats = 64;

  logic [71:0] buffer_q[BufferBeats];
  logic [6:0] write_q, read_q;  // one bit more than an address
  burst_t beats_q;
  logic [8:0] bytes_q;
  addr_t start_q;
  logic space, token_space, take, ends, stores;
  token_t token;

  assign space = 7'(write_q - read_q) != 7'(BufferBeats);
  assign ready_o = space && token_space;
  assign take = valid_i && ready_o;
  assign stores = take && !bad_i;
  assign ends = last_i || beats_to_boundary(addr_i[7:3], long_bursts_i) == 6'd1;

  always_comb begin
    token.qid = queue_i;
    token.slot  = slot_i;
    token.addr  = beats_q == '0 ? addr_i : start_q;
    token.beats = beats_q + 6'(!bad_i);
    token.bytes = bytes_q + (bad_i ? 9'd0 : 9'($countones(strb_i)));
    token.last  = end_i;
    token.bad   = bad_i;
  end
  axi_fifo #(.Depth(8), .T(token_t)) u_tokens (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(take && ends), .ready_o(token_space), .data_i(token),
      .valid_o(token_valid_o), .ready_i(token_ready_i), .data_o(token_o));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      beats_q <= '0;
      bytes_q <= '0;
      start_q <= '0;
    end else begin
      if (take) begin
        beats_q <= ends ? '0 : token.beats;
        bytes_q <= ends ? '0 : token.bytes;
        start_q <= token.addr;
      end
      if (stores) write_q <= write_q + 1'b1;
      if (skip_i) read_q <= read_q + {1'b0, skip_beats_i};
      else if (pop_i) read_q <= read_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (stores) buffer_q[write_q[5:0]] <= {strb_i, data_i};
  end
  assign {strb_o, data_o} = buffer_q[read_q[5:0]];
endmodule
