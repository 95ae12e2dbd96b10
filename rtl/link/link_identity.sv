// Who is at the other end, as it said when the link came up last, and whether that is who is expected.
module link_identity
  import link_pkg::*;
  import link_regs_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input link_reg2hw_t cfg_i,

    input logic      fresh_i,  // whoever was there may be gone
    input logic      valid_i,  // one cycle
    input identity_t identity_i,

    output identity_t own_o,

    output link_hw2reg_peer_serial_lo_t peer_lo_o,
    output link_hw2reg_peer_serial_hi_t peer_hi_o,
    output logic                        mismatch_o  // one cycle: not who is expected
);

  identity_t peer_q;
  logic known_q, told_q, wrong;

  assign own_o = {cfg_i.serial_hi.serial, cfg_i.serial_lo.serial, cfg_i.serial_hi.link, IdentityVersion};
  assign wrong = known_q && cfg_i.expect_hi.check &&
      {cfg_i.expect_hi.serial, cfg_i.expect_lo.serial, cfg_i.expect_hi.link} != {peer_q.serial, peer_q.link};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      peer_q  <= '0;
      known_q <= 1'b0;
      told_q  <= 1'b0;
    end else begin
      if (fresh_i) known_q <= 1'b0;
      else if (valid_i) begin
        known_q <= 1'b1;
        peer_q  <= identity_i;
      end
      told_q <= wrong;
    end
  end

  always_comb begin
    peer_lo_o.serial = peer_q.serial[31:0];
    peer_hi_o.serial = peer_q.serial[47:32];
    peer_hi_o.link = peer_q.link;
    peer_hi_o.mismatch = wrong;
    peer_hi_o.known = known_q;
  end
  assign mismatch_o = wrong && !told_q;

  logic unused;
  assign unused = ^{cfg_i, peer_q.version};

endmodule
