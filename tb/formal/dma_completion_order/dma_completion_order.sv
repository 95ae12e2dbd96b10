// The completion ring with software that consumes no more than there is.
module dma_completion_order (
    input logic                    clk_i,
    input logic [3:0]              log2,
    input dma_pkg::queue_config_t  config_i,
    input dma_pkg::queue_command_t command_i,
    input dma_queue_open_pkg::inputs_t inputs_i
);
  import dma_pkg::*;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  dma_queue_open u_open (.clk_i, .rst_ni(rst_n), .log2, .config_i, .command_i, .inputs_i);

  // Completions that wait for software, counted.
  index_t consumer_q, consumed;
  logic [16:0] held_q, held;
  assign consumed = config_i.consumer - consumer_q;
  assign held = held_q - {1'b0, consumed};
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      consumer_q <= '0;
      held_q     <= '0;
    end else if (u_open.u_queue.reset_done) begin
      consumer_q <= '0;  // the register is loaded with it
      held_q     <= '0;
    end else begin
      consumer_q <= config_i.consumer;
      held_q     <= held + 17'(u_open.u_queue.comp_done);
    end
  end

  // Completions that are still to come: those of transfers that have ended, that are in flight, and the one that was begun.
  logic sending;
  logic [2:0] results, slots, lasts;
  logic [NumSlots-1:0] last_in_flight;
  index_t to_come;
  assign sending = u_open.u_queue.u_complete.state_q != 2'd0;
  assign results = u_open.u_queue.u_complete.u_results.write_q - u_open.u_queue.u_complete.u_results.read_q;
  assign slots = u_open.u_queue.slot_count;
  assign to_come = u_open.u_queue.u_complete.reserved_q - u_open.u_queue.producer;
  for (genvar i = 0; i < NumSlots; i++) begin : gen_slot
    slot_t slot;
    assign slot = u_open.u_queue.u_slots.read_q + slot_t'(i);
    assign last_in_flight[i] = slots > 3'(i) && !u_open.u_queue.u_slots.info_q[slot].chain;
  end
  assign lasts = 3'($countones(last_in_flight));
  slot_t newest;
  assign newest = u_open.u_queue.u_slots.write_q - 2'd1;

  always_comb begin
    if (rst_n) begin
      assume ({1'b0, consumed} <= held_q);

      // Leant on below: how slots and the start agree on where transfers end.
      assert (results <= 3'd4 && slots <= 3'd4);
      assert (u_open.u_queue.u_slots.write_q - u_open.u_queue.u_slots.read_q == slot_t'(slots));
      assert (u_open.u_queue.u_slots.lasts_q == lasts);
      assert (slots == '0 || u_open.u_queue.chain == u_open.u_queue.u_slots.info_q[newest].chain);
      assert (!u_open.u_queue.pending || slots != 3'd4);
      assert (to_come == index_t'(results) + index_t'(lasts) + index_t'(u_open.u_queue.chain));
      assert (!u_open.u_queue.pending || u_open.u_queue.chain || held + 17'(to_come) < u_open.size);

      // No more is held and to come than there is room for.
      assert (held_q[15:0] == u_open.u_queue.producer - consumer_q);
      assert (held_q + 17'(to_come) <= u_open.size);
      assert (!sending || (held_q < u_open.size && u_open.u_queue.comp_busy));
      assert (!u_open.u_queue.comp_done || held < u_open.size);
      assert (u_open.u_queue.comp_full == (held + 17'(to_come) == u_open.size));
      assert ((u_open.u_queue.producer == config_i.consumer) == (held == '0));
    end
  end
endmodule
