// The subordinate behind addresses where nothing is: takes every access and answers DECERR, reads with zeros.
module axi_error (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  tern_pkg::axi_req_t req_i,
    output tern_pkg::axi_rsp_t rsp_o
);
  import tern_pkg::*;

  typedef enum logic [1:0] {
    WriteIdle,
    WriteData,
    WriteAnswer
  } write_e;

  write_e write_q;
  logic [AxiIdWidth-1:0] write_id_q, read_id_q;
  logic       read_busy_q;
  logic [7:0] read_left_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q    <= WriteIdle;
      write_id_q <= '0;
    end else begin
      unique case (write_q)
        WriteIdle:
        if (req_i.aw_valid) begin
          write_q    <= WriteData;
          write_id_q <= req_i.aw.id;
        end
        WriteData: if (req_i.w_valid && req_i.w.last) write_q <= WriteAnswer;
        WriteAnswer: if (req_i.b_ready) write_q <= WriteIdle;
        default: write_q <= WriteIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_busy_q <= 1'b0;
      read_id_q   <= '0;
      read_left_q <= '0;
    end else if (!read_busy_q) begin
      if (req_i.ar_valid) begin
        read_busy_q <= 1'b1;
        read_id_q   <= req_i.ar.id;
        read_left_q <= req_i.ar.len;
      end
    end else if (req_i.r_ready) begin
      read_left_q <= read_left_q - 1'b1;
      if (read_left_q == '0) read_busy_q <= 1'b0;
    end
  end

  always_comb begin
    rsp_o          = '0;
    rsp_o.aw_ready = write_q == WriteIdle;
    rsp_o.w_ready  = write_q == WriteData;
    rsp_o.b_valid  = write_q == WriteAnswer;
    rsp_o.b.id     = write_id_q;
    rsp_o.b.resp   = AxiDecErr;
    rsp_o.ar_ready = !read_busy_q;
    rsp_o.r_valid  = read_busy_q;
    rsp_o.r.id     = read_id_q;
    rsp_o.r.resp   = AxiDecErr;
    rsp_o.r.last   = read_left_q == '0;
  end

  logic unused;
  assign unused = ^{req_i.aw.addr, req_i.aw.len, req_i.w.data, req_i.w.strb, req_i.ar.addr};
endmodule
