#include "lab/drivers/tern/tensor/gemm_cut.h"

#include <algorithm>
#include <stdexcept>

namespace firstlight::tern::tensor {

namespace {

constexpr unsigned kWord = 8;         // bytes; what addresses are multiples of
constexpr unsigned kDepth = 16;       // items ahead: covers the memory's latency many times
constexpr unsigned kMostItems = 128;  // ahead: each is one in a semaphore
constexpr unsigned kWishDepth = 8;    // what is worth room for another block of A
constexpr unsigned kResults = 4;
constexpr std::size_t kPitchLimit = std::size_t{1} << 24;  // of a descriptor's strides

constexpr unsigned divide_up(unsigned a, unsigned b) { return (a + b - 1) / b; }
constexpr unsigned round_up(unsigned a, unsigned b) { return divide_up(a, b) * b; }

void check_all(const Engine& engine, const GemmShape& shape, const GemmOptions& options) {
  arithmetic::check(shape, options);
  if (engine.rows == 0 || engine.columns == 0 || engine.entries == 0 || engine.banks < 2)
    throw std::invalid_argument("the engine has too few rows, columns, entries or banks");
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c})
    if (arithmetic::layout_of(matrix, shape, options).pitch >= kPitchLimit)
      throw std::invalid_argument("a row of a matrix is 16 MiB or longer");
}

}  // namespace

GemmCut::GemmCut(const Engine& engine, const GemmShape& shape, const GemmOptions& options) {
  check_all(engine, shape, options);
  block = std::min(shape.m, engine.entries);
  blocks = divide_up(shape.m, block);
  pair = options.double_row ? 2 : 1;
  steps = engine.rows * pair;
  tiles_k = divide_up(shape.k, steps);
  tiles_n = divide_up(shape.n, engine.columns);
  groups = divide_up(tiles_n, engine.banks);
  tile_a = round_up(block * pair * bytes_of(options.a), kWord);
  tile_b = engine.columns * pair * bytes_of(options.b);
  joined_b = tile_b % kWord == 0;
  tile_b = round_up(tile_b, kWord);
  tile_c = round_up(block * bytes_of(options.c), kWord);
  // Parameters come with the first item of their group. What is in the scratchpad then is of items at most `depth`
  // back, and of the tiles whose accumulators those took over.
  if (options.scale || options.bias) factors = engine.banks * (divide_up(deepest(), tiles_k) + 2);
  place(engine.partition_bytes);
  // Products of one tile follow each other in the same entries, which takes the way through the array.
  thin_end = kept != 0 && (shape.m - 1) % block + 1 >= 3 * steps + 4;
}

/// All of a group at a time, where there is room: so operands can be there before the product begins.
unsigned GemmCut::deepest() const { return std::clamp(tiles_k, kDepth, kMostItems); }

std::vector<unsigned> GemmCut::bounds_of(unsigned of_block) const {
  std::vector<unsigned> bounds;
  for (unsigned group = 0; group < groups; ++group) bounds.push_back(group * tiles_n / groups);
  if (thin_end && of_block + 1 == blocks)
    for (unsigned tile = bounds.back() + 1; tile < tiles_n; ++tile) bounds.push_back(tile);
  bounds.push_back(tiles_n);
  return bounds;
}

void GemmCut::place(unsigned partition_bytes) {
  const unsigned slice = tiles_in_group() * tile_b;
  const auto room = [&](unsigned for_a) {
    const unsigned taken = results * tile_c + factors * kParamBytes + for_a;
    return taken < partition_bytes ? partition_bytes - taken : 0;
  };
  for (results = kResults; results > 1 && room(2 * tile_a) < 2 * slice; --results) {
  }
  const unsigned most = std::min(deepest(), blocks * groups * tiles_k);
  // Keeping A pays when several groups take it. Its tiles may be overwritten when the last group has used them: this is
  // so for all that is more than `depth` items back.
  for (unsigned want = 1; groups > 1 && want <= blocks; ++want) {
    unsigned fits = std::min(most, room(want * tiles_k * tile_a) / slice);
    if (blocks > want) fits = std::min(fits, tiles_k * ((want - 1) * groups + 1));
    if (fits > depth) {
      depth = fits;
      kept = want;
    }
    if (depth >= std::min(kWishDepth, most)) break;
  }
  if (depth < std::min(2U, most)) {
    kept = 0;
    depth = std::min(most, room(0) / (tile_a + slice));
  }
  if (depth == 0) throw std::invalid_argument("a partition of the scratchpad is too small for one tile");
  begin_b = (kept != 0 ? kept * tiles_k : depth) * tile_a;
  begin_c = begin_b + depth * slice;
  begin_params = begin_c + results * tile_c;
}

std::uint64_t ideal_cycles(const Engine& engine, const GemmShape& shape, const GemmOptions& options) {
  const GemmCut cut(engine, shape, options);
  return std::uint64_t{shape.m} * cut.tiles_k * cut.tiles_n;
}

}  // namespace firstlight::tern::tensor
