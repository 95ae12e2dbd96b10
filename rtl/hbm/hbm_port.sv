// Between the fabric and the pins: passes bursts, answers those that may not pass, and lets an engine of this block in beside them. Answers are
// told apart by the order of each ID. Every output towards fabric and pins is a function of registers only.
module hbm_port
  import tern_pkg::*;
  import hbm_pkg::*;
(
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic        [      31:0] size_i,
    input  logic                     open_i,
    input  logic                     hold_i,           // nothing of the fabric begins
    input  spare_t      [Spares-1:0] spares_i,
    output logic                     fabric_idle_o,    // nothing of the fabric is under way at the pins
    output logic                     engine_idle_o,    // the same of the engine
    output logic                     busy_o,           // an access is under way, or its answer
    output logic                     access_refused_o,
    input  engine_req_t              engine_req_i,
    output engine_rsp_t              engine_rsp_o,
    input  axi_req_t                 axi_req_i,
    output axi_rsp_t                 axi_rsp_o,
    output axi_req_t                 axi_req_o,
    input  axi_rsp_t                 axi_rsp_i
);
  localparam logic [AxiIdWidth-1:0] EngineId = '0;
  localparam logic [AxiAddrWidth-1:0] Base = tern_axi_map_pkg::AxiHbmBase;
  localparam int unsigned OpenWidth = 9;  // 16 IDs of 16 bursts
  localparam int unsigned OrderDepth = 16;
  typedef logic [OpenWidth-1:0] open_t;

  axi_ax_t engine_ax, ar_pins, aw_pins;
  axi_w_t w_pins;
  // The engine sees the spare rows as the fabric does. Its bursts stay in a row.
  row_t engine_row;
  assign engine_row = placed(engine_req_i.offset[31:RowBytesLog2], spares_i, size_i[31:RowBytesLog2]);
  assign engine_ax = '{
          id: EngineId,
          addr: {Base[AxiAddrWidth-1:32], engine_row, engine_req_i.offset[RowBytesLog2-1:0]},
          len: engine_req_i.len
      };

  // ---------------------------------------------------------------------------------------------------------------- read addresses
  axi_ax_t ar_part, ar_refused, ar_out;
  axi_resp_e ar_refused_resp;
  logic ar_in_ready, ar_part_valid, ar_part_ready, ar_first, ar_final, ar_refuse_valid, ar_refuse_ready;
  logic ar_out_ready, ar_push, ar_room, engine_ar, ar_out_valid;
  logic read_busy_q;

  hbm_split i_split_ar (
      .clk_i,
      .rst_ni,
      .size_i,
      .open_i,
      .hold_i(hold_i || read_busy_q),
      .spares_i,
      .valid_i(axi_req_i.ar_valid),
      .ready_o(ar_in_ready),
      .ax_i(axi_req_i.ar),
      .valid_o(ar_part_valid),
      .ready_i(ar_part_ready),
      .ax_o(ar_part),
      .first_o(ar_first),
      .final_o(ar_final),
      .refuse_valid_o(ar_refuse_valid),
      .refuse_ready_i(ar_refuse_ready),
      .refuse_ax_o(ar_refused),
      .refuse_resp_o(ar_refused_resp)
  );

  assign engine_ar = engine_req_i.valid && !engine_req_i.write;
  assign ar_out = engine_ar ? engine_ax : ar_part;
  assign ar_push = (engine_ar || ar_part_valid) && ar_out_ready && ar_room;
  assign ar_part_ready = !engine_ar && ar_out_ready && ar_room;
  axi_fifo #(
      .Depth(2),
      .T(axi_ax_t)
  ) i_ar_out (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .valid_i(ar_push),
      .ready_o(ar_out_ready),
      .data_i(ar_out),
      .valid_o(ar_out_valid),
      .ready_i(axi_rsp_i.ar_ready),
      .data_o(ar_pins)
  );

  // ---------------------------------------------------------------------------------------------------------------------- read data
  axi_r_t r_head;
  logic r_in_ready, r_valid, r_pop, r_engine, r_final, r_end;
  axi_fifo #(
      .Depth(2),
      .T(axi_r_t)
  ) i_r_in (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .valid_i(axi_rsp_i.r_valid),
      .ready_o(r_in_ready),
      .data_i(axi_rsp_i.r),
      .valid_o(r_valid),
      .ready_i(r_pop),
      .data_o(r_head)
  );
  hbm_order #(
      .Depth(OrderDepth)
  ) i_read_order (
      .clk_i,
      .rst_ni,
      .push_i(ar_push),
      .push_id_i(ar_out.id),
      .push_engine_i(engine_ar),
      .push_final_i(engine_ar || ar_final),
      .room_o(ar_room),
      .pop_i(r_end),
      .pop_id_i(r_head.id),
      .engine_o(r_engine),
      .final_o(r_final)
  );
  assign r_pop = r_engine || axi_req_i.r_ready;
  assign r_end = r_valid && r_pop && r_head.last;

  // --------------------------------------------------------------------------------------------------------------- write addresses
  typedef struct packed {
    logic       engine;
    logic [7:0] len;
  } w_order_t;

  axi_ax_t aw_part, aw_refused, aw_out;
  axi_resp_e aw_refused_resp;
  logic aw_in_ready, aw_part_valid, aw_part_ready, aw_first, aw_final, aw_refuse_valid, aw_refuse_ready;
  logic aw_out_ready, aw_push, aw_room, engine_aw, aw_out_valid, w_order_ready, w_order_valid, w_order_pop;
  w_order_t w_order;
  logic write_busy;

  hbm_split i_split_aw (
      .clk_i,
      .rst_ni,
      .size_i,
      .open_i,
      .hold_i(hold_i || write_busy),
      .spares_i,
      .valid_i(axi_req_i.aw_valid),
      .ready_o(aw_in_ready),
      .ax_i(axi_req_i.aw),
      .valid_o(aw_part_valid),
      .ready_i(aw_part_ready),
      .ax_o(aw_part),
      .first_o(aw_first),
      .final_o(aw_final),
      .refuse_valid_o(aw_refuse_valid),
      .refuse_ready_i(aw_refuse_ready),
      .refuse_ax_o(aw_refused),
      .refuse_resp_o(aw_refused_resp)
  );

  logic aw_free;
  assign aw_free = aw_out_ready && aw_room && w_order_ready;
  assign engine_aw = engine_req_i.valid && engine_req_i.write;
  assign aw_out = engine_aw ? engine_ax : aw_part;
  assign aw_push = (engine_aw || aw_part_valid) && aw_free;
  assign aw_part_ready = !engine_aw && aw_free;
  axi_fifo #(
      .Depth(2),
      .T(axi_ax_t)
  ) i_aw_out (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .valid_i(aw_push),
      .ready_o(aw_out_ready),
      .data_i(aw_out),
      .valid_o(aw_out_valid),
      .ready_i(axi_rsp_i.aw_ready),
      .data_o(aw_pins)
  );
  axi_fifo #(
      .Depth(8),
      .T(w_order_t)
  ) i_w_order (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .valid_i(aw_push),
      .ready_o(w_order_ready),
      .data_i('{engine: engine_aw, len: aw_out.len}),
      .valid_o(w_order_valid),
      .ready_i(w_order_pop),
      .data_o(w_order)
  );

  // --------------------------------------------------------------------------------------------------------------------- write data
  typedef enum logic [1:0] {
    WritePass,
    WriteSink,
    WriteAnswer
  } write_e;
  write_e write_q;

  axi_w_t w_head, w_out;
  logic w_in_ready, w_valid, w_pop, w_push, w_out_ready, w_out_valid, w_source, w_last, w_sink;
  logic [7:0] w_count_q;
  logic [3:0] addressed_q;  // bursts whose address the memory has and whose data it has not
  axi_fifo #(
      .Depth(2),
      .T(axi_w_t)
  ) i_w_in (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .valid_i(axi_req_i.w_valid),
      .ready_o(w_in_ready),
      .data_i(axi_req_i.w),
      .valid_o(w_valid),
      .ready_i(w_pop),
      .data_o(w_head)
  );
  // Data follow their address at the pins.
  assign w_source = w_order_valid && addressed_q != '0 && (w_order.engine || w_valid);
  assign w_push = w_source && w_out_ready;
  assign w_last = w_count_q == w_order.len;
  assign w_order_pop = w_push && w_last;
  assign w_sink = write_q == WriteSink;
  assign w_pop = w_sink || (w_push && !w_order.engine);
  always_comb begin
    w_out = '{data: w_head.data, strb: w_head.strb, last: w_last};
    if (w_order.engine) w_out = '{data: engine_req_i.w_data, strb: '1, last: w_last};
  end
  axi_fifo #(
      .Depth(2),
      .T(axi_w_t)
  ) i_w_out (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .valid_i(w_push),
      .ready_o(w_out_ready),
      .data_i(w_out),
      .valid_o(w_out_valid),
      .ready_i(axi_rsp_i.w_ready),
      .data_o(w_pins)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      w_count_q <= '0;
      addressed_q <= '0;
    end else begin
      if (w_push) w_count_q <= w_last ? '0 : w_count_q + 8'd1;
      addressed_q <= addressed_q + 4'(aw_out_valid && axi_rsp_i.aw_ready) - 4'(w_order_pop);
    end
  end

  // ---------------------------------------------------------------------------------------------------------------- write responses
  localparam int unsigned NumIds = 1 << AxiIdWidth;
  axi_b_t b_head;
  logic b_in_ready, b_valid, b_pop, b_engine, b_final, b_end;
  logic [NumIds-1:0][1:0] worst_q;  // of the parts before
  logic [1:0] worst;
  axi_fifo #(
      .Depth(2),
      .T(axi_b_t)
  ) i_b_in (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .valid_i(axi_rsp_i.b_valid),
      .ready_o(b_in_ready),
      .data_i(axi_rsp_i.b),
      .valid_o(b_valid),
      .ready_i(b_pop),
      .data_o(b_head)
  );
  hbm_order #(
      .Depth(OrderDepth)
  ) i_write_order (
      .clk_i,
      .rst_ni,
      .push_i(aw_push),
      .push_id_i(aw_out.id),
      .push_engine_i(engine_aw),
      .push_final_i(engine_aw || aw_final),
      .room_o(aw_room),
      .pop_i(b_end),
      .pop_id_i(b_head.id),
      .engine_o(b_engine),
      .final_o(b_final)
  );
  assign worst = worst_q[b_head.id] > b_head.resp ? worst_q[b_head.id] : b_head.resp;
  assign b_pop = b_engine || !b_final || axi_req_i.b_ready;
  assign b_end = b_valid && b_pop;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) worst_q <= '0;
    else if (b_end && !b_engine) worst_q[b_head.id] <= b_final ? 2'd0 : worst;
  end

  // ------------------------------------------------------------------------------------------------------------------ what is open
  open_t reads_q, writes_q, engine_reads_q, engine_writes_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reads_q <= '0;
      writes_q <= '0;
      engine_reads_q <= '0;
      engine_writes_q <= '0;
    end else begin
      reads_q <= reads_q + open_t'(ar_push && !engine_ar && ar_first) - open_t'(r_end && !r_engine && r_final);
      writes_q <= writes_q + open_t'(aw_push && !engine_aw && aw_first) - open_t'(b_end && !b_engine && b_final);
      engine_reads_q <= engine_reads_q + open_t'(ar_push && engine_ar) - open_t'(r_end && r_engine);
      engine_writes_q <= engine_writes_q + open_t'(aw_push && engine_aw) - open_t'(b_end && b_engine);
    end
  end
  assign fabric_idle_o = reads_q == '0 && writes_q == '0;
  assign engine_idle_o = engine_reads_q == '0 && engine_writes_q == '0;
  assign busy_o = !fabric_idle_o || !engine_idle_o || read_busy_q || write_busy;

  // ------------------------------------------------------------------------------------------- answers to bursts that may not pass
  // They wait until what was before them has ended, so the order within an ID holds.
  logic [AxiIdWidth-1:0] read_id_q, write_id_q;
  axi_resp_e read_resp_q, write_resp_q;
  logic [7:0] read_left_q;
  assign ar_refuse_ready = reads_q == '0;
  assign aw_refuse_ready = writes_q == '0;
  assign write_busy = write_q != WritePass;
  assign access_refused_o = (ar_refuse_valid && ar_refuse_ready) || (aw_refuse_valid && aw_refuse_ready);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_busy_q <= 1'b0;
      read_id_q <= '0;
      read_resp_q <= AxiOkay;
      read_left_q <= '0;
    end else if (ar_refuse_valid && ar_refuse_ready) begin
      read_busy_q <= 1'b1;
      read_id_q <= ar_refused.id;
      read_resp_q <= ar_refused_resp;
      read_left_q <= ar_refused.len;
    end else if (read_busy_q && axi_req_i.r_ready) begin
      read_left_q <= read_left_q - 8'd1;
      if (read_left_q == '0) read_busy_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= WritePass;
      write_id_q <= '0;
      write_resp_q <= AxiOkay;
    end else begin
      unique case (write_q)
        WritePass:
        if (aw_refuse_valid && aw_refuse_ready) begin
          write_q <= WriteSink;
          write_id_q <= aw_refused.id;
          write_resp_q <= aw_refused_resp;
        end
        WriteSink: if (w_valid && w_head.last) write_q <= WriteAnswer;
        WriteAnswer: if (axi_req_i.b_ready) write_q <= WritePass;
        default: write_q <= WritePass;
      endcase
    end
  end

  // ------------------------------------------------------------------------------------------------------------------------ outputs
  assign axi_req_o = '{
          aw_valid: aw_out_valid,
          aw: aw_pins,
          w_valid: w_out_valid,
          w: w_pins,
          b_ready: b_in_ready,
          ar_valid: ar_out_valid,
          ar: ar_pins,
          r_ready: r_in_ready
      };

  always_comb begin
    axi_rsp_o.ar_ready = ar_in_ready;
    axi_rsp_o.aw_ready = aw_in_ready;
    axi_rsp_o.w_ready  = w_in_ready;
    if (read_busy_q) begin
      axi_rsp_o.r_valid = 1'b1;
      axi_rsp_o.r = '{id: read_id_q, data: '0, resp: read_resp_q, last: read_left_q == '0};
    end else begin
      axi_rsp_o.r_valid = r_valid && !r_engine;
      axi_rsp_o.r = '{id: r_head.id, data: r_head.data, resp: r_head.resp, last: r_head.last && r_final};
    end
    if (write_q == WriteAnswer) begin
      axi_rsp_o.b_valid = 1'b1;
      axi_rsp_o.b = '{id: write_id_q, resp: write_resp_q};
    end else begin
      axi_rsp_o.b_valid = b_valid && !b_engine && b_final;
      axi_rsp_o.b = '{id: b_head.id, resp: axi_resp_e'(worst)};
    end
  end

  always_comb begin
    engine_rsp_o = '{
        ready: engine_req_i.write ? aw_free : ar_out_ready && ar_room,
        w_ready: w_push && w_order.engine,
        r_valid: r_valid && r_engine,
        r_data: r_head.data,
        r_last: r_head.last,
        b_valid: b_valid && b_engine,
        error: r_valid && r_engine ? r_head.resp[1] : b_head.resp[1]
    };
  end

  logic unused;
  assign unused = ^{ar_refused.addr, aw_refused.addr, aw_refused.len};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) read_busy_q |-> reads_q == '0)
  else $error("a refused read is answered while others are under way");
  assert property (@(posedge clk_i) disable iff (!rst_ni) write_busy |-> writes_q == '0)
  else $error("a refused write is answered while others are under way");
  assert property (@(posedge clk_i) disable iff (!rst_ni) w_sink |-> !w_order_valid || w_order.engine)
  else $error("write data of a refused burst would go to a burst that passes");
  assert property (@(posedge clk_i) disable iff (!rst_ni) axi_rsp_o.r_valid && !axi_req_i.r_ready |=>
                   axi_rsp_o.r_valid && $stable(axi_rsp_o.r))
  else $error("read data changed while they waited");
  assert property (@(posedge clk_i) disable iff (!rst_ni) axi_rsp_o.b_valid && !axi_req_i.b_ready |=>
                   axi_rsp_o.b_valid && $stable(axi_rsp_o.b))
  else $error("a write response changed while it waited");
  assert property (@(posedge clk_i) disable iff (!rst_ni) axi_req_o.aw_valid && !axi_rsp_i.aw_ready |=>
                   axi_req_o.aw_valid && $stable(axi_req_o.aw))
  else $error("a write address changed while it waited");
  assert property (@(posedge clk_i) disable iff (!rst_ni) axi_req_o.ar_valid && !axi_rsp_i.ar_ready |=>
                   axi_req_o.ar_valid && $stable(axi_req_o.ar))
  else $error("a read address changed while it waited");
  assert property (@(posedge clk_i) disable iff (!rst_ni) axi_req_o.w_valid && !axi_rsp_i.w_ready |=>
                   axi_req_o.w_valid && $stable(axi_req_o.w))
  else $error("write data changed while they waited");
`endif
endmodule
