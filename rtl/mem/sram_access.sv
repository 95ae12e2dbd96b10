// Arbiter and access pipeline of the array. Issue in one cycle, decode in the next. A write with missing strobes reads, merges and
// writes with the array to itself. The order of precedence: write-back of a corrected word, a merge under way, the maintenance engine
// (others get an error while it is busy), host, then AXI reads and writes in turn.
module sram_access
  import sram_pkg::*;
  import secded_pkg::*;
(
    input  logic              clk_i,
    input  logic              rst_ni,
    input  word_req_t         host_req_i,
    output word_rsp_t         host_rsp_o,
    input  word_req_t         read_req_i,
    output word_rsp_t         read_rsp_o,
    input  word_req_t         write_req_i,
    output word_rsp_t         write_rsp_o,
    // Maintenance engine: owns the array while busy.
    input  logic              maint_busy_i,
    input  raw_req_t          maint_req_i,
    output logic              maint_ready_o,
    output code_t             raw_rdata_o,
    // Configuration and events.
    input  logic       [Spares-1:0] spare_enable_i,
    input  logic       [Spares-1:0] spare_dead_i,
    input  word_addr_t [Spares-1:0] spare_addr_i,
    input  logic              write_back_i,
    input  code_t             inject_mask_i,
    input  logic              inject_match_i,
    input  word_addr_t        inject_addr_i,
    input  logic              inject_write_i,       // writes are armed
    input  logic              inject_read_i,        // reads are armed
    output logic              inject_write_done_o,
    output logic              inject_read_done_o,
    input  logic       [ 1:0] stuck_en_i,
    input  word_addr_t [ 1:0] stuck_addr_i,
    input  logic  [1:0][ 6:0] stuck_bit_i,
    input  logic       [ 1:0] stuck_value_i,
    output ecc_event_t        event_o,
    output logic              active_read_o,
    output logic              active_write_o
);

  typedef enum logic [1:0] {
    Ready,
    Merge,
    Store
  } state_e;

  // What is in the decode stage.
  typedef struct packed {
    logic       read;   // a functional read of the array
    logic       refused;// a read that was refused
    logic       merge;  // the read of a partial write
    source_e    source;
    word_addr_t addr;
  } stage_t;

  typedef struct packed {
    logic       valid;
    word_addr_t addr;
    data_t      data;
  } write_back_t;

  state_e state_d, state_q;
  source_e owner_d, owner_q;
  stage_t stage_d, stage_q;
  write_back_t write_back_d, write_back_q;
  data_t merged_d, merged_q;
  logic merge_bad_d, merge_bad_q;
  logic axi_turn_d, axi_turn_q;  // 1: a waiting write goes first

  // Winner.
  source_e winner;
  word_req_t chosen, owned;
  logic write_first;
  assign write_first = write_req_i.valid && (axi_turn_q || !read_req_i.valid);
  always_comb begin
    if (host_req_i.valid) winner = SourceHost;
    else if (write_first) winner = SourceAxiWrite;
    else winner = SourceAxiRead;
    unique case (winner)
      SourceHost: chosen = host_req_i;
      SourceAxiWrite: chosen = write_req_i;
      default: chosen = read_req_i;
    endcase
    owned = owner_q == SourceHost ? host_req_i : write_req_i;
  end

  // Issue.
  logic en, we, grant, done, done_error;
  source_e done_to;
  word_addr_t addr;
  code_t wcode, injected_write;
  logic functional_write;
  always_comb begin
    state_d = state_q;
    owner_d = owner_q;
    axi_turn_d = axi_turn_q;
    stage_d = '0;
    stage_d.source = winner;
    stage_d.addr = chosen.addr;
    en = 1'b0;
    we = 1'b0;
    addr = chosen.addr;
    wcode = '0;
    functional_write = 1'b0;
    grant = 1'b0;
    done = 1'b0;
    done_error = 1'b0;
    done_to = winner;
    maint_ready_o = 1'b0;
    if (state_q == Merge) state_d = Store;
    if (write_back_q.valid) begin
      en = 1'b1;
      we = 1'b1;
      addr = write_back_q.addr;
      wcode = encode(write_back_q.data);
    end else if (state_q == Store) begin
      state_d = Ready;
      done = 1'b1;
      done_to = owner_q;
      done_error = merge_bad_q;
      en = !merge_bad_q;
      we = !merge_bad_q;
      addr = owned.addr;
      wcode = encode(merged_q);
      functional_write = !merge_bad_q;
    end else if (state_q == Ready) begin
      if (maint_busy_i) begin
        maint_ready_o = 1'b1;
        en = maint_req_i.valid;
        we = maint_req_i.valid && maint_req_i.write;
        addr = maint_req_i.addr;
        wcode = maint_req_i.code;
      end
      if (chosen.valid) begin
        axi_turn_d = winner == SourceHost ? axi_turn_q : winner == SourceAxiRead;
        if (maint_busy_i) begin
          grant = !chosen.write;
          stage_d.refused = !chosen.write;
          done = chosen.write;
          done_error = 1'b1;
        end else if (!chosen.write) begin
          grant = 1'b1;
          stage_d.read = 1'b1;
          en = 1'b1;
        end else if (chosen.strb == 8'hff) begin
          done = 1'b1;
          en = 1'b1;
          we = 1'b1;
          wcode = encode(chosen.data);
          functional_write = 1'b1;
        end else if (chosen.strb == 8'h00) begin
          done = 1'b1;
        end else begin
          stage_d.read = 1'b1;
          stage_d.merge = 1'b1;
          en = 1'b1;
          owner_d = winner;
          state_d = Merge;
        end
      end
    end
  end

  // Injection on writes.
  logic inject_write_hit;
  assign inject_write_hit = functional_write && inject_write_i && (!inject_match_i || addr == inject_addr_i);
  assign inject_write_done_o = inject_write_hit;
  assign injected_write = wcode ^ (inject_write_hit ? inject_mask_i : '0);

  // The array, with its modelled faulty cells.
  code_t array_rdata;
  row_addr_t row, read_row_q;
  mem_spare_map #(
      .Words (Words),
      .Spares(Spares)
  ) i_spare_map (
      .enable_i(spare_enable_i),
      .dead_i(spare_dead_i),
      .spare_addr_i,
      .addr_i(addr),
      .row_o (row)
  );
  sram_array i_array (
      .clk_i,
      .en_i(en),
      .we_i(we),
      .row_i(row),
      .wdata_i(injected_write),
      .rdata_o(array_rdata)
  );
  always_comb begin
    raw_rdata_o = array_rdata;
    for (int s = 0; s < 2; s++)
      if (stuck_en_i[s] && row_addr_t'(stuck_addr_i[s]) == read_row_q && stuck_bit_i[s] < 7'(CodeBits))
        raw_rdata_o[stuck_bit_i[s]] = stuck_value_i[s];
  end

  // Decode.
  logic inject_read_hit;
  decoded_t decoded;
  assign inject_read_hit = stage_q.read && inject_read_i && (!inject_match_i || stage_q.addr == inject_addr_i);
  assign inject_read_done_o = inject_read_hit;
  assign decoded = decode(raw_rdata_o ^ (inject_read_hit ? inject_mask_i : '0));

  always_comb begin
    event_o = '{
        corrected: stage_q.read && decoded.corrected,
        uncorrected: stage_q.read && decoded.uncorrected,
        addr: stage_q.addr,
        syndrome: decoded.syndrome,
        source: stage_q.source
    };
    for (int b = 0; b < 8; b++)
      merged_d[8*b+:8] = owned.strb[b] ? owned.data[8*b+:8] : decoded.data[8*b+:8];
    // A merge with rotten bytes would give them good check bits: such a word stays as it is and the writer is told.
    merge_bad_d = decoded.uncorrected;
    write_back_d = '{
        // A write that was issued to the same word meanwhile is newer; a merge stores the word anyway.
        valid: stage_q.read && !stage_q.merge && decoded.corrected && write_back_i && !maint_busy_i && !(we && addr == stage_q.addr),
        addr: stage_q.addr,
        data: decoded.data
    };
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Ready;
      owner_q <= SourceHost;
      axi_turn_q <= 1'b0;
      stage_q <= '0;
      write_back_q <= '0;
      merged_q <= '0;
      merge_bad_q <= 1'b0;
      read_row_q <= '0;
    end else begin
      state_q <= state_d;
      owner_q <= owner_d;
      axi_turn_q <= axi_turn_d;
      stage_q <= stage_d;
      write_back_q <= write_back_d;
      if (state_q == Merge) begin
        merged_q <= merged_d;
        merge_bad_q <= merge_bad_d;
      end
      if (en && !we) read_row_q <= row;
    end
  end

  // Answers.
  logic [63:0] rdata;
  logic read_error, answer;
  assign rdata = stage_q.refused || decoded.uncorrected ? '0 : decoded.data;
  assign read_error = stage_q.refused || decoded.uncorrected;
  assign answer = (stage_q.read && !stage_q.merge) || stage_q.refused;

  function automatic word_rsp_t rsp_for(source_e who, source_e granted, logic grant_v, source_e finished, logic done_v,
                                        logic done_err, source_e read_by, logic read_v, logic read_err, data_t data);
    word_rsp_t rsp;
    rsp.grant = grant_v && granted == who;
    rsp.done = done_v && finished == who;
    rsp.rvalid = read_v && read_by == who;
    rsp.error = rsp.done ? done_err : read_err && rsp.rvalid;
    rsp.rdata = data;
    return rsp;
  endfunction

  assign host_rsp_o = rsp_for(SourceHost, winner, grant, done_to, done, done_error, stage_q.source, answer, read_error, rdata);
  assign read_rsp_o = rsp_for(SourceAxiRead, winner, grant, done_to, done, done_error, stage_q.source, answer, read_error, rdata);
  assign write_rsp_o = rsp_for(SourceAxiWrite, winner, grant, done_to, done, done_error, stage_q.source, answer, read_error, rdata);

  assign active_read_o = en && !we;
  assign active_write_o = en && we;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) state_q == Merge |-> stage_q.merge)
  else $error("merge without its read");
  assert property (@(posedge clk_i) disable iff (!rst_ni) state_q == Store |-> !write_back_q.valid)
  else $error("a write-back stands in the way of a merge");
  assert property (@(posedge clk_i) disable iff (!rst_ni) state_q != Ready |-> owned.valid && owned.write)
  else $error("a write went away before it was done");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(decoded.corrected && decoded.uncorrected))
  else $error("an error is both corrected and not");
`endif

endmodule
