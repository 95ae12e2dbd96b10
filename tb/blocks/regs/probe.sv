// The generated block of probe.yaml with the least hardware that shows what it does.
module probe
  import tern_pkg::*;
(
    input  logic     clk_i,
    input  logic     rst_ni,
    input  reg_req_t reg_req_i,
    output reg_rsp_t reg_rsp_o,

    input  logic [31:0] live_i,
    input  logic [ 7:0] set_i,         // {mixed.seen, flags.group, flags.one}
    input  logic        load_i,
    input  logic [15:0] load_value_i,
    output logic [ 7:0] pulses_o,      // pulses of command.go and mixed.kick so far
    output logic [ 7:0] argument_o     // the last one that came with a pulse
);

  probe_regs_pkg::probe_reg2hw_t reg2hw;
  probe_regs_pkg::probe_hw2reg_t hw2reg;
  reg_req_t ram_req, rom_req;
  reg_rsp_t ram_rsp, rom_rsp;
  probe_regs i_regs (
      .clk_i,
      .rst_ni,
      .reg_req_i,
      .reg_rsp_o,
      .ram_req_o(ram_req),
      .ram_rsp_i(ram_rsp),
      .rom_req_o(rom_req),
      .rom_rsp_i(rom_rsp),
      .reg2hw_o(reg2hw),
      .hw2reg_i(hw2reg)
  );

  logic [15:0] reads_q;
  always_comb begin
    hw2reg = '0;
    hw2reg.status.live = live_i[15:0];
    hw2reg.status.top = live_i[31:24];
    hw2reg.flags.one = set_i[0];
    hw2reg.flags.group = set_i[6:1];
    hw2reg.counter.value.load = load_i;
    hw2reg.counter.value.value = load_value_i;
    hw2reg.mixed.now = live_i[23:20];
    hw2reg.mixed.seen = set_i[7];
    hw2reg.fetch.reads = reads_q;
    for (int unsigned i = 0; i < 4; i++) hw2reg.lane_state[i].index = 8'h40 + 8'(i);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reads_q <= '0;
      pulses_o <= '0;
      argument_o <= '0;
    end else begin
      if (reg2hw.fetch.read_pulse) reads_q <= reads_q + 16'd1;
      pulses_o <= pulses_o + {7'b0, reg2hw.command.go.pulse && reg2hw.command.go.value} +
          {7'b0, reg2hw.mixed.kick.pulse && reg2hw.mixed.kick.value};
      if (reg2hw.command.argument.pulse) argument_o <= reg2hw.command.argument.value;
    end
  end

  // The RAM makes each access wait for 0 to 3 cycles; the ROM answers in the same cycle.
  probe_ram i_ram (
      .clk_i,
      .rst_ni,
      .valid_i(ram_req.valid),
      .write_i(ram_req.write),
      .word_i(ram_req.addr[5:2]),
      .wdata_i(ram_req.wdata),
      .strb_i(ram_req.strb),
      .rsp_o(ram_rsp)
  );
  assign rom_rsp = '{ready: rom_req.valid, error: 1'b0, rdata: 32'hD000_0000 + {28'b0, rom_req.addr[5:2]}};

  logic unused;
  assign unused = ^{reg2hw, ram_req, rom_req, live_i};

endmodule
