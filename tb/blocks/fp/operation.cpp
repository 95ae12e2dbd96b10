#include "tb/blocks/fp/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "lab/core/suggest.h"

namespace tb::blocks::fp {
namespace {

using golden::fp::Format;
using golden::fp::Narrowing;

struct Word {
  std::string_view text;
  std::size_t column = 0;
};

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find('#')); }

std::vector<Word> words_of(std::string_view line) {
  static constexpr std::string_view kSpace = " \t\r";
  std::vector<Word> words;
  const std::string_view text = without_comment(line);
  std::size_t at = text.find_first_not_of(kSpace);
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(kSpace, at), text.size());
    words.push_back({text.substr(at, end - at), at + 1});
    at = text.find_first_not_of(kSpace, end);
  }
  return words;
}

/// The words of a line, taken one by one.
class Reader {
 public:
  Reader(std::string_view line, std::string usage)
      : words_(words_of(line)), end_column_(without_comment(line).size() + 1), usage_(std::move(usage)) {}

  Word next(std::string_view what) {
    if (at_ == words_.size()) throw BadLine(end_column_, fmt::format("{} is missing: {}", what, usage_));
    return words_[at_++];
  }

  /// The place of the next word in `choices`.
  unsigned choice(std::string_view what, const std::vector<std::string>& choices) {
    const Word word = next(what);
    const auto found = std::find(choices.begin(), choices.end(), word.text);
    if (found != choices.end()) return static_cast<unsigned>(found - choices.begin());
    const std::string near = firstlight::nearest_name(word.text, choices);
    throw BadLine(word.column,
                  fmt::format("'{}' is no {}{}; there are {}", word.text, what,
                              near.empty() ? "" : fmt::format(", did you mean '{}'?", near), fmt::join(choices, ", ")));
  }

  std::uint32_t number(std::string_view what, unsigned bits) {
    const Word word = next(what);
    std::string_view digits = word.text;
    if (digits.substr(0, 2) == "0x" || digits.substr(0, 2) == "0X") digits.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc{} && error != std::errc::result_out_of_range)
      throw BadLine(word.column, fmt::format("{}: '{}' is no hexadecimal number", what, word.text));
    if (end != digits.data() + digits.size())
      throw BadLine(word.column + static_cast<std::size_t>(end - word.text.data()),
                    fmt::format("{}: '{}' is no hexadecimal digit", what, *end));
    if (error == std::errc::result_out_of_range || value >> bits != 0)
      throw BadLine(word.column, fmt::format("{}: '{}' has more than {} bits", what, word.text, bits));
    return static_cast<std::uint32_t>(value);
  }

  /// Nothing for a single -.
  std::optional<std::uint32_t> number_or_none(std::string_view what, unsigned bits) {
    if (at_ == words_.size() || words_[at_].text != "-") return number(what, bits);
    ++at_;
    return std::nullopt;
  }

  void end() {
    if (at_ < words_.size())
      throw BadLine(words_[at_].column, fmt::format("'{}' is too much: {}", words_[at_].text, usage_));
  }

 private:
  std::vector<Word> words_;
  std::size_t at_ = 0;
  std::size_t end_column_;
  std::string usage_;
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format format : golden::fp::kFormats) names.emplace_back(golden::fp::info(format).name);
  return names;
}

std::string told(const Result& result, unsigned bits) {
  const auto& f = result.flags;
  const std::array<std::pair<bool, std::string_view>, 5> flags{{{f.invalid, "invalid"},
                                                                {f.overflow, "overflow"},
                                                                {f.underflow, "underflow"},
                                                                {f.inexact, "inexact"},
                                                                {f.nan_in, "nan_in"}}};
  std::string names;
  for (const auto& [raised, name] : flags)
    if (raised) names += (names.empty() ? "" : ",") + std::string(name);
  return fmt::format("{:0{}x} {}", result.bits, bits / 4, names.empty() ? "-" : names);
}

std::string widen(Rtl& rtl, Reader& words) {
  const unsigned format = words.choice("format", format_names());
  const std::uint32_t value = words.number("value", golden::fp::info(golden::fp::kFormats.at(format)).bits);
  words.end();
  return told(rtl.fp.widen(format, value), 32);
}

