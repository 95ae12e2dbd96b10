// Routes a host access to the block that the address map names: to the blocks of the reference domain at once, to those of the core domain
// through the bridge. An address that no one owns is answered with DECERR.
module host_demux
  import tern_pkg::*;
  import tern_regs_pkg::decode, tern_regs_pkg::target_e;
  import tern_regs_pkg::TargetNone, tern_regs_pkg::TargetChip, tern_regs_pkg::TargetPower, tern_regs_pkg::TargetThermal;
  import tern_regs_pkg::TargetSram, tern_regs_pkg::TargetDma0, tern_regs_pkg::TargetDma1, tern_regs_pkg::TargetLink;
  import tern_regs_pkg::TargetTensor, tern_regs_pkg::TargetHbm, tern_regs_pkg::TargetMesh, tern_regs_pkg::TargetSramData;
  import host_pkg::*;
(
    input  host_req_t req_i,
    output host_rsp_t rsp_o,

    // Reference domain.
    output reg_req_t chip_req_o,
    input  reg_rsp_t chip_rsp_i,
    output reg_req_t power_req_o,
    input  reg_rsp_t power_rsp_i,
    output reg_req_t thermal_req_o,
    input  reg_rsp_t thermal_rsp_i,

    // The bridge to the core domain. timeout comes with ready.
    output logic         core_valid_o,
    output core_access_t core_access_o,
    input  logic         core_ready_i,
    input  logic         core_timeout_i,
    input  core_answer_t core_answer_i,

    output host_event_t event_o
);

  target_e target;
  assign target = decode(req_i.addr[HostAddrWidth-1:12]);

  function automatic reg_req_t to_block(input host_req_t req, input logic selected);
    return '{
        valid: req.valid && selected,
        write: req.write,
        addr: req.addr[RegAddrWidth-1:0],
        wdata: req.wdata,
        strb: req.strb
    };
  endfunction

  assign chip_req_o = to_block(req_i, target == TargetChip);
  assign power_req_o = to_block(req_i, target == TargetPower);
  assign thermal_req_o = to_block(req_i, target == TargetThermal);

  core_target_e core_target;
  logic to_core;
  always_comb begin
    to_core = 1'b1;
    core_target = CoreSram;
    case (target)
      TargetSram: core_target = CoreSram;
      TargetDma0: core_target = CoreDma0;
      TargetDma1: core_target = CoreDma1;
      TargetLink: core_target = CoreLink;
      TargetTensor: core_target = CoreTensor;
      TargetHbm: core_target = CoreHbm;
      TargetMesh: core_target = CoreMesh;
      TargetSramData: core_target = CoreWindow;
      default: to_core = 1'b0;
    endcase
  end

  assign core_valid_o = req_i.valid && to_core;
  assign core_access_o = '{
          target: core_target,
          write: req_i.write,
          addr: core_target == CoreWindow ? req_i.addr[SramAddrWidth-1:0]
                                          : SramAddrWidth'(req_i.addr[RegAddrWidth-1:0]),
          wdata: req_i.wdata,
          strb: req_i.strb
      };

  function automatic host_rsp_t from_block(input reg_rsp_t rsp);
    return '{ready: rsp.ready, resp: rsp.error ? AxiSlvErr : AxiOkay, rdata: rsp.error ? 32'h0 : rsp.rdata};
  endfunction

  always_comb begin
    case (target)
      TargetChip: rsp_o = from_block(chip_rsp_i);
      TargetPower: rsp_o = from_block(power_rsp_i);
      TargetThermal: rsp_o = from_block(thermal_rsp_i);
      TargetNone: rsp_o = '{ready: req_i.valid, resp: AxiDecErr, rdata: 32'h0};
      default: rsp_o = from_block('{ready: core_ready_i, error: core_answer_i.error, rdata: core_answer_i.rdata});
    endcase
  end

  logic timeout;
  assign timeout = to_core && core_timeout_i;
  assign event_o = '{
          timeout: req_i.valid && rsp_o.ready && timeout,
          unmapped: req_i.valid && rsp_o.ready && rsp_o.resp == AxiDecErr,
          refused: req_i.valid && rsp_o.ready && rsp_o.resp == AxiSlvErr && !timeout,
          addr: req_i.addr,
          write: req_i.write
      };

endmodule
