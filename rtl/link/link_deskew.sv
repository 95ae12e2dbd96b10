// Lines the lanes up. A lane's words queue from the word at which its data begins; when every active lane has one, all are read together
// from then on. Lanes leave in logical order: reversal is undone here.
module link_deskew
  import link_pkg::*;
  import tern_pkg::NumLanes;
(
    input logic clk_i,
    input logic rst_ni,

    input logic   enable_i,    // empties while 0
    input logic   reversed_i,
    input lanes_t active_i,    // logical lanes

    input lanes_t               valid_i,  // physical lanes
    input word_t [NumLanes-1:0] word_i,

    output logic                     valid_o,    // registered; every cycle once it runs
    output word_t [NumLanes-1:0]     word_o,     // logical lanes; those that are not active read 0
    output logic                     running_o,
    output logic                     overflow_o, // one cycle: a lane is more than the depth ahead
    output logic [NumLanes-1:0][3:0] depth_o     // words that wait, logical lanes
);

  localparam int unsigned Depth = 8;

  word_t [NumLanes-1:0][Depth-1:0] queue_q;
  logic [NumLanes-1:0][3:0] write_q;
  logic [3:0] read_q;
  logic running_q;
  lanes_t valid, filled, over;
  word_t [NumLanes-1:0] word;
  logic pop;

  always_comb begin
    for (int unsigned l = 0; l < NumLanes; l++) begin
      valid[l] = active_i[l] && (reversed_i ? valid_i[NumLanes-1-l] : valid_i[l]);
      word[l] = reversed_i ? word_i[NumLanes-1-l] : word_i[l];
      depth_o[l] = write_q[l] - read_q;
      filled[l] = write_q[l] != read_q;
      over[l] = valid[l] && depth_o[l] == 4'(Depth);
    end
  end
  assign pop = enable_i && active_i != '0 && (filled & active_i) == active_i;
  assign overflow_o = enable_i && !pop && over != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      queue_q   <= '0;
      write_q   <= '0;
      read_q    <= '0;
      running_q <= 1'b0;
      valid_o   <= 1'b0;
      word_o    <= '0;
    end else if (!enable_i) begin
      write_q   <= '0;
      read_q    <= '0;
      running_q <= 1'b0;
      valid_o   <= 1'b0;
    end else begin
      valid_o <= pop;
      if (pop) begin
        running_q <= 1'b1;
        read_q    <= read_q + 4'd1;
      end
      for (int unsigned l = 0; l < NumLanes; l++) begin
        if (pop) word_o[l] <= active_i[l] ? queue_q[l][read_q[2:0]] : '0;
        if (valid[l] && !(over[l] && !pop)) begin
          queue_q[l][write_q[l][2:0]] <= word[l];
          write_q[l]                  <= write_q[l] + 4'd1;
        end
      end
    end
  end

  assign running_o = running_q;

endmodule
