// The accumulators of one column: gives the sum at the top of the array, takes it at the bottom, and gives entries to the store unit. Commands
// pass to the next column a cycle later, as vectors do.
module tensor_acc_column
  import tensor_pkg::*;
#(
    parameter int unsigned COLUMN = 0
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  acc_top_t        top_i,
    output acc_top_t        top_o,
    input  acc_bottom_t     bottom_i,
    output acc_bottom_t     bottom_o,
    input  acc_store_t      store_i,        // never the bank that `top_i` reads
    output acc_store_t      store_o,
    input  logic            test_i,         // nothing else is under way, and nothing goes along the columns
    input  logic            test_write_i,
    input  logic     [ 1:0] test_bank_i,
    input  acc_row_t        test_row_i,
    input  logic     [31:0] test_data_i,    // what a test reads comes as `sum_o`
    output logic            valid_o,        // at the array's top
    output logic     [31:0] sum_o,
    input  logic            valid_i,        // at the array's bottom, with `bottom_i`
    input  logic     [31:0] sum_i,
    output logic            store_tick_o,   // an entry for the store unit, a cycle after its command
    output logic            store_use_o,    // and it is set
    output logic     [31:0] store_value_o
);

  logic top_use, store_use, write, test_read, test_write;
  assign test_read = test_i && !test_write_i;
  assign test_write = test_i && test_write_i;
  assign top_use = top_i.valid && top_i.columns[COLUMN];
  assign store_use = store_i.valid && store_i.columns[COLUMN];
  assign write = bottom_i.valid && bottom_i.columns[COLUMN];

  logic top_valid_q, accumulate_q, tick_q, use_q;
  logic [1:0] top_bank_q, store_bank_q;
  logic [Banks-1:0][31:0] value;
  for (genvar b = 0; b < int'(Banks); b++) begin : gen_bank
    logic read_test, read_top, read_store;
    assign read_test = test_read && test_bank_i == 2'(b);
    assign read_top = top_use && top_i.accumulate && top_i.addr[8:7] == 2'(b);
    assign read_store = store_use && store_i.addr[8:7] == 2'(b);
    tensor_acc_bank u_bank (
        .clk_i,
        .read_i(read_test || read_top || read_store),
        .read_row_i(read_test ? test_row_i : read_top ? {top_i.spare, top_i.addr[6:0]} : {store_i.spare, store_i.addr[6:0]}),
        .read_value_o(value[b]),
        .write_i((write && bottom_i.addr[8:7] == 2'(b)) || (test_write && test_bank_i == 2'(b))),
        .write_row_i(test_write ? test_row_i : {bottom_i.spare, bottom_i.addr[6:0]}),
        .write_value_i(test_write ? test_data_i : sum_i)
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      top_valid_q  <= 1'b0;
      accumulate_q <= 1'b0;
      top_bank_q   <= '0;
      tick_q       <= 1'b0;
      use_q        <= 1'b0;
      store_bank_q <= '0;
    end else begin
      top_valid_q <= top_use;
      if (top_use) begin
        accumulate_q <= top_i.accumulate;
        top_bank_q   <= top_i.addr[8:7];
      end else if (test_read) begin
        accumulate_q <= 1'b1;
        top_bank_q   <= test_bank_i;
      end
      tick_q <= store_i.valid && store_i.ticks[COLUMN];
      use_q  <= store_use;
      if (store_use) store_bank_q <= store_i.addr[8:7];
    end
  end
  assign valid_o = top_valid_q;
  assign sum_o = accumulate_q ? value[top_bank_q] : '0;
  assign store_tick_o = tick_q;
  assign store_use_o = use_q;
  assign store_value_o = value[store_bank_q];

  logic top_next_valid;
  logic [$bits(acc_top_t)-2:0] top_next;
  tensor_delay #(
      .WIDTH($bits(acc_top_t) - 1)
  ) u_top (
      .clk_i,
      .rst_ni,
      .valid_i(top_i.valid),
      .value_i({top_i.accumulate, top_i.addr, top_i.spare, top_i.columns}),
      .valid_o(top_next_valid),
      .value_o(top_next)
  );
  assign top_o = {top_next_valid, top_next};
  logic bottom_next_valid;
  logic [$bits(acc_bottom_t)-2:0] bottom_next;
  tensor_delay #(
      .WIDTH($bits(acc_bottom_t) - 1)
  ) u_bottom (
      .clk_i,
      .rst_ni,
      .valid_i(bottom_i.valid),
      .value_i({bottom_i.addr, bottom_i.spare, bottom_i.columns}),
      .valid_o(bottom_next_valid),
      .value_o(bottom_next)
  );
  assign bottom_o = {bottom_next_valid, bottom_next};
  logic store_next_valid;
  logic [$bits(acc_store_t)-2:0] store_next;
  tensor_delay #(
      .WIDTH($bits(acc_store_t) - 1)
  ) u_store (
      .clk_i,
      .rst_ni,
      .valid_i(store_i.valid),
      .value_i({store_i.addr, store_i.spare, store_i.columns, store_i.ticks}),
      .valid_o(store_next_valid),
      .value_o(store_next)
  );
  assign store_o = {store_next_valid, store_next};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) write == valid_i)
  else $error("what leaves the array has nowhere to go, or does not come");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(top_use && top_i.accumulate && store_use && top_i.addr[8:7] == store_i.addr[8:7]))
  else $error("two reads of one bank");
  assert property (@(posedge clk_i) disable iff (!rst_ni) test_i |-> !top_i.valid && !bottom_i.valid && !store_i.valid)
  else $error("a memory test while vectors are under way");
`endif

endmodule
