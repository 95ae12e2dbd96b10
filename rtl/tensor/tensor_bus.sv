// The data bus' accesses to the partitions: a write and a read at a time, side by side unless they want the same partition, where they take turns.
// An access that goes nowhere is answered with an error.
module tensor_bus
  import tensor_pkg::*;
#(
    parameter int unsigned PARTITIONS = 8
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  logic                                refuse_i,     // every access is answered with an error
    input  bus_write_t                          write_i,
    output bus_written_t                        written_o,
    input  bus_read_t                           read_i,
    output bus_data_t                           data_o,
    output spad_access_t [PARTITIONS-1:0]       access_o,
    input  logic         [PARTITIONS-1:0]       ready_i,
    input  logic         [PARTITIONS-1:0]       bad_i,        // with `ready_i` of a write
    input  logic         [PARTITIONS-1:0][63:0] data_i,       // of a read, the cycle after
    input  logic         [PARTITIONS-1:0]       data_bad_i,
    output logic                                full_write_o
);

  logic write_exists, read_exists;
  assign write_exists = !refuse_i && 5'(write_i.word.partition) < 5'(PARTITIONS);
  assign read_exists = !refuse_i && 5'(read_i.word.partition) < 5'(PARTITIONS);

  // A write that has been shown to its partition stays there until it is done: it may be half way.
  logic same, shown_q, turn_q, write_goes, read_goes, written, taken;
  assign same = write_i.valid && read_i.valid && write_i.word.partition == read_i.word.partition;
  assign read_goes = read_i.valid && (!same || (turn_q && !shown_q));
  assign write_goes = write_i.valid && !(same && read_goes);

  always_comb begin
    for (int p = 0; p < int'(PARTITIONS); p++) begin
      access_o[p] = '0;
      if (write_goes && write_exists && write_i.word.partition == lane_t'(p))
        access_o[p] = '{valid: 1'b1, write: 1'b1, addr: write_i.word.addr, data: write_i.data, strb: write_i.strb};
      else if (read_goes && read_exists && read_i.word.partition == lane_t'(p))
        access_o[p] = '{valid: 1'b1, write: 1'b0, addr: read_i.word.addr, data: '0, strb: '0};
    end
  end

  logic write_ready, write_bad, read_ready;
  always_comb begin
    write_ready = !write_exists;
    write_bad = !write_exists;
    read_ready = !read_exists;
    for (int p = 0; p < int'(PARTITIONS); p++) begin
      if (write_exists && write_i.word.partition == lane_t'(p)) begin
        write_ready = ready_i[p];
        write_bad = bad_i[p];
      end
      if (read_exists && read_i.word.partition == lane_t'(p)) read_ready = ready_i[p];
    end
  end
  assign written = write_goes && write_ready;
  assign taken = read_goes && read_ready;
  assign written_o = '{ready: written, error: write_bad};
  assign full_write_o = written && write_exists && write_i.strb == '1;

  lane_t partition_q;
  logic exists_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shown_q     <= 1'b0;
      turn_q      <= 1'b0;
      partition_q <= '0;
      exists_q    <= 1'b0;
    end else begin
      shown_q <= write_goes && !written;
      if (written || taken) turn_q <= !taken;
      if (taken) begin
        partition_q <= read_i.word.partition;
        exists_q    <= read_exists;
      end
    end
  end

  always_comb begin
    data_o = '{ready: taken, error: 1'b1, data: '0};
    for (int p = 0; p < int'(PARTITIONS); p++) begin
      if (exists_q && partition_q == lane_t'(p)) begin
        data_o.error = data_bad_i[p];
        data_o.data  = data_bad_i[p] ? '0 : data_i[p];
      end
    end
  end

endmodule
