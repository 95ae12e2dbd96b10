#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/unit/tern/fake_memory.h"
#include "tests/unit/tern/register_file.h"

namespace firstlight::test {

/// Two DMA engines as docs/dma.md has them, without time: a doorbell is served before its write returns, as far as
/// semaphores let it. Each may be told to misbehave.
class FakeDma {
 public:
  static constexpr unsigned kEngines = 2;
  static constexpr unsigned kQueues = 4;
  enum Status : unsigned { ok = 0, bad_address = 2, read_error = 3, write_error = 4, phase_mismatch = 5, aborted = 6 };

  FakeDma(RegisterFile& registers, std::shared_ptr<FakeHostMemory> host);

  /// Bytes of a memory other than the host's.
  std::vector<std::uint8_t>& memory(const std::string& name);
  std::uint8_t at(std::uint64_t address) const;
  /// Whether there is a memory with all of these bytes.
  bool has(std::uint64_t address, std::size_t count) const;
  std::vector<std::uint8_t> read(std::uint64_t address, std::size_t count) const;
  /// Goes on with everything that can; `beside` (another engine of the chip) with it, which says whether it could.
  void run();
  std::function<bool()> beside;
  std::array<unsigned, 16> semaphores{};

  // What may be wrong with it.
  std::uint32_t doorbell_bit = 0;           // set in every doorbell on its way
  std::optional<std::uint64_t> bus_error;   // reads and writes that touch this address fail
  std::optional<std::uint64_t> flipped;     // a byte written here arrives wrong
  std::optional<std::uint64_t> lost;        // a write of these 64 bytes, not in the host's memory, is not done
  unsigned kept = 0;                        // writes of them before that one
  std::optional<std::uint64_t> astray;      // writes of these 64 bytes, likewise, land on the 64 before
  std::optional<unsigned> lost_completion;  // the one of this index is not written
  std::optional<unsigned> stale;            // the descriptor of this index is seen as it was before
  bool deaf = false;                        // doorbells are taken and nothing happens
  bool overwrites_canary = false;           // the completion ring is one entry longer than it is
  bool never_halts = false;
  std::optional<std::uint64_t> stops_after;  // bytes of the next transfer; the rest waits for an abort
  unsigned skips = 0;                        // transfers before `stops_after` counts
  unsigned begun = 0;                        // transfers
  unsigned waits = 0;                        // for semaphores
  unsigned signals = 0;
  unsigned barriers = 0;
  unsigned chained = 0;
  unsigned two_dimensional = 0;

 private:
  struct Region {
    std::string name;
    std::uint64_t base = 0;
    std::vector<std::uint8_t> bytes;
  };
  struct Queue {
    std::uint16_t tail = 0;
    std::uint16_t head = 0;
    std::uint16_t producer = 0;
    bool halted = false;
    bool stopped = false;     // in the middle of a transfer
    std::uint32_t bytes = 0;  // of the transfer that was begun
    unsigned status = ok;
    std::uint64_t address = 0;
  };
  struct Descriptor;

  Queue& queue(unsigned engine, unsigned index) { return queues_[engine * kQueues + index]; }
  std::string reg(unsigned engine, unsigned index, const char* name) const;
  std::uint64_t address_in(unsigned engine, unsigned index, const char* base) const;
  void doorbell(unsigned engine, unsigned index, std::uint32_t tail);
  void command(unsigned engine, unsigned index, std::uint32_t value);
  bool step(unsigned engine, unsigned index);
  void copy(Queue& q, const Descriptor& descriptor);
  void complete(unsigned engine, unsigned index, std::uint16_t tag);
  void publish(unsigned engine, unsigned index);
  std::uint8_t* find(std::uint64_t address, std::size_t count);
  void misdirect(std::uint64_t address, std::vector<std::uint8_t>& bytes);
  void write(std::uint64_t address, const std::vector<std::uint8_t>& bytes);

  RegisterFile& registers_;
  std::shared_ptr<FakeHostMemory> host_;
  std::vector<Region> regions_;
  std::array<Queue, kEngines * kQueues> queues_;
};

}  // namespace firstlight::test
