// The reset of a proof about the mesh switch: the first cycle.
module mesh_open (
    input  logic clk_i,
    output logic rst_no
);
  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  assign rst_no = rst_n;
endmodule
