#include "lab/drivers/tern/tensor/gemm.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lab/drivers/tern/tensor/gemm_cut.h"

namespace firstlight::tern::tensor {

namespace {

/// Who gives (->) what to whom. An instruction or a move waits for one and gives one, so where two are due, the unit
/// that has time to spare carries an instruction without effect ahead: loads of one element into a bank that is about
/// to be loaded, and stores of one element into a tile of C that is about to be stored. Loads see every product end,
/// and pass on what follows from that.
enum Semaphore : unsigned {
  kArrived = 0,  // moves in -> load: the operands of the next item
  kLoaded,       // load -> product
  kDone,         // product -> the load after the next one, which takes its stationary bank
  kFreed,        // load -> moves in: an item has been used up
  kSummed,       // load, the last products themselves -> store: a tile of C
  kTaken,        // store -> load: a bank of accumulators may be overwritten
  kStored,       // store -> moves out: a tile of C
  kCleared       // moves out -> store: the place of a tile of C is free
};
static_assert(kCleared + 1 == kGemmSemaphores);

constexpr unsigned kStationaryBanks = 2;

/// One product of the array: tile `tile` of C (counted in the order in which they come) and `t` along k.
struct Step {
  unsigned tile = 0;
  unsigned t = 0;
  unsigned item = 0;
  unsigned block = 0;
  unsigned column = 0;  // tile along n
  unsigned from = 0;    // columns of its group
  unsigned until = 0;
  bool opens_item() const { return column == from; }
  bool closes_item() const { return column + 1 == until; }
};

class Planner {
 public:
  Planner(const Engine& engine, const GemmShape& shape, const GemmOptions& options)
      : engine_(engine), shape_(shape), options_(options), cut_(engine, shape, options) {}
  GemmPlan plan();

 private:
  struct Exchange {
    std::optional<Semaphore> take;
    std::optional<Semaphore> give;
  };

  void list_steps();
  void bring(const Step& first);
  void bring_a(const Step& first);
  void bring_b(const Step& first);
  void bring_params(const Step& first);
  std::vector<Exchange> exchanges_of(std::size_t index) const;
  static Instruction with(Instruction instruction, const Exchange& exchange);
  void load(std::size_t index);
  void multiply(std::size_t index);
  void store(const Step& last);
  void take(const Step& last);

  Move move_of(Matrix matrix) const;
  unsigned steps_of(unsigned t) const { return std::min(cut_.steps, shape_.k - t * cut_.steps); }
  unsigned rows_of_partition(unsigned t) const { return (steps_of(t) + cut_.pair - 1) / cut_.pair; }
  unsigned rows_of(unsigned block) const { return std::min(cut_.block, shape_.m - block * cut_.block); }
  unsigned columns_of(unsigned column) const { return std::min(engine_.columns, shape_.n - column * engine_.columns); }
  bool ends_tile(const Step& step) const { return step.t + 1 == cut_.tiles_k; }
  unsigned place_of_a(const Step& step) const {
    return cut_.kept != 0 ? step.block % cut_.kept * cut_.tiles_k + step.t : step.item % cut_.depth;
  }
  unsigned address_of_b(const Step& step) const { return cut_.b(step.item) + (step.column - step.from) * cut_.tile_b; }

  const Engine engine_;
  const GemmShape shape_;
  const GemmOptions options_;
  const GemmCut cut_;
  std::vector<Step> steps_;
  GemmPlan plan_;
};

GemmPlan Planner::plan() {
  list_steps();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].opens_item()) bring(steps_[i]);
    load(i);
    multiply(i);
    // Behind what it waits for: hand-out keeps the program's order.
    if (i >= kStationaryBanks && ends_tile(steps_[i - kStationaryBanks])) store(steps_[i - kStationaryBanks]);
  }
  for (std::size_t i = steps_.size() - std::min<std::size_t>(kStationaryBanks, steps_.size()); i < steps_.size(); ++i)
    if (ends_tile(steps_[i])) store(steps_[i]);
  return std::move(plan_);
}

void Planner::list_steps() {
  unsigned item = 0;
  for (unsigned block = 0; block < cut_.blocks; ++block) {
    const std::vector<unsigned> bounds = cut_.bounds_of(block);
    for (std::size_t group = 0; group + 1 < bounds.size(); ++group) {
      const unsigned from = bounds[group];
      const unsigned until = bounds[group + 1];
      for (unsigned t = 0; t < cut_.tiles_k; ++t, ++item)
        for (unsigned column = from; column < until; ++column)
          steps_.push_back({block * cut_.tiles_n + column, t, item, block, column, from, until});
    }
  }
}

