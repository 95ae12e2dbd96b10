// One partition of the scratchpad: 2048 words with SECDED behind one port. Precedence: moving, load, store, bus. Read data comes a cycle
// after the read was taken, corrected. A memory test goes before all of them, and has the port to itself while it runs. Scrubbing takes the port when no one else wants it: a word with a single wrong bit is written back,
// unless someone has written it meanwhile.
//
// A write with missing strobes reads, merges and writes; `ready` comes with the last. Reads of the first two go on meanwhile. A word with an
// uncorrectable error stays as it is: merging would give rotten bytes good check bits.
module tensor_spad
  import tensor_pkg::*;
  import secded_pkg::*;
(
    input  logic                clk_i,
    input  logic                rst_ni,
    input  spad_read_t          moving_i,        // always taken at once
    input  spad_read_t          load_i,
    output logic                load_ready_o,
    input  spad_access_t        store_i,
    output logic                store_ready_o,
    input  spad_access_t        bus_i,
    output logic                bus_ready_o,
    input  logic                scrub_i,         // stays, with its address, until it is done
    input  spad_addr_t          scrub_addr_i,
    output logic                scrub_done_o,
    output logic                scrub_corrected_o,
    output logic                scrub_uncorrected_o,
    input  logic                test_i,
    input  logic                test_write_i,
    input  spad_addr_t          test_addr_i,
    input  code_t               test_data_i,
    output code_t               test_data_o,     // the cycle after a read
    input  spad_spares_t        spares_i,
    input  code_t               inject_i,        // bits that a full write of the bus gets wrong
    output logic         [63:0] data_o,
    output logic                bad_o,           // with data: uncorrectable
    output logic                store_bad_o,     // a read of the store unit, or the read of its merge, met that
    output logic                bus_bad_o,       // the bus' write that ends now was not done
    output logic                corrected_o,     // a read met one or the other
    output logic                uncorrected_o
);

  /* verilator no_inline_module */  // as tensor_cell

  typedef enum logic [1:0] {
    Ready,
    Merge,  // the word to merge with is there
    Write
  } state_e;
  state_e state_d, state_q;
  logic by_bus_d, by_bus_q, rotten_q;
  logic [63:0] merged_q;

  spad_access_t chosen, owner;
  logic chosen_bus;
  assign chosen_bus = !store_i.valid;
  assign chosen = chosen_bus ? bus_i : store_i;
  assign owner = by_bus_q ? bus_i : store_i;

  typedef enum logic [1:0] {
    ScrubRead,
    ScrubCheck,  // the word is there
    ScrubWrite,
    ScrubDone
  } scrub_e;
  scrub_e scrub_q;
  logic [63:0] scrubbed_q;
  logic scrub_reads, scrub_writes;

  logic en, we, done;
  spad_addr_t addr;
  code_t code;
  logic read_store;
  always_comb begin
    state_d = state_q;
    by_bus_d = by_bus_q;
    en = 1'b0;
    we = 1'b0;
    addr = moving_i.addr;
    code = '0;
    load_ready_o = 1'b0;
    done = 1'b0;
    read_store = 1'b0;
    scrub_reads = 1'b0;
    scrub_writes = 1'b0;
    if (state_q == Merge) state_d = Write;
    if (test_i) begin
      en = 1'b1;
      we = test_write_i;
      addr = test_addr_i;
      code = test_data_i;
    end else if (moving_i.valid) begin
      en = 1'b1;
    end else if (load_i.valid) begin
      en = 1'b1;
      addr = load_i.addr;
      load_ready_o = 1'b1;
    end else if (state_q == Write) begin
      state_d = Ready;
      done = 1'b1;
      en = !rotten_q;
      we = 1'b1;
      addr = owner.addr;
      code = encode(merged_q);
    end else if (state_q == Ready && chosen.valid) begin
      addr = chosen.addr;
      if (!chosen.write || (chosen.strb != '0 && chosen.strb != '1)) begin
        en = 1'b1;
        read_store = !chosen_bus;
        done = !chosen.write;
        if (chosen.write) state_d = Merge;
        by_bus_d = chosen_bus;
      end else begin
        en = chosen.strb == '1;
        we = 1'b1;
        code = encode(chosen.data) ^ (chosen_bus ? inject_i : '0);
        done = 1'b1;
      end
    end else if (state_q == Ready && scrub_i && (scrub_q == ScrubRead || scrub_q == ScrubWrite)) begin
      en = 1'b1;
      addr = scrub_addr_i;
      scrub_reads = scrub_q == ScrubRead;
      scrub_writes = scrub_q == ScrubWrite;
      we = scrub_writes;
      code = encode(scrubbed_q);
    end
  end
  assign store_ready_o = done && (state_q == Write ? !by_bus_q : !chosen_bus);
  assign bus_ready_o = done && (state_q == Write ? by_bus_q : chosen_bus);
  assign bus_bad_o = state_q == Write && rotten_q;

  code_t rdata;
  spad_row_t row;
  mem_spare_map #(
      .Words (SpadWords),
      .Spares(SpadSpares)
  ) u_spare_map (
      .enable_i(spares_i.enable),
      .dead_i(spares_i.dead),
      .spare_addr_i(spares_i.addr),
      .addr_i(addr),
      .row_o(row)
  );
  tensor_spad_array u_array (
      .clk_i,
      .en_i(en),
      .we_i(we),
      .row_i(row),
      .wdata_i(code),
      .rdata_o(rdata)
  );
  assign test_data_o = rdata;

  // Decode, the cycle after.
  logic read_q, read_store_q;
  decoded_t decoded;
  always_comb begin
    decoded = '0;
    if (read_q) decoded = decode(rdata);
  end
  assign data_o = decoded.data;
  assign bad_o = decoded.uncorrected;
  assign corrected_o = decoded.corrected && scrub_q != ScrubCheck;
  assign uncorrected_o = decoded.uncorrected && scrub_q != ScrubCheck;
  assign scrub_done_o = scrub_q == ScrubDone;
  assign scrub_corrected_o = scrub_writes;
  assign scrub_uncorrected_o = scrub_q == ScrubCheck && decoded.uncorrected;
  assign store_bad_o = read_store_q && decoded.uncorrected;
  logic unused_decoded;
  assign unused_decoded = ^decoded.syndrome;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= Ready;
      by_bus_q     <= 1'b0;
      rotten_q     <= 1'b0;
      merged_q     <= '0;
      read_q       <= 1'b0;
      read_store_q <= 1'b0;
    end else begin
      state_q      <= state_d;
      by_bus_q     <= by_bus_d;
      read_q       <= en && !we && !test_i;
      read_store_q <= read_store;
      if (state_q == Merge) begin
        rotten_q <= decoded.uncorrected;
        for (int b = 0; b < 8; b++) merged_q[8*b+:8] <= owner.strb[b] ? owner.data[8*b+:8] : decoded.data[8*b+:8];
      end
    end
  end

  logic overwritten;  // by someone else
  assign overwritten = en && we && !scrub_writes && addr == scrub_addr_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) scrub_q <= ScrubRead;
    else begin
      unique case (scrub_q)
        ScrubRead: if (scrub_reads) scrub_q <= ScrubCheck;
        ScrubCheck: scrub_q <= decoded.corrected && !overwritten ? ScrubWrite : ScrubDone;
        ScrubWrite: if (scrub_writes || overwritten) scrub_q <= ScrubDone;
        ScrubDone: if (!scrub_i) scrub_q <= ScrubRead;
        default: scrub_q <= ScrubRead;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (scrub_q == ScrubCheck) scrubbed_q <= decoded.data;
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) state_q != Ready |-> owner.valid && owner.write)
  else $error("a write went away before it was done");
  assert property (@(posedge clk_i) disable iff (!rst_ni) test_i |-> state_q == Ready && !moving_i.valid && !load_i.valid && !chosen.valid)
  else $error("a memory test while someone else is at work");
`endif

endmodule