Narrowing narrowing(Reader& words) {
  Narrowing how;
  how.format = golden::fp::kFormats.at(words.choice("format", format_names()));
  how.rounding = static_cast<Rounding>(words.choice("rounding", {"rne", "stochastic"}));
  how.overflow = static_cast<Overflow>(words.choice("overflow mode", {"saturate", "infinity"}));
  return how;
}

std::string narrow(Rtl& rtl, Reader& words) {
  const Narrowing how = narrowing(words);
  const std::uint32_t value = words.number("value", 32);
  const std::uint32_t random = how.rounding == Rounding::kStochastic ? words.number("random number", 32) : 0;
  words.end();
  return told(rtl.fp.narrow(static_cast<unsigned>(how.format), how.rounding, how.overflow, value, random),
              golden::fp::info(how.format).bits);
}

std::string post(Rtl& rtl, Reader& words) {
  const Narrowing how = narrowing(words);
  const auto scale = words.number_or_none("scale", 32);
  const auto bias = words.number_or_none("bias", 32);
  const bool relu = words.choice("relu", {"-", "relu"}) != 0;
  const std::uint32_t value = words.number("value", 32);
  if (how.rounding == Rounding::kStochastic) rtl.post.write_generator(words.number("state", 32));
  words.end();
  rtl.post.configure(scale.has_value(), bias.has_value(), relu, how);
  std::optional<Result> result = rtl.post.clock(true, PostModel::Number{value, scale.value_or(0), bias.value_or(0)});
  while (!result) result = rtl.post.clock(true, std::nullopt);
  return told(*result, golden::fp::info(how.format).bits);
}

std::string fma(Rtl& rtl, Reader& words) {
  FmaOperands x;
  x.a = words.number("a", 32);
  x.b = words.number("b", 32);
  x.c = words.number("c", 32);
  words.end();
  return told(rtl.fp.fma(x), 32);
}

std::string random(Rtl& rtl, Reader& words) {
  const std::uint32_t state = words.number("state", 32);
  words.end();
  rtl.fp.write_generator(state);
  rtl.fp.step_generator();
  return told({rtl.fp.generator_state(), {}}, 32);
}

struct Operation {
  std::string_view name;
  std::string_view usage;
  std::string (*run)(Rtl&, Reader&);
};

constexpr std::array<Operation, 5> kOperations{{
    {"fma", "fma A B C", fma},
    {"widen", "widen FORMAT VALUE", widen},
    {"narrow", "narrow FORMAT rne|stochastic saturate|infinity VALUE [RANDOM, with stochastic]", narrow},
    {"post", "post FORMAT rne|stochastic saturate|infinity SCALE|- BIAS|- relu|- VALUE [STATE, with stochastic]", post},
    {"random", "random STATE", random},
}};

}  // namespace

std::string_view operations_help() {
  return "  fma A B C                                      a x b + c, rounded once\n"
         "  widen FORMAT VALUE                             to fp32\n"
         "  narrow FORMAT rne MODE VALUE                   from fp32, to nearest, ties to even\n"
         "  narrow FORMAT stochastic MODE VALUE RANDOM     from fp32, with the generator's number RANDOM\n"
         "  post FORMAT rne MODE SCALE BIAS RELU VALUE     what a result goes through on its way out\n"
         "  post FORMAT stochastic MODE SCALE BIAS RELU VALUE STATE\n"
         "                                                 the same, with the generator's number after STATE\n"
         "  random STATE                                   the generator's number after STATE\n"
         "\n"
         "SCALE and BIAS are numbers of fp32, RELU is relu; - leaves a step out.\n"
         "FORMAT: fp32 fp16 bf16 fp8_e4m3 fp8_e5m2. MODE: saturate infinity. Numbers are bit patterns in "
         "hexadecimal.\n";
}

bool is_blank(std::string_view line) { return words_of(line).empty(); }

std::string evaluate(Rtl& rtl, std::string_view line) {
  std::vector<std::string> names;
  for (const Operation& operation : kOperations) names.emplace_back(operation.name);
  const unsigned which = Reader(line, "").choice("operation", names);
  const Operation& operation = kOperations.at(which);
  Reader words(line, std::string(operation.usage));
  words.next("operation");
  return operation.run(rtl, words);
}

}  // namespace tb::blocks::fp
