#pragma once

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/transports/dma_memory.h"

namespace firstlight::test {

/// Host memory of a few MiB.
class FakeHostMemory final : public DmaMemory {
 public:
  explicit FakeHostMemory(std::uint64_t base, std::size_t size = std::size_t{4} << 20U) : base_(base), bytes_(size) {}

  std::uint64_t base() const override { return base_; }
  std::uint64_t size() const override { return bytes_.size(); }
  void read(std::uint64_t offset, std::uint8_t* data, std::size_t count) const override {
    expect_inside(offset, count);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), count, data);
  }
  void write(std::uint64_t offset, const std::uint8_t* data, std::size_t count) override {
    expect_inside(offset, count);
    std::copy_n(data, count, bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  void barrier() override { ++barriers; }
  std::string name() const override { return "hostmem0"; }

  int barriers = 0;

 private:
  void expect_inside(std::uint64_t offset, std::size_t count) const {
    if (offset + count > bytes_.size()) throw std::out_of_range("beyond host memory");
  }
  std::uint64_t base_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace firstlight::test
