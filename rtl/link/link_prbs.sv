// The PRBS checkers of all lanes, and the snapshot that software reads.
module link_prbs
  import link_pkg::*;
  import link_regs_pkg::*;
  import tern_pkg::NumLanes;
(
    input logic clk_i,
    input logic rst_ni,

    input lanes_t               enable_i,
    input logic [1:0]           select_i,
    input logic                 clear_i,
    input logic                 snapshot_i,
    input lanes_t               idle_i,
    input word_t [NumLanes-1:0] word_i,

    output link_hw2reg_prbs_status_t [NumLanes-1:0] status_o,
    output logic [NumLanes-1:0][63:0]               bits_o,
    output logic [NumLanes-1:0][31:0]               errors_o,
    output logic                                    lock_lost_o
);

  lanes_t locked, inverted, lost;
  logic [NumLanes-1:0][63:0] bits, bits_q;
  logic [NumLanes-1:0][31:0] errors, errors_q;
  logic [NumLanes-1:0][7:0] losses;

  for (genvar l = 0; l < int'(NumLanes); l++) begin : gen_lane
    link_prbs_check u_check (
        .clk_i,
        .rst_ni,
        .enable_i(enable_i[l]),
        .select_i,
        .idle_i(idle_i[l]),
        .word_i(word_i[l]),
        .clear_i,
        .locked_o(locked[l]),
        .inverted_o(inverted[l]),
        .bits_o(bits[l]),
        .errors_o(errors[l]),
        .lock_losses_o(losses[l]),
        .lock_lost_o(lost[l])
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bits_q   <= '0;
      errors_q <= '0;
    end else if (snapshot_i) begin
      bits_q   <= bits;
      errors_q <= errors;
    end
  end

  always_comb begin
    for (int unsigned l = 0; l < NumLanes; l++) begin
      status_o[l].locked = locked[l];
      status_o[l].inverted = inverted[l];
      status_o[l].signal = !idle_i[l];
      status_o[l].lock_losses = losses[l];
    end
  end
  assign bits_o = bits_q;
  assign errors_o = errors_q;
  assign lock_lost_o = lost != '0;

endmodule
