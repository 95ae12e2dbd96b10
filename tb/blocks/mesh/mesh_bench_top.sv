// The mesh switch with flat ports for its testbench, which makes fabrics of any size of it. Of flits, data apart: valid, head, tail,
// channel, port, in 8 bits a port.
module mesh_bench_top #(
    parameter int unsigned NumVcs = 4,
    parameter int unsigned NumClasses = 2,
    parameter bit Torus = 1'b0,
    parameter int unsigned TickBits = 8
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic [5:0]   here_i,
    input  logic [5:0]   last_i,
    input  logic         table_mode_i,
    input  logic [4:0]   enable_i,
    input  logic [99:0]  share_i,
    input  logic         table_write_i,
    input  logic [5:0]   table_node_i,
    input  logic [2:0]   table_port_i,
    input  logic [39:0]  control_i,
    input  logic [319:0] data_i,
    output logic [19:0]  credit_o,
    output logic [39:0]  control_o,
    output logic [319:0] data_o,
    input  logic [19:0]  credit_i,
    output logic [4:0]   waiting_o,
    output logic [9:0]   sent_o,
    output logic [9:0]   stalled_o,
    output logic [9:0]   discarded_o
);
  import mesh_pkg::*;

  config_t config_now;
  assign config_now = '{here: here_i, last: last_i, table_mode: table_mode_i, enable: enable_i, share: share_i};
  flit_t [NumPorts-1:0] flit_in, flit_out;
  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      flit_in[p] = flit_t'({control_i[8*p+:8], data_i[64*p+:64]});
      {control_o[8*p+:8], data_o[64*p+:64]} = flit_out[p];
    end
  end
  events_t events;
  assign {sent_o, stalled_o, discarded_o} = events;

  mesh_router #(.NumVcs(NumVcs), .NumClasses(NumClasses), .Torus(Torus), .TickBits(TickBits)) u_router (
      .clk_i, .rst_ni, .config_i(config_now), .table_write_i, .table_node_i, .table_port_i, .flit_i(flit_in), .credit_o, .flit_o(flit_out),
      .credit_i, .waiting_o, .events_o(events));
endmodule
