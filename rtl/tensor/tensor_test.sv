// The memory test of the engine's arrays and the repair that follows it: all partitions of the scratchpad side by side, or all columns'
// accumulators, bank by bank. A spare row stands in for one word in all arrays that were tested with it.
module tensor_test
  import tensor_pkg::*;
  import secded_pkg::*;
  import tensor_regs_pkg::*;
#(
    parameter int unsigned PARTITIONS = 8,
    parameter int unsigned COLS = 8
) (
    input  logic                                             clk_i,
    input  logic                                             rst_ni,
    input  logic                                             start_i,
    input  logic                                             stop_i,
    // The registers of tensor.yaml.
    input  tensor_reg2hw_mbist_t                             mbist_i,
    input  tensor_reg2hw_repair_t     [SpadSpares-1:0]       repair_i,
    input  tensor_reg2hw_acc_repair_t [Banks*AccSpares-1:0]  acc_repair_i,
    output logic                                             busy_o,
    output logic                                             ended_o,
    output tensor_hw2reg_mbist_t                             mbist_o,
    output tensor_hw2reg_mbist_fails_t                       fails_o,
    output tensor_hw2reg_mbist_first_t                       first_o,
    output tensor_hw2reg_mbist_first_bits_t [1:0]            first_bits_o,
    output tensor_hw2reg_mbist_first_check_t                 first_check_o,
    output tensor_hw2reg_repair_t     [SpadSpares-1:0]       repair_o,
    output tensor_hw2reg_acc_repair_t [Banks*AccSpares-1:0]  acc_repair_o,
    output logic                                             exhausted_o,
    // The arrays.
    output spad_spares_t                                     spad_spares_o,
    output acc_spares_t               [Banks-1:0]            acc_spares_o,
    output test_t                                            test_o,
    input  code_t                     [PARTITIONS-1:0]       data_i         // the cycle after a read
);

  // Vectors reach the last column a while after the engine has come to rest.
  localparam int unsigned Settle = 2 * MaxCols;
  logic [$clog2(Settle+1)-1:0] settle_q;
  logic accumulators_q, repair_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      settle_q       <= '0;
      accumulators_q <= 1'b0;
      repair_q       <= 1'b0;
    end else if (start_i) begin
      settle_q       <= ($clog2(Settle+1))'(Settle);
      accumulators_q <= mbist_i.accumulators;
      repair_q       <= mbist_i.repair;
    end else if (settle_q != '0) begin
      settle_q <= settle_q - 1'b1;
    end
  end

  logic busy, done, fail, wrong, valid, write, go;
  logic [31:0] fails;
  spad_addr_t first, wrong_addr, addr, last;
  logic [PARTITIONS > 1 ? $clog2(PARTITIONS) - 1 : 0:0] lane;
  logic [2:0] element;
  logic [1:0] background;
  code_t bits, data, looked_at;
  logic [PARTITIONS-1:0] arrays;
  assign go = settle_q == '0;
  assign last = accumulators_q ? spad_addr_t'(Banks * Entries - 1) : '1;
  assign looked_at = accumulators_q ? code_t'(32'hffff_ffff) : '1;
  assign arrays = accumulators_q ? PARTITIONS'({COLS{1'b1}}) : '1;
  mem_mbist #(
      .Words(SpadWords),
      .Bits(CodeBits),
      .Arrays(PARTITIONS)
  ) u_mbist (
      .clk_i,
      .rst_ni,
      .start_i,
      .stop_i,
      .backgrounds_i(mbist_i.backgrounds),
      .last_i(last),
      .bits_i(looked_at),
      .arrays_i(arrays),
      .busy_o(busy),
      .ended_o,
      .done_o(done),
      .fail_o(fail),
      .fail_count_o(fails),
      .first_addr_o(first),
      .first_array_o(lane),
      .first_element_o(element),
      .first_background_o(background),
      .first_bits_o(bits),
      .wrong_o(wrong),
      .wrong_addr_o(wrong_addr),
      .valid_o(valid),
      .write_o(write),
      .addr_o(addr),
      .data_o(data),
      .ready_i(go),
      .data_i
  );
  assign test_o = '{
          spad: valid && go && !accumulators_q,
          acc: valid && go && accumulators_q,
          write: write,
          word: addr,
          entry: acc_addr_t'(addr),
          data: data
      };

  // The maps.
  always_comb begin
    for (int s = 0; s < int'(SpadSpares); s++) begin
      spad_spares_o.enable[s] = repair_i[s].enable;
      spad_spares_o.dead[s]   = repair_i[s].dead;
      spad_spares_o.addr[s]   = repair_i[s].address[13:3];
    end
    for (int b = 0; b < int'(Banks); b++) begin
      for (int s = 0; s < int'(AccSpares); s++) begin
        acc_spares_o[b].enable[s] = acc_repair_i[int'(AccSpares)*b+s].enable;
        acc_spares_o[b].dead[s]   = acc_repair_i[int'(AccSpares)*b+s].dead;
        acc_spares_o[b].addr[s]   = acc_repair_i[int'(AccSpares)*b+s].entry;
      end
    end
  end

  // Repair.
  logic give, spad_busy, spad_exhausted;
  logic [Banks-1:0] acc_busy, acc_exhausted;
  logic [SpadSpares-1:0] spad_load, spad_dead;
  logic [Banks*AccSpares-1:0] acc_load, acc_dead;
  spad_addr_t spad_word;
  acc_entry_t [Banks-1:0] acc_entry;
  assign give = ended_o && repair_q;
  mem_repair #(
      .AddrWidth($bits(spad_addr_t)),
      .Spares(SpadSpares)
  ) u_spad_repair (
      .clk_i,
      .rst_ni,
      .start_i,
      .wrong_i(wrong && !accumulators_q),
      .wrong_addr_i(wrong_addr),
      .assign_i(give),
      .enable_i(spad_spares_o.enable),
      .dead_i(spad_spares_o.dead),
      .addr_i(spad_spares_o.addr),
      .load_o(spad_load),
      .dead_o(spad_dead),
      .addr_o(spad_word),
      .busy_o(spad_busy),
      .exhausted_o(spad_exhausted)
  );
  for (genvar b = 0; b < int'(Banks); b++) begin : gen_bank
    mem_repair #(
        .AddrWidth($bits(acc_entry_t)),
        .Spares(AccSpares)
    ) u_repair (
        .clk_i,
        .rst_ni,
        .start_i,
        .wrong_i(wrong && accumulators_q && wrong_addr[8:7] == 2'(b)),
        .wrong_addr_i(wrong_addr[6:0]),
        .assign_i(give),
        .enable_i(acc_spares_o[b].enable),
        .dead_i(acc_spares_o[b].dead),
        .addr_i(acc_spares_o[b].addr),
        .load_o(acc_load[b*int'(AccSpares)+:AccSpares]),
        .dead_o(acc_dead[b*int'(AccSpares)+:AccSpares]),
        .addr_o(acc_entry[b]),
        .busy_o(acc_busy[b]),
        .exhausted_o(acc_exhausted[b])
    );
  end

  // A bad row keeps the address, so that one sees which word found it out.
  always_comb begin
    for (int s = 0; s < int'(SpadSpares); s++) begin
      repair_o[s].enable  = '{load: spad_load[s], value: 1'b1};
      repair_o[s].dead    = '{load: spad_load[s], value: spad_dead[s]};
      repair_o[s].address = '{load: spad_load[s], value: {spad_word, 3'd0}};
    end
    for (int s = 0; s < int'(Banks * AccSpares); s++) begin
      acc_repair_o[s].enable = '{load: acc_load[s], value: 1'b1};
      acc_repair_o[s].dead   = '{load: acc_load[s], value: acc_dead[s]};
      acc_repair_o[s].entry  = '{load: acc_load[s], value: acc_entry[s/int'(AccSpares)]};
    end
  end
  assign exhausted_o = spad_exhausted || acc_exhausted != '0;

  assign busy_o = busy || spad_busy || acc_busy != '0;
  assign mbist_o = '{busy: busy_o, done: done && !busy_o, fail: fail};
  assign fails_o = '{count: fails};
  assign first_o = '{
          address: accumulators_q ? 14'(first) : {first, 3'd0},
          element: element,
          background: background,
          lane: lane_t'(lane)
      };
  assign first_bits_o = bits[63:0];
  assign first_check_o = '{bits: bits[71:64]};

  logic unused;
  assign unused = ^{mbist_i, repair_i};

endmodule
