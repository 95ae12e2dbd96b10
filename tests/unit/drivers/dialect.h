#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "tests/unit/drivers/fake_stream.h"

namespace firstlight::test {

/// One line of a programming manual: what may be said, what it changes, what comes back. `$1` is a group of the
/// pattern, `%key%` a setting that was kept.
struct Rule {
  std::string pattern;
  std::string key;     // the setting that is kept, or empty
  std::string value;   // as what
  std::string answer;  // what comes back, or empty
};

/// An instrument that knows only what its rules say; anything else it hears fails the test.
class Dialect {
 public:
  Dialect(FakeStream& stream, std::vector<Rule> rules, std::string answer_end = "\n")
      : stream_(stream), rules_(std::move(rules)), end_(std::move(answer_end)) {
    stream_.instrument = [this](const std::string& line) { hear(line); };
  }

  std::map<std::string, std::string> state;

 private:
  void hear(const std::string& line) {
    for (const Rule& rule : rules_) {
      std::smatch match;
      if (!std::regex_match(line, match, std::regex(rule.pattern))) continue;
      if (!rule.key.empty()) state[filled(rule.key, match)] = filled(rule.value, match);
      if (!rule.answer.empty()) stream_.pending += filled(rule.answer, match) + end_;
      return;
    }
    ADD_FAILURE() << "the manual knows no \"" << line << "\"";
  }
  std::string filled(const std::string& text, const std::smatch& match) {
    std::string out = match.format(text);
    for (std::size_t at = out.find('%'); at != std::string::npos; at = out.find('%')) {
      const std::size_t end = out.find('%', at + 1);
      out.replace(at, end + 1 - at, state[out.substr(at + 1, end - at - 1)]);
    }
    return out;
  }

  FakeStream& stream_;
  std::vector<Rule> rules_;
  std::string end_;
};

}  // namespace firstlight::test
