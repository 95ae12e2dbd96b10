#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tb::golden::link {

/// Reads what one end of a Tern link puts on its four lanes, as docs/link.md defines it: training sets, the START sets,
/// then scrambled frames, and sets again when it retrains. Fed with one word of each lane a cycle, straight from the
/// transmitter; an end that starts over may cut off what it was sending. Everything that breaks the format is a
/// violation in words.
class WireDecoder {
 public:
  struct Flit {
    bool head;
    std::uint64_t data;
    bool operator==(const Flit& o) const { return head == o.head && data == o.data; }
  };
  enum class Kind : std::uint8_t { idle = 0, head = 1, body = 2, identity = 3 };
  struct Frame {
    unsigned number = 0;  ///< 0 to 63
    unsigned ack = 0;     ///< 0 to 63
    bool nak = false;
    unsigned credit_class = 0;
    unsigned credit = 0;  ///< 0 to 7
    std::array<Kind, 7> kinds{};
    std::array<std::uint64_t, 7> slots{};
    bool empty() const;
  };

  /// `word`: lane l is bits 16 l + 15 .. 16 l; `idle`: lanes in electrical idle.
  void observe(std::uint64_t word, std::uint8_t idle);

  /// Called with each frame that is whole, and when data begins, with the resume bit of the START sets.
  void on_frame(std::function<void(const Frame&)> call) { on_frame_ = std::move(call); }
  void on_start(std::function<void(bool resume)> call) { on_start_ = std::move(call); }

  std::uint64_t sets() const { return sets_; }
  std::uint64_t frames() const { return frames_; }
  /// Flits of all frames, those that were sent again too.
  const std::vector<Flit>& flits() const { return flits_; }
  /// Do not keep flits.
  void forget_flits() { keeps_ = false; }
  const std::vector<std::string>& violations() const { return violations_; }
  bool in_data() const { return in_data_; }

 private:
  void set_word(std::uint64_t word);
  void check_set(unsigned lane);
  void data_word(std::uint64_t word);
  void slot(std::uint64_t slot);
  void frame();
  void begin_set();
  void violation(const std::string& text) {
    if (violations_.size() < 20) violations_.push_back(text);
  }

  // Training
  std::array<std::array<std::uint16_t, 8>, 4> set_{};
  unsigned index_ = 0;
  std::uint64_t sets_ = 0;
  std::optional<unsigned> countdown_;  ///< START sets that follow
  unsigned mask_ = 0xF;
  std::uint8_t idle_ = 0xF;

  // Decoded one word late: two words tell where a set begins.
  struct Word {
    std::uint64_t word;
    std::uint8_t idle;
  };
  std::optional<Word> held_;

  // Data
  bool in_data_ = false;
  std::array<std::uint32_t, 4> scrambler_{};
  unsigned cycle_ = 0;
  std::vector<std::uint16_t> words_;  ///< of the slot under way
  std::vector<std::uint64_t> slots_;  ///< of the frame under way
  std::uint64_t frames_ = 0;
  std::vector<Flit> flits_;
  bool keeps_ = true;
  std::function<void(const Frame&)> on_frame_;
  std::function<void(bool)> on_start_;
  std::vector<std::string> violations_;
};

}  // namespace tb::golden::link
