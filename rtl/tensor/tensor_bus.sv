// The data bus' accesses: to the partition that is meant, and the answer back. An access that goes nowhere is answered with an error.
module tensor_bus
  import tensor_pkg::*;
#(
    parameter int unsigned PARTITIONS = 8
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  bus_req_t                            req_i,
    output bus_rsp_t                            rsp_o,
    output spad_access_t [PARTITIONS-1:0]       access_o,
    input  logic         [PARTITIONS-1:0]       ready_i,
    input  logic         [PARTITIONS-1:0]       bad_i,      // with `ready_i` of a write
    input  logic         [PARTITIONS-1:0][63:0] data_i,     // of a read, the cycle after
    input  logic         [PARTITIONS-1:0]       data_bad_i,
    output logic                                full_write_o
);

  logic somewhere, taken, taken_q, ready, bad, data_bad;
  logic [63:0] data;
  assign somewhere = 5'(req_i.partition) < 5'(PARTITIONS);
  always_comb begin
    ready = 1'b0;
    bad = 1'b0;
    data = '0;
    data_bad = 1'b0;
    for (int p = 0; p < int'(PARTITIONS); p++) begin
      access_o[p] = '{
          valid: req_i.valid && !taken_q && req_i.partition == lane_t'(p),
          write: req_i.write,
          addr: req_i.addr,
          data: req_i.data,
          strb: req_i.strb
      };
      if (req_i.partition == lane_t'(p)) begin
        ready = ready_i[p];
        bad = bad_i[p];
        data = data_i[p];
        data_bad = data_bad_i[p];
      end
    end
  end
  assign taken = req_i.valid && !taken_q && !req_i.write && ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) taken_q <= 1'b0;
    else taken_q <= taken;
  end

  always_comb begin
    rsp_o = '0;
    if (req_i.valid) begin
      if (!somewhere) rsp_o = '{ready: 1'b1, error: 1'b1, data: '0};
      else if (req_i.write) rsp_o = '{ready: ready, error: bad, data: '0};
      else rsp_o = '{ready: taken_q, error: data_bad, data: data_bad ? '0 : data};
    end
  end
  assign full_write_o = req_i.valid && req_i.write && ready && somewhere && req_i.strb == '1;

endmodule