Move Planner::move_of(Matrix matrix) const {
  Move move;
  move.matrix = matrix;
  move.memory_stride = layout_of(matrix, shape_, options_).pitch;
  move.scratchpad_stride = engine_.partition_bytes;
  return move;
}

/// All operands of an item. The first move waits until the item's place is free, the last one says that all are there.
void Planner::bring(const Step& first) {
  const std::size_t begin = plan_.in.size();
  if (first.t == 0 && (options_.scale || options_.bias)) bring_params(first);
  const bool is_there = cut_.kept != 0 && first.from != 0;
  if (!is_there) bring_a(first);
  bring_b(first);
  if (first.item >= cut_.depth) {
    plan_.in[begin].wait_sem = kFreed;
    plan_.in[begin].wait_count = 1;
  }
  plan_.in.back().signal_sem = kArrived;
  plan_.in.back().signal = true;
}

/// Partition r: row r of the tile along k.
void Planner::bring_a(const Step& first) {
  Move move = move_of(Matrix::a);
  const unsigned element = cut_.pair * bytes_of(options_.a);
  move.memory = first.t * engine_.rows * move.memory_stride + std::size_t{first.block} * cut_.block * element;
  move.scratchpad = cut_.a(place_of_a(first));
  move.bytes = std::size_t{rows_of(first.block)} * element;
  move.rows = rows_of_partition(first.t);
  plan_.in.push_back(move);
}

/// Partition r: row r of the tile along k, for each tile of the group.
void Planner::bring_b(const Step& first) {
  const unsigned element = cut_.pair * bytes_of(options_.b);
  const unsigned together = cut_.joined_b ? first.until - first.from : 1;
  for (unsigned column = first.from; column < first.until; column += together) {
    const unsigned begin = column * engine_.columns;
    const unsigned end = std::min((column + together) * engine_.columns, shape_.n);
    Move move = move_of(Matrix::b);
    move.memory = first.t * engine_.rows * move.memory_stride + std::size_t{begin} * element;
    move.scratchpad = cut_.b(first.item) + (column - first.from) * cut_.tile_b;
    move.bytes = std::size_t{end - begin} * element;
    move.rows = rows_of_partition(first.t);
    plan_.in.push_back(move);
  }
}

/// Partition c: factor and addend of the tile's column c.
void Planner::bring_params(const Step& first) {
  for (unsigned column = first.from; column < first.until; ++column) {
    Move move = move_of(Matrix::params);
    move.memory = std::size_t{column} * engine_.columns * move.memory_stride;
    move.scratchpad = cut_.params(first.tile + column - first.from);
    move.bytes = GemmCut::kParamBytes;
    move.rows = columns_of(column);
    plan_.in.push_back(move);
  }
}

/// Partition c: column c of a tile of C.
void Planner::take(const Step& last) {
  Move move = move_of(Matrix::c);
  move.memory = std::size_t{last.column} * engine_.columns * move.memory_stride +
                std::size_t{last.block} * cut_.block * bytes_of(options_.c);
  move.scratchpad = cut_.c(last.tile);
  move.bytes = std::size_t{rows_of(last.block)} * bytes_of(options_.c);
  move.rows = columns_of(last.column);
  move.wait_sem = kStored;
  move.wait_count = 1;
  move.signal_sem = kCleared;
  move.signal = last.tile + cut_.results < cut_.tiles();
  plan_.out.push_back(move);
}

/// What a load waits for before it begins, and passes on of the product that had its bank: pairs of which the last is
/// the load itself, those before it are without effect.
std::vector<Planner::Exchange> Planner::exchanges_of(std::size_t index) const {
  const Step& step = steps_[index];
  std::vector<Exchange> list;
  if (index >= kStationaryBanks) {
    const Step& before = steps_[index - kStationaryBanks];
    list.push_back({kDone, std::nullopt});
    const auto pass_on = [&](Semaphore semaphore) {
      if (list.back().give) list.push_back({});
      list.back().give = semaphore;
    };
    if (before.closes_item() && before.item + cut_.depth <= steps_.back().item) pass_on(kFreed);
    if (ends_tile(before)) pass_on(kSummed);
  }
  if (step.opens_item()) list.push_back({kArrived, std::nullopt});
  if (step.t == 0 && step.tile >= engine_.banks) list.push_back({kTaken, std::nullopt});
  if (list.empty() || list.back().give) list.push_back({});
  list.back().give = kLoaded;
  return list;
}

