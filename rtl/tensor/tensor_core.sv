// The engine: three units and their queues, the array between its accumulators, the scratchpad. docs/tensor.md has the programmer's model.
module tensor_core
  import tensor_pkg::*;
  import fp_pkg::*;
#(
    parameter int unsigned ROWS = 8,
    parameter int unsigned COLS = 8,
    localparam int unsigned Partitions = ROWS > COLS ? ROWS : COLS
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  config_t                             config_i,
    input  logic                                inject_i,
    input  command_t                            command_i,
    input  handed_t                             handed_i,
    output logic                                handed_ready_o,
    input  logic                                draining_i,      // what was to be handed over has not come to rest
    input  bus_write_t                          write_i,
    output bus_written_t                        written_o,
    input  bus_read_t                           read_i,
    output bus_data_t                           data_o,
    input  logic                                scrub_i,         // of all partitions
    input  spad_addr_t                          scrub_addr_i,
    output logic         [  Partitions-1:0]     scrub_done_o,
    output logic         [  Partitions-1:0]     scrub_corrected_o,
    output logic         [  Partitions-1:0]     scrub_uncorrected_o,
    input  logic                                hold_i,          // for a memory test: nothing is handed out, the bus is refused
    input  test_t                               test_i,
    output secded_pkg::code_t [Partitions-1:0]  test_data_o,     // the cycle after a read
    input  logic                                unset_i,         // all accumulators
    input  spad_spares_t                        spad_spares_i,
    input  acc_spares_t  [       Banks-1:0]     acc_spares_i,
    input  tern_pkg::sem_req_t [NumOthers-1:0]  other_i,
    output logic         [   NumOthers-1:0]     other_taken_o,
    input  logic         [             2:0]     throttle_i,      // power, thermal, external
    output logic         [        COLS-1:0][31:0] random_o,
    output logic         [NumSemaphores-1:0][7:0] semaphore_o,
    output ended_t       [    NumUnits-1:0]     ended_o,
    output cycle_e                              cycle_o,
    output logic         [             4:0]     stored_o,        // elements that were stored in this cycle
    output flags_t                              flags_o,         // of this cycle
    output error_t                              error_o,
    output event_t                              event_o,
    output state_t                              state_o
);

  // Hand-out.
  logic load_taken, multiply_taken;
  logic stop, flush, halted, first_error, full_write, load_found, product_found, store_found;
  logic [3:0] limited;
  logic [NumUnits-1:0] push, full, queue_valid, pop, waits, granted, unit_busy;
  instr_t [NumUnits-1:0] queue_instr;
  ended_t [NumUnits-1:0] ended;
  ended_t load_ended, multiply_ended, store_ended;
  error_t dispatch_error, load_error, multiply_error, store_error, semaphore_error, product_error;

  tensor_dispatch #(
      .ROWS(ROWS),
      .COLS(COLS)
  ) u_dispatch (
      .clk_i,
      .rst_ni,
      .enable_i(config_i.enable && !hold_i),
      .stop_i(stop),
      .flush_i(flush),
      .resume_i(command_i.resume),
      .handed_i,
      .ready_o(handed_ready_o),
      .push_o(push),
      .full_i(full),
      .halted_o(halted),
      .error_o(dispatch_error)
  );
  for (genvar u = 0; u < int'(NumUnits); u++) begin : gen_queue
    tensor_queue u_queue (
        .clk_i,
        .rst_ni,
        .flush_i(flush),
        .push_i(push[u]),
        .instr_i(handed_i.instr),
        .full_o(full[u]),
        .valid_o(queue_valid[u]),
        .instr_o(queue_instr[u]),
        .pop_i(pop[u])
    );
  end
  tensor_semaphores u_semaphores (
      .clk_i,
      .rst_ni,
      .clear_i(flush),
      .wait_i(waits),
      .instr_i(queue_instr),
      .granted_o(granted),
      .ended_i(ended),
      .other_i,
      .taken_o(other_taken_o),
      .host_i(command_i.signal),
      .host_sem_i(command_i.signal_sem),
      .count_o(semaphore_o),
      .error_o(semaphore_error)
  );

  // Scratchpad.
  spad_read_t [Partitions-1:0] moving_read, load_read;
  spad_access_t [Partitions-1:0] store_access, bus_access;
  logic [Partitions-1:0] load_ready, store_ready, bus_ready, bad, store_bad, bus_bad, corrected, uncorrected;
  logic [Partitions-1:0][63:0] data;
  secded_pkg::code_t [Partitions-1:0] spad_raw;
  for (genvar p = 0; p < int'(Partitions); p++) begin : gen_partition
    tensor_spad u_spad (
        .clk_i,
        .rst_ni,
        .moving_i(moving_read[p]),
        .load_i(load_read[p]),
        .load_ready_o(load_ready[p]),
        .store_i(store_access[p]),
        .store_ready_o(store_ready[p]),
        .bus_i(bus_access[p]),
        .bus_ready_o(bus_ready[p]),
        .scrub_i,
        .scrub_addr_i,
        .scrub_done_o(scrub_done_o[p]),
        .scrub_corrected_o(scrub_corrected_o[p]),
        .scrub_uncorrected_o(scrub_uncorrected_o[p]),
        .test_i(test_i.spad),
        .test_write_i(test_i.write),
        .test_addr_i(test_i.word),
        .test_data_i(test_i.data),
        .test_data_o(spad_raw[p]),
        .spares_i(spad_spares_i),
        .inject_i(inject_i ? config_i.inject : '0),
        .data_o(data[p]),
        .bad_o(bad[p]),
        .store_bad_o(store_bad[p]),
        .bus_bad_o(bus_bad[p]),
        .corrected_o(corrected[p]),
        .uncorrected_o(uncorrected[p])
    );
    // Partitions beyond the rows or the columns have the bus only, or one unit less.
    if (p >= int'(ROWS)) begin : gen_no_row
      assign moving_read[p] = '0;
      assign load_read[p] = '0;
      logic unused_load;
      assign unused_load = load_ready[p];
    end
    if (p >= int'(COLS)) begin : gen_no_column
      assign store_access[p] = '0;
      logic unused_store;
      assign unused_store = ^{store_ready[p], store_bad[p]};
    end
  end
  tensor_bus #(
      .PARTITIONS(Partitions)
  ) u_bus (
      .clk_i,
      .rst_ni,
      .refuse_i(hold_i),
      .write_i,
      .written_o,
      .read_i,
      .data_o,
      .access_o(bus_access),
      .ready_i(bus_ready),
      .bad_i(bus_bad),
      .data_i(data),
      .data_bad_i(bad),
      .full_write_o(full_write)
  );

  // Load.
  logic [1:0] bank_used, loading;
  filled_t [1:0] filled;
  stationary_t [ROWS-1:0] stationary;
  flags_t load_flags, moving_flags, array_flags, store_flags;
  tensor_load #(
      .ROWS(ROWS)
  ) u_load (
      .clk_i,
      .rst_ni,
      .stop_i(stop),
      .flush_i(flush),
      .valid_i(queue_valid[UnitLoad]),
      .instr_i(queue_instr[UnitLoad]),
      .pop_o(pop[UnitLoad]),
      .wait_o(waits[UnitLoad]),
      .granted_i(granted[UnitLoad]),
      .bank_used_i(bank_used),
      .loading_o(loading),
      .filled_o(filled),
      .read_o(load_read[ROWS-1:0]),
      .ready_i(load_ready[ROWS-1:0]),
      .data_i(data[ROWS-1:0]),
      .bad_i(bad[ROWS-1:0]),
      .stationary_o(stationary),
      .flags_o(load_flags),
      .taken_o(load_taken),
      .busy_o(unit_busy[UnitLoad]),
      .ended_o(load_ended),
      .found_o(load_found),
      .error_o(load_error)
  );

  // Multiply.
  logic double_row, pending, ready, allow, issue, vector_valid, slot_pop, drained, unset;
  acc_addr_t multiply_addr, store_addr;
  columns_t multiply_set, store_set, unset_columns;
  vector_t vector;
  acc_top_t top;
  acc_store_t store_read;
  slot_entry_t slot_new, slot_old;
  slot_t slot, old_slot;
  logic missing;
  lane_t missing_column;
  cycle_e cycle;
  tensor_multiply u_multiply (
      .clk_i,
      .rst_ni,
      .stop_i(stop),
      .flush_i(flush),
      .valid_i(queue_valid[UnitMultiply]),
      .instr_i(queue_instr[UnitMultiply]),
      .pop_o(pop[UnitMultiply]),
      .wait_o(waits[UnitMultiply]),
      .granted_i(granted[UnitMultiply]),
      .loading_i(loading),
      .filled_i(filled),
      .bank_used_o(bank_used),
      .double_o(double_row),
      .addr_o(multiply_addr),
      .set_i(multiply_set),
      .pending_i(pending),
      .ready_o(ready),
      .allow_i(allow),
      .issue_o(issue),
      .vector_o(vector),
      .vector_valid_o(vector_valid),
      .top_o(top),
      .entry_o(slot_new),
      .missing_o(missing),
      .column_o(missing_column),
      .slot_i(slot),
      .pop_i(slot_pop),
      .pop_sbank_i(slot_old.sbank),
      .drained_i(drained),
      .taken_o(multiply_taken),
      .busy_o(unit_busy[UnitMultiply]),
      .cycle_o(cycle),
      .error_o(multiply_error)
  );
  tensor_limiter u_limiter (
      .clk_i,
      .rst_ni,
      .reason_i(throttle_i),
      .pace_i(config_i.pace),
      .ramp_idle_i(config_i.ramp_idle),
      .ramp_length_i(config_i.ramp_length),
      .ready_i(ready),
      .issue_i(issue),
      .allow_o(allow),
      .active_o(limited)
  );

  tensor_slots #(
      .ROWS(ROWS),
      .COLS(COLS)
  ) u_slots (
      .clk_i,
      .rst_ni,
      .double_i(double_row),
      .push_i(issue),
      .entry_i(slot_new),
      .slot_o(slot),
      .pop_o(slot_pop),
      .entry_o(slot_old),
      .old_slot_o(old_slot),
      .drained_o(drained)
  );
  assign multiply_ended = '{
          valid: slot_pop && slot_old.ended.valid,
          signal: slot_old.ended.signal,
          sem: slot_old.ended.sem,
          tag: slot_old.ended.tag
      };
  assign ended = {store_ended, multiply_ended, load_ended};

  moving_t [2*ROWS-1:0] moving;
  logic [ROWS-1:0] moving_bad;
  spad_addr_t [ROWS-1:0] bad_addr;
  slot_t [ROWS-1:0] bad_slot;
  tensor_moving #(
      .ROWS(ROWS)
  ) u_moving (
      .clk_i,
      .rst_ni,
      .double_i(double_row),
      .valid_i(vector_valid),
      .vector_i(vector),
      .read_o(moving_read[ROWS-1:0]),
      .data_i(data[ROWS-1:0]),
      .bad_i(bad[ROWS-1:0]),
      .moving_o(moving),
      .flags_o(moving_flags),
      .bad_o(moving_bad),
      .bad_addr_o(bad_addr),
      .bad_slot_o(bad_slot)
  );
  tensor_product_errors #(
      .ROWS(ROWS)
  ) u_product_errors (
      .clk_i,
      .rst_ni,
      .missing_i(missing),
      .column_i(missing_column),
      .slot_i(slot),
      .bad_i(moving_bad),
      .bad_addr_i(bad_addr),
      .bad_slot_i(bad_slot),
      .pop_i(slot_pop),
      .pop_slot_i(old_slot),
      .entry_i(slot_old),
      .found_o(product_found),
      .error_o(product_error)
  );

  // Accumulators and array.
  tensor_acc_state u_acc_state (
      .clk_i,
      .rst_ni,
      .clear_i(unset_i),
      .multiply_addr_i(multiply_addr),
      .multiply_set_o(multiply_set),
      .multiply_pending_o(pending),
      .store_addr_i(store_addr),
      .store_set_o(store_set),
      .issue_i(issue),
      .written_i(slot_pop),
      .written_addr_i(slot_old.addr),
      .written_columns_i(slot_old.columns),
      .unset_i(unset),
      .unset_columns_i(unset_columns)
  );

  logic [COLS-1:0] top_valid, bottom_valid, store_tick, store_use;
  logic [COLS-1:0][31:0] top_sum, bottom_sum, store_value;
  acc_top_t [COLS:0] tops;
  acc_bottom_t [COLS:0] bottoms;
  acc_store_t [COLS:0] stores;
  logic top_spare, bottom_spare, store_spare, test_acc_q;
  acc_addr_t top_row, bottom_row, store_row;
  tensor_acc_map u_top_map (
      .spares_i(acc_spares_i),
      .addr_i(test_i.acc ? test_i.entry : top.addr),
      .spare_o(top_spare),
      .addr_o(top_row)
  );
  tensor_acc_map u_bottom_map (
      .spares_i(acc_spares_i),
      .addr_i(slot_old.addr),
      .spare_o(bottom_spare),
      .addr_o(bottom_row)
  );
  tensor_acc_map u_store_map (
      .spares_i(acc_spares_i),
      .addr_i(store_read.addr),
      .spare_o(store_spare),
      .addr_o(store_row)
  );
  assign tops[0] = '{valid: top.valid, accumulate: top.accumulate, addr: top_row, spare: top_spare, columns: top.columns};
  assign bottoms[0] = '{valid: slot_pop, addr: bottom_row, spare: bottom_spare, columns: slot_old.columns};
  assign stores[0] = '{
          valid: store_read.valid,
          addr: store_row,
          spare: store_spare,
          columns: store_read.columns,
          ticks: store_read.ticks
      };
  for (genvar c = 0; c < int'(COLS); c++) begin : gen_column
    tensor_acc_column #(
        .COLUMN(c)
    ) u_column (
        .clk_i,
        .rst_ni,
        .top_i(tops[c]),
        .top_o(tops[c+1]),
        .bottom_i(bottoms[c]),
        .bottom_o(bottoms[c+1]),
        .store_i(stores[c]),
        .store_o(stores[c+1]),
        .test_i(test_i.acc),
        .test_write_i(test_i.write),
        .test_bank_i(top_row[8:7]),
        .test_row_i({top_spare, top_row[6:0]}),
        .test_data_i(test_i.data[31:0]),
        .valid_o(top_valid[c]),
        .sum_o(top_sum[c]),
        .valid_i(bottom_valid[c]),
        .sum_i(bottom_sum[c]),
        .store_tick_o(store_tick[c]),
        .store_use_o(store_use[c]),
        .store_value_o(store_value[c])
    );
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) test_acc_q <= 1'b0;
    else if (test_i.acc || test_i.spad) test_acc_q <= test_i.acc;
  end
  for (genvar p = 0; p < int'(Partitions); p++) begin : gen_test
    if (p < int'(COLS)) assign test_data_o[p] = test_acc_q ? secded_pkg::code_t'(top_sum[p]) : spad_raw[p];
    else assign test_data_o[p] = spad_raw[p];
  end
  logic unused_last;
  assign unused_last = ^{tops[COLS], bottoms[COLS], stores[COLS], top.spare, store_read.spare};

  tensor_array #(
      .ROWS(ROWS),
      .COLS(COLS)
  ) u_array (
      .clk_i,
      .rst_ni,
      .double_i(double_row),
      .load_i(stationary),
      .moving_i(moving),
      .valid_i(top_valid),
      .sum_i(top_sum),
      .valid_o(bottom_valid),
      .sum_o(bottom_sum),
      .flags_o(array_flags)
  );

  // Store.
  tensor_store #(
      .COLS(COLS)
  ) u_store (
      .clk_i,
      .rst_ni,
      .stop_i(stop),
      .valid_i(queue_valid[UnitStore]),
      .instr_i(queue_instr[UnitStore]),
      .pop_o(pop[UnitStore]),
      .wait_o(waits[UnitStore]),
      .granted_i(granted[UnitStore]),
      .addr_o(store_addr),
      .set_i(store_set),
      .unset_o(unset),
      .unset_columns_o(unset_columns),
      .top_i(top),
      .store_o(store_read),
      .tick_i(store_tick),
      .use_i(store_use),
      .value_i(store_value),
      .access_o(store_access[COLS-1:0]),
      .ready_i(store_ready[COLS-1:0]),
      .data_i(data[COLS-1:0]),
      .bad_i(store_bad[COLS-1:0]),
      .random_write_i(command_i.random_write[COLS-1:0]),
      .random_i(command_i.random),
      .random_o,
      .flags_o(store_flags),
      .stored_o,
      .busy_o(unit_busy[UnitStore]),
      .ended_o(store_ended),
      .found_o(store_found),
      .error_o(store_error)
  );

  logic busy, clearing;
  assign busy = unit_busy != '0 || draining_i;
  tensor_errors #(
      .SOURCES(6)
  ) u_errors (
      .clk_i,
      .rst_ni,
      .found_i(load_found || product_found || store_found),
      .error_i({dispatch_error, semaphore_error, store_error, multiply_error, product_error, load_error}),
      .clear_i(command_i.clear),
      .busy_i(busy),
      .stop_o(stop),
      .clearing_o(clearing),
      .flush_o(flush),
      .first_o(first_error),
      .error_o
  );
  assign cycle_o = cycle;
  assign flags_o = load_flags | moving_flags | array_flags | store_flags;
  assign ended_o = ended;
  assign event_o = '{
          error: first_error,
          issue: issue,
          corrected: corrected != '0,
          uncorrected: uncorrected != '0,
          full_write: full_write
      };
  // Idle: nothing is under way, and nothing waits that could begin by itself.
  assign state_o = '{
          busy: unit_busy,
          idle: unit_busy == '0 && !load_taken && !multiply_taken && queue_valid == '0,
          halted: halted,
          clearing: clearing,
          limited: limited
      };

  logic unused_command;
  assign unused_command = ^command_i;

endmodule
