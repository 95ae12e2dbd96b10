// Reads a program from memory: `count_i` instructions from `base_i` on (64-byte aligned), four a burst, never one more. Bursts are asked for as
// long as there is room for their answers, so that instructions wait here and the engine not for them. An instruction of which a beat came with
// an error is handed over as bad, and what was asked for behind it all the same: the engine stops by itself.
//
// `abort_i` forgets what has not been handed out; `draining_o` holds until memory has answered everything.
module tensor_fetch
  import tensor_pkg::*;
  import tern_pkg::*;
(
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  logic                            start_i,
    input  logic     [AxiAddrWidth-1:0]     base_i,
    input  logic     [FetchCountWidth-1:0]  count_i,
    input  logic                            abort_i,
    output axi_req_t                        axi_req_o,
    input  axi_rsp_t                        axi_rsp_i,
    output handed_t                         handed_o,
    input  logic                            ready_i,
    output logic                            fetching_o,  // instructions of the program have not been handed out
    output logic                            draining_o
);

  localparam int unsigned Room = 32;  // instructions
  localparam int unsigned Burst = 4;
  // All IDs are the DMA engines'. This one is shared with the descriptors of engine 0's last queue: the data bus lets one wait while the other
  // has it open, and those are the reads that lose least by it.
  localparam logic [AxiIdWidth-1:0] Id = AxiIdWidth'(3);
  typedef logic [FetchCountWidth-1:0] count_t;
  typedef logic [$clog2(Room+1)-1:0] room_t;
  typedef logic [$clog2(2*Room+1)-1:0] beats_t;
  typedef struct packed {
    logic         bad;
    logic [127:0] instr;
  } fetched_t;

  // Asking.
  logic fetching_q, draining_q, ask;
  count_t left_q, unasked_q, index_q;
  logic [AxiAddrWidth-1:0] address_q;
  room_t room_q;
  beats_t beats_q;  // asked for and not answered
  logic [2:0] size;
  logic ar_valid_q;
  axi_ax_t ar_q;
  assign size = unasked_q < count_t'(Burst) ? 3'(unasked_q) : 3'(Burst);
  assign ask = fetching_q && !abort_i && unasked_q != '0 && room_q >= room_t'(size) && (!ar_valid_q || axi_rsp_i.ar_ready);

  // Answers.
  logic beat, second_q, arrived, pop, fetched_valid, unused_space;
  logic [63:0] first_q;
  logic first_bad_q;
  fetched_t arriving, fetched;
  assign beat = axi_rsp_i.r_valid;
  assign arrived = beat && second_q && !draining_q && !abort_i;
  assign arriving = '{
          bad: first_bad_q || axi_rsp_i.r.resp != AxiOkay,
          instr: {axi_rsp_i.r.data, first_q}
      };
  axi_fifo #(.Depth(Room), .T(fetched_t)) u_fetched (
      .clk_i, .rst_ni, .clear_i(abort_i), .valid_i(arrived), .ready_o(unused_space), .data_i(arriving),
      .valid_o(fetched_valid), .ready_i(ready_i), .data_o(fetched));
  assign pop = fetched_valid && ready_i;

  logic [31:0] where_q;
  always_comb begin
    handed_o = '{valid: fetched_valid, bad: fetched.bad, instr: instr_t'(fetched.instr), where: where_q};
    if (fetched.bad) handed_o.instr.tag = 32'(index_q);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fetching_q  <= 1'b0;
      draining_q  <= 1'b0;
      left_q      <= '0;
      unasked_q   <= '0;
      index_q     <= '0;
      where_q     <= '0;
      address_q   <= '0;
      room_q      <= room_t'(Room);
      beats_q     <= '0;
      ar_valid_q  <= 1'b0;
      ar_q        <= '0;
      second_q    <= 1'b0;
      first_q     <= '0;
      first_bad_q <= 1'b0;
    end else begin
      if (axi_rsp_i.ar_ready) ar_valid_q <= 1'b0;
      if (ask) begin
        ar_valid_q <= 1'b1;
        ar_q       <= '{id: Id, addr: address_q, len: {4'd0, size, 1'b0} - 8'd1};
        address_q  <= address_q + AxiAddrWidth'(16 * Burst);
        unasked_q  <= unasked_q - count_t'(size);
      end
      room_q  <= room_q - (ask ? room_t'(size) : '0) + room_t'(pop);
      beats_q <= beats_q + (ask ? beats_t'({size, 1'b0}) : '0) - beats_t'(beat);

      if (beat) begin
        second_q    <= !second_q;
        first_q     <= axi_rsp_i.r.data;
        first_bad_q <= axi_rsp_i.r.resp != AxiOkay;
      end
      if (pop) begin
        index_q <= index_q + 1'b1;
        where_q <= where_q + 32'd16;
        left_q  <= left_q - 1'b1;
        if (left_q == count_t'(1)) fetching_q <= 1'b0;
      end
      if (abort_i) begin
        fetching_q <= 1'b0;
        draining_q <= 1'b1;
        room_q     <= room_t'(Room);
      end else if (beats_q == '0) draining_q <= 1'b0;
      if (start_i && count_i != '0) begin
        fetching_q <= 1'b1;
        left_q     <= count_i;
        unasked_q  <= count_i;
        index_q    <= '0;
        where_q    <= base_i[31:0];
        address_q  <= base_i;
      end
    end
  end

  always_comb begin
    axi_req_o          = '0;
    axi_req_o.ar_valid = ar_valid_q;
    axi_req_o.ar       = ar_q;
    axi_req_o.r_ready  = 1'b1;
    axi_req_o.b_ready  = 1'b1;
  end
  assign fetching_o = fetching_q;
  assign draining_o = draining_q;

  logic unused;
  assign unused = ^{axi_rsp_i, unused_space};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> !fetching_q && !draining_q && !abort_i)
  else $error("a fetch before the one before has ended");
  assert property (@(posedge clk_i) disable iff (!rst_ni) beat |-> beats_q != '0)
  else $error("a beat that was not asked for");
  assert property (@(posedge clk_i) disable iff (!rst_ni) beat && axi_rsp_i.r.last |-> second_q)
  else $error("half an instruction");
`endif

endmodule
