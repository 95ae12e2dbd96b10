// Writes the training page, or reads it and counts the wrong bits of each lane. One burst each.
module hbm_page
  import hbm_pkg::*;
(
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic        [31:0]      offset_i,        // of the page
    input  logic                    write_i,         // pulse: write the page with the next number
    input  logic                    read_i,          // pulse
    output logic                    busy_o,
    output logic                    done_o,          // pulse: the burst has been answered
    output logic                    error_o,         // with done_o: by an error
    output logic        [15:0]      number_o,
    output logic [Lanes-1:0][8:0]   wrong_bits_o,    // of the last page that was read
    output engine_req_t             req_o,
    input  engine_rsp_t             rsp_i
);
  localparam logic [4:0] LastWord = 5'(PageWords - 1);

  typedef enum logic [1:0] {
    Idle,
    Ask,
    Wait
  } state_e;
  state_e state_q;
  logic write_q, error_q;
  logic [15:0] number_q;
  logic [4:0] index_q;
  logic [Lanes-1:0][8:0] wrong_q;
  logic [63:0] word, differ;

  assign word = page_word(number_q, index_q);
  assign differ = rsp_i.r_data ^ word;

  function automatic logic [3:0] ones(logic [7:0] bits);
    logic [3:0] sum;
    sum = '0;
    for (int unsigned b = 0; b < 8; b++) sum += {3'd0, bits[b]};
    return sum;
  endfunction

  assign done_o = state_q == Wait && (write_q ? rsp_i.b_valid : rsp_i.r_valid && rsp_i.r_last);
  assign error_o = error_q || rsp_i.error;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      write_q <= 1'b0;
      error_q <= 1'b0;
      number_q <= '0;
      index_q <= '0;
      wrong_q <= '0;
    end else begin
      unique case (state_q)
        Idle:
        if (write_i || read_i) begin
          state_q <= Ask;
          write_q <= write_i;
          error_q <= 1'b0;
          index_q <= '0;
          if (write_i) number_q <= number_q + 16'd1;
          else wrong_q <= '0;
        end
        Ask: if (rsp_i.ready) state_q <= Wait;
        Wait: if (done_o) state_q <= Idle;
        default: state_q <= Idle;
      endcase
      if (state_q != Idle && (write_q ? rsp_i.w_ready : rsp_i.r_valid)) index_q <= index_q + 5'd1;
      if (state_q == Wait && !write_q && rsp_i.r_valid) begin
        error_q <= error_q || rsp_i.error;
        for (int unsigned lane = 0; lane < Lanes; lane++)
          wrong_q[lane] <= wrong_q[lane] + {5'd0, ones(differ[lane*8+:8])};
      end
    end
  end

  assign busy_o = state_q != Idle;
  assign number_o = number_q;
  assign wrong_bits_o = wrong_q;
  assign req_o = '{valid: state_q == Ask, write: write_q, offset: offset_i, len: {3'd0, LastWord}, w_data: word};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) write_i || read_i |-> state_q == Idle)
  else $error("a page is asked for while another is under way");
`endif
endmodule
