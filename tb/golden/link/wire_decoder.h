#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tb::golden::link {

/// Reads what one end of a Tern link puts on its four lanes, as docs/link.md defines it: training sets, the START sets,
/// then scrambled frames. Fed with one word of each lane a cycle, straight from the transmitter. Everything that breaks
/// the format is a violation in words.
class WireDecoder {
 public:
  struct Flit {
    bool head;
    std::uint64_t data;
    bool operator==(const Flit& o) const { return head == o.head && data == o.data; }
  };

  /// `word`: lane l is bits 16 l + 15 .. 16 l; `idle`: lanes in electrical idle.
  void observe(std::uint64_t word, std::uint8_t idle);

  std::uint64_t sets() const { return sets_; }
  std::uint64_t frames() const { return frames_; }
  const std::vector<Flit>& flits() const { return flits_; }
  const std::vector<std::string>& violations() const { return violations_; }
  bool in_data() const { return in_data_; }

 private:
  void set_word(std::uint64_t word);
  void check_set(unsigned lane);
  void data_word(std::uint64_t word);
  void slot(std::uint64_t slot);
  void frame();
  void violation(const std::string& text) { violations_.push_back(text); }

  // Training
  std::array<std::array<std::uint16_t, 8>, 4> set_{};
  unsigned index_ = 0;
  std::uint64_t sets_ = 0;
  std::optional<unsigned> countdown_;  ///< START sets that follow
  unsigned mask_ = 0xF;

  // Data
  bool in_data_ = false;
  std::array<std::uint32_t, 4> scrambler_{};
  unsigned cycle_ = 0;
  std::vector<std::uint16_t> words_;  ///< of the slot under way
  std::vector<std::uint64_t> slots_;  ///< of the frame under way
  std::uint8_t sequence_ = 0;
  std::uint64_t frames_ = 0;
  std::vector<Flit> flits_;
  std::vector<std::string> violations_;
};

}  // namespace tb::golden::link
