#include <utility>

#include "tb/bench/model_transports.h"

namespace tb {
namespace {

class ModelGpio : public firstlight::Gpio {
 public:
  ModelGpio(std::string name, const board::Board& board) : name_(std::move(name)), board_(board) {}

  std::vector<std::string> lines() const override { return board::Board::lines(); }
  std::optional<bool> get(const std::string& line, std::string* detail) override {
    const std::optional<bool> level = board_.line(line);
    if (!level && detail != nullptr) *detail = "the board has no line of that name";
    return level;
  }
  bool set(const std::string&, bool, std::string* detail) override {
    if (detail != nullptr) *detail = "every line of this board is an input";
    return false;
  }
  std::string name() const override { return name_; }

 private:
  std::string name_;
  const board::Board& board_;
};

class ModelDmaMemory : public firstlight::DmaMemory {
 public:
  ModelDmaMemory(std::string name, ExternalMemory& memory, std::uint64_t base)
      : name_(std::move(name)), memory_(memory), base_(base) {}

  std::uint64_t base() const override { return base_; }
  std::uint64_t size() const override { return memory_.size(); }
  void read(std::uint64_t offset, std::uint8_t* data, std::size_t count) const override {
    memory_.read(offset, data, count);
  }
  void write(std::uint64_t offset, const std::uint8_t* data, std::size_t count) override {
    memory_.write(offset, data, count);
  }
  void barrier() override { memory_.barrier(); }
  std::string name() const override { return name_; }

 private:
  std::string name_;
  ExternalMemory& memory_;
  std::uint64_t base_;
};

}  // namespace

std::unique_ptr<firstlight::Gpio> model_gpio(std::string name, const board::Board& board) {
  return std::make_unique<ModelGpio>(std::move(name), board);
}

std::unique_ptr<firstlight::DmaMemory> model_dma_memory(std::string name, ExternalMemory& memory, std::uint64_t base) {
  return std::make_unique<ModelDmaMemory>(std::move(name), memory, base);
}

}  // namespace tb
