// The semaphores. In one cycle each unit, each of the other engines and the host may add one, and each unit and engine may wait for one: first
// all is added, then taken in their order. One that is at 255 stays there.
module tensor_semaphores
  import tensor_pkg::*;
(
    input  logic                                    clk_i,
    input  logic                                    rst_ni,
    input  logic                                    clear_i,
    input  logic                [     NumUnits-1:0] wait_i,
    input  instr_t              [     NumUnits-1:0] instr_i,
    output logic                [     NumUnits-1:0] granted_o,
    input  ended_t              [     NumUnits-1:0] ended_i,
    input  tern_pkg::sem_req_t  [    NumOthers-1:0] other_i,
    output logic                [    NumOthers-1:0] taken_o,
    input  logic                                    host_i,
    input  logic                [              3:0] host_sem_i,
    output logic                [NumSemaphores-1:0][7:0] count_o,
    output error_t                                  error_o
);

  logic [NumSemaphores-1:0][7:0] count_d, count_q;

  always_comb begin
    count_d = count_q;
    error_o = '0;
    granted_o = '0;
    taken_o = '0;
    if (host_i) begin
      if (count_d[host_sem_i] == '1)
        error_o = '{valid: 1'b1, code: ErrorSemaphoreOverflow, tag: '0, detail: 32'(host_sem_i)};
      else count_d[host_sem_i] += 8'd1;
    end
    for (int u = 0; u < int'(NumUnits); u++) begin
      if (ended_i[u].valid && ended_i[u].signal) begin
        if (count_d[ended_i[u].sem] != '1) count_d[ended_i[u].sem] += 8'd1;
        else if (!error_o.valid)
          error_o = '{valid: 1'b1, code: ErrorSemaphoreOverflow, tag: ended_i[u].tag, detail: 32'(ended_i[u].sem)};
      end
    end
    for (int o = 0; o < int'(NumOthers); o++) begin
      if (other_i[o].give) begin
        if (count_d[other_i[o].give_sem] != '1) count_d[other_i[o].give_sem] += 8'd1;
        else if (!error_o.valid)
          error_o = '{valid: 1'b1, code: ErrorSemaphoreOverflow, tag: '0, detail: 32'(other_i[o].give_sem)};
      end
    end
    for (int u = 0; u < int'(NumUnits); u++) begin
      if (wait_i[u] && count_d[instr_i[u].wait_sem] >= 8'(instr_i[u].wait_count)) begin
        granted_o[u] = 1'b1;
        count_d[instr_i[u].wait_sem] -= 8'(instr_i[u].wait_count);
      end
    end
    for (int o = 0; o < int'(NumOthers); o++) begin
      if (other_i[o].attempt && !clear_i && count_d[other_i[o].attempt_sem] >= 8'(other_i[o].count)) begin
        taken_o[o] = 1'b1;
        count_d[other_i[o].attempt_sem] -= 8'(other_i[o].count);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else if (clear_i) count_q <= '0;
    else count_q <= count_d;
  end
  assign count_o = count_q;

  logic unused;
  assign unused = ^{instr_i, ended_i};

endmodule
