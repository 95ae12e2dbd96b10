#pragma once

#include <vector>

#include "lab/drivers/tern/tensor/gemm.h"

namespace firstlight::tern::tensor {

/// How a product is cut, and where its pieces lie in every partition. The pieces of C are tiles of up to `block` rows
/// and the array's columns; a group of them shares what moves, an item is one tile along k of a group. Items follow
/// each other block by block, in it group by group, in it along k. Bytes unless said otherwise.
struct GemmCut {
  /// Throws std::invalid_argument when there is no product, or no room for one.
  GemmCut(const Engine& engine, const GemmShape& shape, const GemmOptions& options);

  unsigned block = 0;   // rows of A and C, at most
  unsigned blocks = 0;  // along m
  unsigned pair = 1;    // steps of the chain that lie together
  unsigned steps = 0;   // of the chain that one tile does
  unsigned tiles_k = 0;
  unsigned tiles_n = 0;
  unsigned groups = 0;   // along n, of at most as many tiles as there are banks
  unsigned depth = 0;    // items whose operands are there at a time
  unsigned kept = 0;     // blocks whose A stays while their groups need it; 0: A comes anew for each group
  unsigned results = 0;  // tiles of C that wait to be taken
  unsigned factors = 0;  // tiles whose parameters are there
  unsigned tile_a = 0;
  unsigned tile_b = 0;  // from one tile of a group to the next one's
  unsigned tile_c = 0;
  bool thin_end =
      false;  // the last group is one tile after the other, so that not all of it is left to be taken at once
  bool joined_b = false;  // the tiles of a group lie together as they do in memory

  unsigned tiles() const { return blocks * tiles_n; }
  /// Where along n each group of a block begins, in tiles, and where the last one ends.
  std::vector<unsigned> bounds_of(unsigned block) const;
  unsigned tiles_in_group() const { return (tiles_n + groups - 1) / groups; }

  /// Of the operands of an item: `place` counts items, or in a kept block the tiles of A.
  unsigned a(unsigned place) const { return place * tile_a; }
  unsigned b(unsigned item) const { return begin_b + item % depth * tiles_in_group() * tile_b; }
  unsigned c(unsigned tile) const { return begin_c + tile % results * tile_c; }
  unsigned params(unsigned tile) const { return begin_params + tile % factors * kParamBytes; }

  static constexpr unsigned kParamBytes = 8;

 private:
  unsigned deepest() const;
  void place(unsigned partition_bytes);
  unsigned begin_b = 0;
  unsigned begin_c = 0;
  unsigned begin_params = 0;
};

}  // namespace firstlight::tern::tensor