void Planner::load(std::size_t index) {
  const Step& step = steps_[index];
  Instruction real;
  real.opcode = Opcode::load_stationary;
  real.dtype = options_.b;
  real.double_row = options_.double_row;
  real.sbank = index % kStationaryBanks;
  real.k = steps_of(step.t);
  real.m = columns_of(step.column);
  real.address = address_of_b(step);
  // One element of the last load's, as it is, raises no flag.
  Instruction idle;
  idle.opcode = Opcode::load_stationary;
  idle.dtype = options_.b;
  idle.raw = true;
  idle.sbank = real.sbank;
  idle.k = 1;
  idle.m = 1;
  if (index > 0) idle.address = address_of_b(steps_[index - 1]);
  const std::vector<Exchange> list = exchanges_of(index);
  for (std::size_t i = 0; i < list.size(); ++i)
    plan_.program.push_back(with(i + 1 < list.size() ? idle : real, list[i]));
}

void Planner::multiply(std::size_t index) {
  const Step& step = steps_[index];
  Instruction product;
  product.opcode = Opcode::multiply_moving;
  product.dtype = options_.a;
  product.double_row = options_.double_row;
  product.sbank = index % kStationaryBanks;
  product.abank = step.tile % engine_.banks;
  product.accumulate = step.t > 0;
  product.n = rows_of(step.block);
  product.k = steps_of(step.t);
  product.m = columns_of(step.column);
  product.address = cut_.a(place_of_a(step));
  Exchange exchange{kLoaded, std::nullopt};
  if (index + kStationaryBanks < steps_.size())
    exchange.give = kDone;
  else if (ends_tile(step))
    exchange.give = kSummed;
  plan_.program.push_back(with(product, exchange));
}

/// A tile of C, and behind it, where two have to be told or asked, one element into the next one's place.
void Planner::store(const Step& last) {
  const bool bank_is_wanted = last.tile + engine_.banks < cut_.tiles();
  Instruction real;
  real.opcode = Opcode::store;
  real.dtype = options_.c;
  real.abank = last.tile % engine_.banks;
  real.stochastic = options_.stochastic;
  real.saturate = options_.saturate;
  real.scale = options_.scale;
  real.bias = options_.bias;
  real.relu = options_.relu;
  real.n = rows_of(last.block);
  real.m = columns_of(last.column);
  real.address = cut_.c(last.tile);
  real.params = cut_.factors != 0 ? cut_.params(last.tile) : 0;
  plan_.program.push_back(with(real, {kSummed, bank_is_wanted ? kTaken : kStored}));
  take(last);

  const bool place_is_asked = last.tile + 1 < cut_.tiles() && last.tile + 1 >= cut_.results;
  if (!bank_is_wanted && !place_is_asked) return;
  Instruction idle;
  idle.opcode = Opcode::store;
  idle.dtype = options_.c;
  idle.raw = true;
  idle.abank = real.abank;
  idle.n = 1;
  idle.m = 1;
  idle.address = cut_.c(last.tile + 1);
  Exchange exchange;
  if (place_is_asked) exchange.take = kCleared;
  if (bank_is_wanted) exchange.give = kStored;
  plan_.program.push_back(with(idle, exchange));
}

Instruction Planner::with(Instruction instruction, const Exchange& exchange) {
  if (exchange.take) {
    instruction.wait_sem = *exchange.take;
    instruction.wait_count = 1;
  }
  if (exchange.give) {
    instruction.signal_sem = *exchange.give;
    instruction.signal = true;
  }
  return instruction;
}

}  // namespace

bool GemmPlan::fits_scratchpad() const {
  return std::all_of(in.begin(), in.end(), [](const Move& move) { return move.wait_count == 0; });
}

GemmPlan plan_gemm(const Engine& engine, const GemmShape& shape, const GemmOptions& options) {
  return Planner(engine, shape, options).plan();
}

}  // namespace firstlight::tern::tensor
