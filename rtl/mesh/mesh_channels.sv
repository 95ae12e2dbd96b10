// The buffers behind a link of the mesh where it ends: one a channel, whose places go back to the sender as credits.
module mesh_channels
  import mesh_pkg::*;
#(
    parameter int unsigned NumVcs = 4,
    parameter int unsigned Depth = 8    // places in a channel
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  flit_t                            flit_i,
    output logic [MaxVcs-1:0]                credit_o,
    // The flit that is next in each channel.
    output logic [NumVcs-1:0]                valid_o,
    output logic [NumVcs-1:0]                tail_o,
    output port_t [NumVcs-1:0]               port_o,   // of a head
    output logic [NumVcs-1:0][DataWidth-1:0] data_o,
    input  logic [NumVcs-1:0]                pop_i
);
  typedef struct packed {
    logic                 tail;
    port_t                port;
    logic [DataWidth-1:0] data;
  } entry_t;
  entry_t [NumVcs-1:0] entry;
  logic [NumVcs-1:0][$clog2(Depth+1)-1:0] count;
  for (genvar v = 0; v < int'(NumVcs); v++) begin : gen_channel
    mesh_fifo #(
        .Depth(Depth),
        .T(entry_t)
    ) u_fifo (
        .clk_i,
        .rst_ni,
        .push_i(flit_i.valid && flit_i.vc == vc_t'(v)),
        .data_i('{tail: flit_i.tail, port: flit_i.port, data: flit_i.data}),
        .valid_o(valid_o[v]),
        .data_o(entry[v]),
        .pop_i(pop_i[v]),
        .count_o(count[v])
    );
    assign tail_o[v] = entry[v].tail;
    assign port_o[v] = entry[v].port;
    assign data_o[v] = entry[v].data;
  end

  logic [MaxVcs-1:0] credit_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) credit_q <= '0;
    else credit_q <= MaxVcs'(pop_i);
  end
  assign credit_o = credit_q;

  logic unused;
  assign unused = ^{count, flit_i.head};
endmodule
