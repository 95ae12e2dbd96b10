#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tb/golden/secded/secded.h"

namespace tb::golden {

/// What rtl/regs/sram.yaml says of the SRAM, one word access at a time.
class SramModel {
 public:
  static constexpr unsigned kWords = 8192;

  enum class Source : unsigned { Host = 0, AxiRead = 1, AxiWrite = 2 };
  struct Read {
    std::uint64_t data = 0;  // 0 with an error
    bool error = false;
  };
  struct First {
    unsigned address = 0;  // bytes
    unsigned syndrome = 0;
    Source source = Source::Host;
  };

  void fill(std::uint64_t data);
  Read read(unsigned word, Source source);
  /// True: the write ended with an error and changed nothing.
  bool write(unsigned word, std::uint64_t data, unsigned strobes, Source source);

  void set_write_back(bool on) { write_back_ = on; }
  /// The next so many writes or reads, of any word or of `match` only, see the bits of `mask` flipped.
  void inject(Codeword mask, std::optional<unsigned> match, unsigned writes, unsigned reads);
  void clear_counts();

  std::uint64_t corrected() const { return corrected_; }
  std::uint64_t uncorrected() const { return uncorrected_; }
  std::optional<First> first_corrected() const { return first_corrected_; }
  std::optional<First> first_uncorrected() const { return first_uncorrected_; }
  unsigned writes_left() const { return writes_left_; }
  unsigned reads_left() const { return reads_left_; }

 private:
  Decoded look(unsigned word, Source source);
  void store(unsigned word, std::uint64_t data);
  bool hits(unsigned word) const { return !match_ || *match_ == word; }

  std::vector<Codeword> words_ = std::vector<Codeword>(kWords);
  Codeword mask_;
  std::optional<unsigned> match_;
  unsigned writes_left_ = 0;
  unsigned reads_left_ = 0;
  bool write_back_ = true;
  std::uint64_t corrected_ = 0;
  std::uint64_t uncorrected_ = 0;
  std::optional<First> first_corrected_;
  std::optional<First> first_uncorrected_;
};

}  // namespace tb::golden
