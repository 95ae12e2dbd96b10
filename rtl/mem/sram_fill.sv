// Fills the array with one codeword, a word a cycle.
module sram_fill
  import sram_pkg::*;
  import secded_pkg::*;
(
    input  logic     clk_i,
    input  logic     rst_ni,
    input  logic     start_i,
    input  data_t    data_i,
    output logic     busy_o,
    output logic     done_o,
    output raw_req_t req_o,
    input  logic     ready_i
);

  logic busy_q;
  word_addr_t addr_q;
  logic last;
  assign last = addr_q == word_addr_t'(Words - 1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      addr_q <= '0;
    end else if (!busy_q) begin
      busy_q <= start_i;
      addr_q <= '0;
    end else if (ready_i) begin
      busy_q <= !last;
      addr_q <= addr_q + 1'b1;
    end
  end

  assign busy_o = busy_q;
  assign done_o = busy_q && ready_i && last;
  assign req_o  = '{valid: busy_q, write: 1'b1, addr: addr_q, code: encode(data_i)};

endmodule
