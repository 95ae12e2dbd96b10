// Credits of the traffic classes, both ways: what the other end may still send here, told three bits at a time in turn, and what may still be
// sent there. Limits count flits since the session began and only grow, so a lost frame costs nothing. docs/link.md, "Credits".
module link_credits
  import link_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input logic fresh_i,  // begin anew; while 1

    // Our queues
    input logic [NumClasses-1:0]      freed_i,  // one flit left the queue
    input logic [NumClasses-1:0][7:0] used_i,   // flits in it; counts while fresh_i
    input logic                       told_i,   // one cycle: the next class
    output logic [1:0]                class_o,
    output logic [2:0]                credit_o,

    // Those of the other end
    input  feedback_t                  feedback_i,
    input  logic                       sent_i,
    input  logic [1:0]                 sent_class_i,
    output logic [NumClasses-1:0][7:0] available_o  // flits
);

  logic [NumClasses-1:0][7:0] grant_q, limit_q, sent_q;
  logic [1:0] class_q;
  logic [2:0] units;
  logic known;

  assign known = feedback_i.valid && feedback_i.credit_class < 2'(NumClasses);
  assign units = known ? feedback_i.credit - class_units(feedback_i.credit_class, limit_q[feedback_i.credit_class]) : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      grant_q <= '0;
      limit_q <= '0;
      sent_q  <= '0;
      class_q <= '0;
    end else begin
      if (told_i) class_q <= class_q == 2'(NumClasses - 1) ? '0 : class_q + 2'd1;
      if (fresh_i) begin
        // What is left in a queue from before goes off what it grants.
        for (int unsigned c = 0; c < NumClasses; c++) grant_q[c] <= class_grant(2'(c)) - used_i[c] + {7'd0, freed_i[c]};
        limit_q <= '0;
        sent_q  <= '0;
      end else begin
        for (int unsigned c = 0; c < NumClasses; c++) if (freed_i[c]) grant_q[c] <= grant_q[c] + 8'd1;
        if (units != '0)
          limit_q[feedback_i.credit_class] <= limit_q[feedback_i.credit_class] +
              (feedback_i.credit_class == ClassWriteResp ? {5'd0, units} : {1'b0, units, 4'd0});
        if (sent_i) sent_q[sent_class_i] <= sent_q[sent_class_i] + 8'd1;
      end
    end
  end

  logic unused;
  assign unused = ^{feedback_i.ack, feedback_i.nak};

  assign class_o = class_q;
  assign credit_o = class_units(class_q, grant_q[class_q]);
  always_comb for (int unsigned c = 0; c < NumClasses; c++) available_o[c] = limit_q[c] - sent_q[c];

`ifndef SYNTHESIS
  for (genvar c = 0; c < int'(NumClasses); c++) begin : gen_check
    assert property (@(posedge clk_i) disable iff (!rst_ni || fresh_i) available_o[c] <= class_grant(2'(c)));
    assert property (@(posedge clk_i) disable iff (!rst_ni || fresh_i) sent_i && sent_class_i == 2'(c) |-> available_o[c] != '0);
  end
`endif

endmodule
