#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

namespace firstlight::host {

/// Memory that is mapped into this process, for as long as it lives.
class Mapping {
 public:
  /// A part of a file (a BAR, a UIO device), shared, for reading and writing. Null with errno set when the kernel
  /// refuses.
  /// @param file_offset a multiple of the page size
  static std::shared_ptr<Mapping> of_file(const std::filesystem::path& file, std::uint64_t file_offset,
                                          std::size_t size);
  /// Takes over what mmap returned.
  Mapping(void* memory, std::size_t size) : memory_(memory), size_(size) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  std::uint8_t* bytes() const { return static_cast<std::uint8_t*>(memory_); }
  std::size_t size() const { return size_; }

 private:
  void* memory_;
  std::size_t size_;
};

}  // namespace firstlight::host
