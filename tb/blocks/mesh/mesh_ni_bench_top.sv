// Four nodes, 2 x 2, each a router with its network interface, with flat ports for their testbench. Node n is at x = n[0], y = n[1]. `flip_i` turns a
// bit of what leaves a node for its neighbour in x.
module mesh_ni_bench_top (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [3:0]  enable_i,        // network interfaces
    input  logic [19:0] link_enable_i,   // 5 bits a router
    input  logic        table_mode_i,
    input  logic [15:0] timeout_i,
    input  logic [3:0]  table_write_i,   // the router's
    input  logic [3:0]  first_write_i,   // the network interface's
    input  logic [5:0]  table_node_i,
    input  logic [2:0]  table_port_i,
    input  logic [3:0]  flip_i,
    input  logic [5:0]  flip_bit_i,
    output logic [3:0]  passes_o,        // a flit leaves for the neighbour in x
    output logic [7:0]  events_o[4],
    input  logic         s_aw_valid[4],
    output logic         s_aw_ready[4],
    input  logic [3:0]   s_aw_id[4],
    input  logic [39:0]  s_aw_addr[4],
    input  logic [7:0]   s_aw_len[4],
    input  logic         s_w_valid[4],
    output logic         s_w_ready[4],
    input  logic [63:0]  s_w_data[4],
    input  logic [7:0]   s_w_strb[4],
    input  logic         s_w_last[4],
    output logic         s_b_valid[4],
    input  logic         s_b_ready[4],
    output logic [3:0]   s_b_id[4],
    output logic [1:0]   s_b_resp[4],
    input  logic         s_ar_valid[4],
    output logic         s_ar_ready[4],
    input  logic [3:0]   s_ar_id[4],
    input  logic [39:0]  s_ar_addr[4],
    input  logic [7:0]   s_ar_len[4],
    output logic         s_r_valid[4],
    input  logic         s_r_ready[4],
    output logic [3:0]   s_r_id[4],
    output logic [63:0]  s_r_data[4],
    output logic [1:0]   s_r_resp[4],
    output logic         s_r_last[4],
    output logic         m_aw_valid[4],
    input  logic         m_aw_ready[4],
    output logic [3:0]   m_aw_id[4],
    output logic [39:0]  m_aw_addr[4],
    output logic [7:0]   m_aw_len[4],
    output logic         m_w_valid[4],
    input  logic         m_w_ready[4],
    output logic [63:0]  m_w_data[4],
    output logic [7:0]   m_w_strb[4],
    output logic         m_w_last[4],
    input  logic         m_b_valid[4],
    output logic         m_b_ready[4],
    input  logic [3:0]   m_b_id[4],
    input  logic [1:0]   m_b_resp[4],
    output logic         m_ar_valid[4],
    input  logic         m_ar_ready[4],
    output logic [3:0]   m_ar_id[4],
    output logic [39:0]  m_ar_addr[4],
    output logic [7:0]   m_ar_len[4],
    input  logic         m_r_valid[4],
    output logic         m_r_ready[4],
    input  logic [3:0]   m_r_id[4],
    input  logic [63:0]  m_r_data[4],
    input  logic [1:0]   m_r_resp[4],
    input  logic         m_r_last[4]
);
  import mesh_pkg::*;
  import tern_pkg::*;

  flit_t [3:0][NumPorts-1:0] to_router, from_router;
  logic [3:0][NumPorts-1:0][MaxVcs-1:0] credit_from, credit_to;
  flit_t [3:0] to_node, from_node, to_x;
  logic [3:0][MaxVcs-1:0] credit_of_node;
  ports_t [3:0] waiting;
  logic [3:0] accesses, busy;
  events_t [3:0] router_events;

  for (genvar n = 0; n < 4; n++) begin : gen_node
    // The neighbour in x is n ^ 1, that in y n ^ 2; the edges of the grid have no link.
    localparam port_t InX = n[0] ? West : East;
    localparam port_t InY = n[1] ? North : South;
    always_comb begin
      to_x[n] = from_router[n][InX];
      if (flip_i[n]) to_x[n].data[flip_bit_i] = !from_router[n][InX].data[flip_bit_i];
    end
    assign passes_o[n] = from_router[n][InX].valid;
    always_comb begin
      to_router[n] = '0;
      to_router[n][InX] = to_x[n^1];
      to_router[n][InY] = from_router[n^2][opposite(InY)];
      to_router[n][Local] = from_node[n];
      credit_to[n] = '0;
      credit_to[n][InX] = credit_from[n^1][opposite(InX)];
      credit_to[n][InY] = credit_from[n^2][opposite(InY)];
      credit_to[n][Local] = credit_of_node[n];
    end
    assign to_node[n] = from_router[n][Local];

    config_t config_now;
    assign config_now = '{
        here: '{y: {2'd0, n[1]}, x: {2'd0, n[0]}},
        last: '{y: 3'd1, x: 3'd1},
        table_mode: table_mode_i,
        enable: link_enable_i[5*n+:5],
        share: '0
    };

    mesh_router u_router (
        .clk_i,
        .rst_ni,
        .config_i(config_now),
        .table_write_i(table_write_i[n]),
        .table_node_i,
        .table_port_i,
        .flit_i(to_router[n]),
        .credit_o(credit_from[n]),
        .flit_o(from_router[n]),
        .credit_i(credit_to[n]),
        .waiting_o(waiting[n]),
        .events_o(router_events[n])
    );

    axi_req_t s_req, m_req;
    axi_rsp_t s_rsp, m_rsp;
    always_comb begin
      s_req.aw_valid = s_aw_valid[n];
      s_req.aw = '{id: s_aw_id[n], addr: s_aw_addr[n], len: s_aw_len[n]};
      s_req.w_valid = s_w_valid[n];
      s_req.w = '{data: s_w_data[n], strb: s_w_strb[n], last: s_w_last[n]};
      s_req.b_ready = s_b_ready[n];
      s_req.ar_valid = s_ar_valid[n];
      s_req.ar = '{id: s_ar_id[n], addr: s_ar_addr[n], len: s_ar_len[n]};
      s_req.r_ready = s_r_ready[n];
      m_rsp.aw_ready = m_aw_ready[n];
      m_rsp.w_ready = m_w_ready[n];
      m_rsp.b_valid = m_b_valid[n];
      m_rsp.b = '{id: m_b_id[n], resp: axi_resp_e'(m_b_resp[n])};
      m_rsp.ar_ready = m_ar_ready[n];
      m_rsp.r_valid = m_r_valid[n];
      m_rsp.r = '{id: m_r_id[n], data: m_r_data[n], resp: axi_resp_e'(m_r_resp[n]), last: m_r_last[n]};
    end
    assign s_aw_ready[n] = s_rsp.aw_ready;
    assign s_w_ready[n] = s_rsp.w_ready;
    assign s_b_valid[n] = s_rsp.b_valid;
    assign s_b_id[n] = s_rsp.b.id;
    assign s_b_resp[n] = s_rsp.b.resp;
    assign s_ar_ready[n] = s_rsp.ar_ready;
    assign s_r_valid[n] = s_rsp.r_valid;
    assign s_r_id[n] = s_rsp.r.id;
    assign s_r_data[n] = s_rsp.r.data;
    assign s_r_resp[n] = s_rsp.r.resp;
    assign s_r_last[n] = s_rsp.r.last;
    assign m_aw_valid[n] = m_req.aw_valid;
    assign m_aw_id[n] = m_req.aw.id;
    assign m_aw_addr[n] = m_req.aw.addr;
    assign m_aw_len[n] = m_req.aw.len;
    assign m_w_valid[n] = m_req.w_valid;
    assign m_w_data[n] = m_req.w.data;
    assign m_w_strb[n] = m_req.w.strb;
    assign m_w_last[n] = m_req.w.last;
    assign m_b_ready[n] = m_req.b_ready;
    assign m_ar_valid[n] = m_req.ar_valid;
    assign m_ar_id[n] = m_req.ar.id;
    assign m_ar_addr[n] = m_req.ar.addr;
    assign m_ar_len[n] = m_req.ar.len;
    assign m_r_ready[n] = m_req.r_ready;

    mesh_ni u_ni (
        .clk_i,
        .rst_ni,
        .enable_i(enable_i[n]),
        .config_i(config_now),
        .timeout_i,
        .table_write_i(first_write_i[n]),
        .table_node_i,
        .table_port_i,
        .axi_req_i(s_req),
        .axi_rsp_o(s_rsp),
        .axi_req_o(m_req),
        .axi_rsp_i(m_rsp),
        .flit_o(from_node[n]),
        .credit_i(credit_from[n][Local]),
        .flit_i(to_node[n]),
        .credit_o(credit_of_node[n]),
        .accesses_o(accesses[n]),
        .busy_o(busy[n]),
        .events_o(events_o[n])
    );
  end

  logic unused;
  assign unused = ^{accesses, busy, waiting, router_events};
endmodule
