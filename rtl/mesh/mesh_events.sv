// What happened in this cycle, by port and class, for the counters. A virtual channel belongs to one class.
module mesh_events
  import mesh_pkg::*;
#(
    parameter int unsigned NumVcs = 4,
    parameter int unsigned NumClasses = 2
) (
    input  flit_t [NumPorts-1:0]            sent_i,
    input  logic [NumPorts-1:0][NumVcs-1:0] waiting_i,
    input  logic [NumPorts-1:0][NumVcs-1:0] left_i,
    input  logic [NumPorts-1:0][NumVcs-1:0] discarded_i,
    output events_t                         events_o
);
  localparam int unsigned OfRequest = channels_of_requests(NumVcs, NumClasses);
  localparam logic [NumVcs-1:0] Request = NumVcs'((1 << OfRequest) - 1);

  function automatic logic [1:0] by_class(logic [NumVcs-1:0] vcs);
    return {(vcs & ~Request) != '0, (vcs & Request) != '0};
  endfunction

  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      events_o.sent[p] = sent_i[p].valid ? by_class(NumVcs'(1) << sent_i[p].vc) : 2'b00;
      events_o.stalled[p] = by_class(waiting_i[p]) & ~by_class(left_i[p]);
      events_o.discarded[p] = by_class(discarded_i[p]);
    end
  end

  logic unused;
  assign unused = ^sent_i;
endmodule
