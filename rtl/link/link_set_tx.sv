// Sends ordered sets, the same on all lanes but for the lane number. What a set says is fixed at its first word. After `start_i` it sends
// the START sets, and data runs from the next word on all lanes at once.
module link_set_tx
  import link_pkg::*;
  import tern_pkg::NumLanes;
(
    input logic clk_i,
    input logic rst_ni,

    input logic        run_i,    // sets or data; else nothing
    input logic        clear_i,  // one cycle: back from data to sets
    input logic        start_i,
    input set_t        set_i,    // count and lane are filled in here

    output logic                 set_valid_o,
    output word_t [NumLanes-1:0] set_word_o,
    output logic                 data_on_o
);

  logic [2:0] index_q;
  logic data_on_q, starting_q;
  logic [3:0] count_q;
  set_t set_q, set_d;
  word_t word;

  always_comb begin
    set_d = set_i;
    set_d.lane = '0;
    set_d.count = '0;
    if (start_i || starting_q) begin
      set_d.kind = SetStart;
      set_d.count = starting_q ? count_q - 4'd1 : StartCount;
    end
  end

  always_comb begin
    unique case (index_q)
      3'd0:    word = Sync0;
      3'd1:    word = Sync1;
      3'd2:    word = set_q[47:32];
      3'd3:    word = set_q[31:16];
      3'd4:    word = set_q[15:0];
      3'd5:    word = ~set_q[47:32];
      3'd6:    word = ~set_q[31:16];
      default: word = ~set_q[15:0];
    endcase
    for (int unsigned l = 0; l < NumLanes; l++) begin
      set_word_o[l] = word;
      if (index_q == 3'd2) set_word_o[l][7:4] = 4'(l);
      if (index_q == 3'd5) set_word_o[l][7:4] = ~4'(l);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      index_q    <= '0;
      data_on_q  <= 1'b0;
      starting_q <= 1'b0;
      count_q    <= '0;
      set_q      <= '0;
    end else if (!run_i || clear_i) begin
      index_q    <= '0;
      data_on_q  <= 1'b0;
      starting_q <= 1'b0;
    end else if (!data_on_q) begin
      index_q <= index_q + 3'd1;
      if (index_q == '0) begin
        set_q      <= set_d;
        count_q    <= set_d.count;
        starting_q <= start_i || starting_q;
      end
      if (index_q == 3'd7 && starting_q && count_q == '0) data_on_q <= 1'b1;
    end
  end

  assign set_valid_o = run_i && !data_on_q;
  assign data_on_o = data_on_q;

endmodule
