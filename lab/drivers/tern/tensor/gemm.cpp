#include "lab/drivers/tern/tensor/gemm.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

namespace firstlight::tern::tensor {

namespace {

constexpr unsigned kWord = 8;        // bytes; what addresses are multiples of
constexpr unsigned kGroupTiles = 2;  // columns of tiles that share what moves: half of the accumulator banks
constexpr unsigned kBuffers = 2;     // one is filled or emptied while the other is worked on
constexpr unsigned kParamBytes = 8;  // a factor and an addend
constexpr unsigned kStationaryBanks = 2;

/// Which semaphore says what. An instruction waits for one and signals one.
///   loaded     by each load, for its product
///   bank_free  by each product, for the load after the next one, which takes its stationary bank. A product that ends
///   a
///              chain says `summed` instead, and a store of one entry, ahead of the real one, passes that on. So the
///              number of `bank_free` is that of products done, which are done in order; and a load of the next piece
///              but one comes after the stores whose accumulators it will have overwritten.
///   summed     by the last product of a chain, for that store
enum Semaphore : unsigned { kLoaded = 0, kBankFree = 1, kSummed = 2 };

constexpr unsigned divide_up(unsigned a, unsigned b) { return (a + b - 1) / b; }
constexpr unsigned round_up(unsigned a, unsigned b) { return divide_up(a, b) * b; }

/// How a product is cut, and where its pieces lie in every partition.
struct Layout {
  Layout(const Engine& engine, const GemmShape& shape, const GemmOptions& options);

  unsigned steps;    // of the chain that one tile does
  unsigned pair;     // elements that lie together: 2 in double-row mode
  unsigned tiles_k;  // along k
  unsigned tiles_n;  // along n
  unsigned rows;     // of A in a block, at most
  unsigned tile_a;   // bytes in a partition, of one tile
  unsigned tile_b;
  unsigned tile_c;
  unsigned chunk;     // tiles along k in a buffer
  unsigned buffer_a;  // bytes
  unsigned buffer_b;
  unsigned buffer_c;
  unsigned buffer_params;

  unsigned a(unsigned buffer) const { return buffer * buffer_a; }
  unsigned b(unsigned buffer) const { return kBuffers * buffer_a + buffer * buffer_b; }
  unsigned c(unsigned buffer) const { return kBuffers * (buffer_a + buffer_b) + buffer * buffer_c; }
  unsigned params(unsigned buffer) const {
    return kBuffers * (buffer_a + buffer_b + buffer_c) + buffer * buffer_params;
  }
};

Layout::Layout(const Engine& engine, const GemmShape& shape, const GemmOptions& options)
    : steps(engine.rows * (options.double_row ? 2 : 1)),
      pair(options.double_row ? 2 : 1),
      tiles_k(divide_up(shape.k, steps)),
      tiles_n(divide_up(shape.n, engine.columns)),
      rows(std::min(shape.m, engine.entries)),
      tile_a(round_up(rows * pair * bytes_of(options.a), kWord)),
      tile_b(round_up(engine.columns * pair * bytes_of(options.b), kWord)),
      tile_c(round_up(rows * bytes_of(options.c), kWord)),
      chunk(0),
      buffer_a(0),
      buffer_b(0),
      buffer_c(kGroupTiles * tile_c),
      buffer_params(kGroupTiles * kParamBytes) {
  const unsigned half = engine.partition_bytes / kBuffers;
  const unsigned out = buffer_c + buffer_params;
  if (out < half) chunk = std::min(tiles_k, (half - out) / (tile_a + kGroupTiles * tile_b));
  if (chunk == 0) throw std::invalid_argument("a partition of the scratchpad is too small for one tile");
  buffer_a = chunk * tile_a;
  buffer_b = chunk * kGroupTiles * tile_b;
}

/// A piece of C that the accumulators hold at a time, and the tiles along k that a stage adds to it.
struct Piece {
  unsigned row = 0;  // first row of A and C
  unsigned rows = 0;
  unsigned tile = 0;  // first tile along n
  unsigned tiles = 0;
  unsigned from = 0;  // tiles along k
  unsigned until = 0;
};

class Planner {
 public:
  Planner(const Engine& engine, const GemmShape& shape, const GemmOptions& options)
      : engine_(engine), shape_(shape), options_(options), layout_(engine, shape, options) {}
  std::vector<GemmStage> plan();

 private:
  void add_stage(const Piece& piece);
  void bring_a(const Piece& piece, GemmStage& stage);
  void bring_b(const Piece& piece, GemmStage& stage);
  void bring_params(const Piece& piece, GemmStage& stage);
  void take_c(const Piece& piece, GemmStage& stage) const;
  void multiply(const Piece& piece, GemmStage& stage);
  void store(const Piece& piece, GemmStage& stage);
  Instruction load_of(const Piece& piece, unsigned t, unsigned j) const;
  Instruction product_of(const Piece& piece, unsigned t, unsigned j);

