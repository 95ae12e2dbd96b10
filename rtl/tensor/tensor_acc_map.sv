// Where an entry of the accumulators is: in its own row of its bank, or in a spare one.
module tensor_acc_map
  import tensor_pkg::*;
(
    input  acc_spares_t [Banks-1:0] spares_i,
    input  acc_addr_t               addr_i,
    output logic                    spare_o,
    output acc_addr_t               addr_o    // with `spare_o` the entry is the number of the spare one
);

  acc_spares_t spares;
  acc_row_t row;
  assign spares = spares_i[addr_i[8:7]];
  mem_spare_map #(
      .Words (Entries),
      .Spares(AccSpares)
  ) u_map (
      .enable_i(spares.enable),
      .dead_i(spares.dead),
      .spare_addr_i(spares.addr),
      .addr_i(addr_i[6:0]),
      .row_o(row)
  );
  assign spare_o = row[7];
  assign addr_o = {addr_i[8:7], row[6:0]};

endmodule
