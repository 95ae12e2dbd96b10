// Hands the packets of a queue to one of two readers: the bridge, or the mesh.
module link_steer
  import link_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    // The queue; whole packets.
    input  logic  valid_i,
    input  head_t data_i,   // of the first flit of a packet
    output logic  pop_o,

    // Readers: 0 the bridge, 1 the mesh. They see the queue's data.
    output logic [1:0] valid_o,
    input  logic [1:0] pop_i
);

  logic [4:0] left_q;
  logic mesh_q, mesh;

  assign mesh = left_q == '0 ? data_i.kind inside {PktMeshRequest, PktMeshResponse} : mesh_q;
  assign valid_o = {valid_i && mesh, valid_i && !mesh};
  assign pop_o = pop_i != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q <= '0;
      mesh_q <= 1'b0;
    end else if (pop_o) begin
      mesh_q <= mesh;
      left_q <= left_q == '0 ? body_flits(data_i) : left_q - 5'd1;
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) (pop_i & ~valid_o) == '0);
`endif

endmodule