  unsigned steps_of(unsigned t) const { return std::min(layout_.steps, shape_.k - t * layout_.steps); }
  unsigned columns_of(unsigned tile) const { return std::min(engine_.columns, shape_.n - tile * engine_.columns); }
  unsigned bank_of(unsigned j) const { return (group_ % kBuffers) * kGroupTiles + j; }

  const Engine engine_;
  const GemmShape shape_;
  const GemmOptions options_;
  const Layout layout_;
  std::vector<GemmStage> stages_;
  unsigned buffer_a_ = 0;
  std::optional<std::pair<unsigned, unsigned>> held_a_;  // row and tile along k of what buffer_a_ holds
  unsigned group_ = 0;                                   // pieces of C so far
  unsigned loads_ = 0;
};

std::vector<GemmStage> Planner::plan() {
  for (unsigned row = 0; row < shape_.m; row += layout_.rows) {
    for (unsigned tile = 0; tile < layout_.tiles_n; tile += kGroupTiles) {
      Piece piece{row, std::min(layout_.rows, shape_.m - row), tile, std::min(kGroupTiles, layout_.tiles_n - tile), 0,
                  0};
      for (unsigned from = 0; from < layout_.tiles_k; from += layout_.chunk) {
        piece.from = from;
        piece.until = std::min(from + layout_.chunk, layout_.tiles_k);
        add_stage(piece);
      }
      ++group_;
    }
  }
  // What nobody waited for must not count for the next product.
  Instruction& last = stages_.back().program.back();
  last.wait_sem = kBankFree;
  last.wait_count = std::min(loads_, kStationaryBanks);
  return std::move(stages_);
}

void Planner::add_stage(const Piece& piece) {
  GemmStage stage;
  if (held_a_ != std::pair(piece.row, piece.from)) {
    buffer_a_ = (buffer_a_ + 1) % kBuffers;
    bring_a(piece, stage);
    held_a_ = std::pair(piece.row, piece.from);
  }
  bring_b(piece, stage);
  multiply(piece, stage);
  if (piece.until == layout_.tiles_k) {
    if (options_.scale || options_.bias) bring_params(piece, stage);
    store(piece, stage);
    take_c(piece, stage);
  }
  stages_.push_back(std::move(stage));
}

/// Partition r: for each tile along k the elements of A in column r of it, row after row.
void Planner::bring_a(const Piece& piece, GemmStage& stage) {
  for (unsigned t = piece.from; t < piece.until; ++t) {
    for (unsigned step = 0; step < steps_of(t); step += layout_.pair) {
      Transfer transfer;
      transfer.matrix = Matrix::a;
      transfer.partition = step / layout_.pair;
      transfer.address = layout_.a(buffer_a_) + (t - piece.from) * layout_.tile_a;
      transfer.first = std::size_t{piece.row} * shape_.k + t * layout_.steps + step;
      transfer.inner = std::min(layout_.pair, steps_of(t) - step);
      transfer.inner_stride = 1;
      transfer.outer = piece.rows;
      transfer.outer_stride = shape_.k;
      transfer.pitch = layout_.pair;
      stage.in.push_back(transfer);
    }
  }
}

/// Partition r: for each tile along k and n the elements of B in row r of it.
void Planner::bring_b(const Piece& piece, GemmStage& stage) {
  const unsigned buffer = static_cast<unsigned>(stages_.size()) % kBuffers;
  for (unsigned t = piece.from; t < piece.until; ++t) {
    for (unsigned j = 0; j < piece.tiles; ++j) {
      for (unsigned step = 0; step < steps_of(t); step += layout_.pair) {
        Transfer transfer;
        transfer.matrix = Matrix::b;
        transfer.partition = step / layout_.pair;
        transfer.address = layout_.b(buffer) + ((t - piece.from) * kGroupTiles + j) * layout_.tile_b;
        transfer.first = std::size_t{t * layout_.steps + step} * shape_.n + (piece.tile + j) * engine_.columns;
        transfer.inner = std::min(layout_.pair, steps_of(t) - step);
        transfer.inner_stride = shape_.n;
        transfer.outer = columns_of(piece.tile + j);
        transfer.outer_stride = 1;
        transfer.pitch = layout_.pair;
        stage.in.push_back(transfer);
      }
    }
  }
}

void Planner::bring_params(const Piece& piece, GemmStage& stage) {
  for (unsigned j = 0; j < piece.tiles; ++j) {
    for (unsigned c = 0; c < columns_of(piece.tile + j); ++c) {
      Transfer transfer;
      transfer.matrix = Matrix::params;
      transfer.partition = c;
      transfer.address = layout_.params(group_ % kBuffers) + j * kParamBytes;
      transfer.first = 2 * (std::size_t{piece.tile + j} * engine_.columns + c);
      transfer.inner = 2;
      stage.in.push_back(transfer);
    }
  }
}

void Planner::take_c(const Piece& piece, GemmStage& stage) const {
  for (unsigned j = 0; j < piece.tiles; ++j) {
    for (unsigned c = 0; c < columns_of(piece.tile + j); ++c) {
      Transfer transfer;
      transfer.matrix = Matrix::c;
      transfer.partition = c;
      transfer.address = layout_.c(group_ % kBuffers) + j * layout_.tile_c;
      transfer.first = std::size_t{piece.row} * shape_.n + (piece.tile + j) * engine_.columns + c;
      transfer.outer = piece.rows;
      transfer.outer_stride = shape_.n;
      stage.out.push_back(transfer);
    }
  }
}

Instruction Planner::load_of(const Piece& piece, unsigned t, unsigned j) const {
  Instruction load;
  load.opcode = Opcode::load_stationary;
  load.dtype = options_.b;
  load.double_row = options_.double_row;
  load.sbank = loads_ % kStationaryBanks;
  load.k = steps_of(t);
  load.m = columns_of(piece.tile + j);
  load.address = layout_.b(static_cast<unsigned>(stages_.size()) % kBuffers) +
                 ((t - piece.from) * kGroupTiles + j) * layout_.tile_b;
  load.wait_sem = kBankFree;
  load.wait_count = loads_ < kStationaryBanks ? 0 : 1;
  load.signal_sem = kLoaded;
  load.signal = true;
  return load;
}

Instruction Planner::product_of(const Piece& piece, unsigned t, unsigned j) {
  Instruction product;
  product.opcode = Opcode::multiply_moving;
  product.dtype = options_.a;
  product.double_row = options_.double_row;
  product.sbank = loads_ % kStationaryBanks;
  product.abank = bank_of(j);
  product.accumulate = t > 0;
  product.n = piece.rows;
  product.k = steps_of(t);
  product.m = columns_of(piece.tile + j);
  product.address = layout_.a(buffer_a_) + (t - piece.from) * layout_.tile_a;
  product.wait_sem = kLoaded;
  product.wait_count = 1;
  product.signal_sem = t + 1 == layout_.tiles_k ? kSummed : kBankFree;
  product.signal = true;
  return product;
}

void Planner::multiply(const Piece& piece, GemmStage& stage) {
  for (unsigned t = piece.from; t < piece.until; ++t) {
    for (unsigned j = 0; j < piece.tiles; ++j) {
      stage.program.push_back(load_of(piece, t, j));
      stage.program.push_back(product_of(piece, t, j));
      ++loads_;
    }
  }
}

void Planner::store(const Piece& piece, GemmStage& stage) {
  for (unsigned j = 0; j < piece.tiles; ++j) {
    Instruction first;
    first.opcode = Opcode::store;
    first.dtype = options_.c;
    first.raw = true;
    first.abank = bank_of(j);
    first.n = 1;
    first.m = 1;
    first.address = layout_.c(group_ % kBuffers) + j * layout_.tile_c;
    first.wait_sem = kSummed;
    first.wait_count = 1;
    first.signal_sem = kBankFree;
    first.signal = true;
    stage.program.push_back(first);
  }
  for (unsigned j = 0; j < piece.tiles; ++j) {
    Instruction out;
    out.opcode = Opcode::store;
    out.dtype = options_.c;
    out.abank = bank_of(j);
    out.stochastic = options_.stochastic;
    out.saturate = options_.saturate;
    out.scale = options_.scale;
    out.bias = options_.bias;
    out.relu = options_.relu;
    out.release = true;
    out.n = piece.rows;
    out.m = columns_of(piece.tile + j);
    out.address = layout_.c(group_ % kBuffers) + j * layout_.tile_c;
    out.params = options_.scale || options_.bias ? layout_.params(group_ % kBuffers) + j * kParamBytes : 0;
    stage.program.push_back(out);
  }
}

void check(const Engine& engine, const GemmShape& shape, const GemmOptions& options) {
  if (shape.m == 0 || shape.n == 0 || shape.k == 0)
    throw std::invalid_argument("a product has at least one of each: m, n, k");
  if (options.double_row && !(is_fp8(options.a) && is_fp8(options.b)))
    throw std::invalid_argument("double-row mode takes fp8 on both sides");
  if (engine.rows == 0 || engine.columns == 0 || engine.entries == 0 || engine.banks < kBuffers * kGroupTiles)
    throw std::invalid_argument("the engine has too few rows, columns, entries or banks");
}

}  // namespace

std::vector<GemmStage> plan_gemm(const Engine& engine, const GemmShape& shape, const GemmOptions& options) {
  check(engine, shape, options);
  return Planner(engine, shape, options).plan();
}

std::uint64_t ideal_cycles(const Engine& engine, const GemmShape& shape, const GemmOptions& options) {
  check(engine, shape, options);
  const Layout layout(engine, shape, options);
  return std::uint64_t{shape.m} * layout.tiles_k * layout.tiles_n;
}

}  // namespace firstlight::tern::tensor
