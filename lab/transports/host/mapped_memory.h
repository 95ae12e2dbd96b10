#pragma once

#include <memory>
#include <string>

#include "lab/transports/dma_memory.h"
#include "lab/transports/host/mapping.h"

namespace firstlight::host {

/// DMA memory that is mapped into this process.
class MappedMemory final : public DmaMemory {
 public:
  /// @param keeper what holds the memory at its bus address (a VFIO container); let go after the memory
  MappedMemory(std::string name, std::shared_ptr<Mapping> mapping, std::uint64_t base, std::uint64_t size,
               std::shared_ptr<void> keeper = nullptr);

  std::uint64_t base() const override { return base_; }
  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t offset, std::uint8_t* data, std::size_t count) const override;
  void write(std::uint64_t offset, const std::uint8_t* data, std::size_t count) override;
  void barrier() override;
  std::string name() const override { return name_; }

 private:
  std::uint8_t* at(std::uint64_t offset, std::size_t count) const;

  std::shared_ptr<void> keeper_;
  std::string name_;
  std::shared_ptr<Mapping> mapping_;
  std::uint64_t base_;
  std::uint64_t size_;
};

}  // namespace firstlight::host
