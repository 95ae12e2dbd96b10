#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/documents.h"

namespace firstlight {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(FIRSTLIGHT_CORPUS_DIR))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return texts;
}

/// Breaks texts the way hands and disks do, and stitches them together.
class Mutator {
 public:
  Mutator(std::uint64_t seed, std::vector<std::string> texts) : random_(seed), texts_(std::move(texts)) {}

  std::string next() {
    std::string text = texts_[below(texts_.size())];
    for (std::size_t i = 0; i <= below(4); ++i) mutate(text);
    return text;
  }

 private:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }

  std::string piece() {
    static const std::vector<std::string> pieces = {"${",
                                                    "}",
                                                    "${core}",
                                                    "[",
                                                    "]",
                                                    "{",
                                                    ": ",
                                                    "- ",
                                                    "\n",
                                                    "  ",
                                                    "\t",
                                                    "&a ",
                                                    "*a",
                                                    "\"",
                                                    "'",
                                                    "0x",
                                                    "-1",
                                                    "1e308 V",
                                                    "NaN",
                                                    "850 mV",
                                                    "for_each",
                                                    "~",
                                                    "!!x ",
                                                    "#",
                                                    "|",
                                                    ">",
                                                    "%",
                                                    "? ",
                                                    "\xff",
                                                    "\xc3\xa4",
                                                    "99999999999999999999",
                                                    "include: fuzz"};
    if (below(2) == 0) return pieces[below(pieces.size())];
    const std::string& other = texts_[below(texts_.size())];
    const std::size_t begin = below(other.size());
    return other.substr(begin, below(60));
  }

  void mutate(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    switch (below(5)) {
      case 0:
        text.insert(at, piece());
        break;
      case 1:
        text.erase(at, below(20));
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 3:
        text.resize(at);
        break;
      default:
        text.replace(at, below(10), piece());
    }
  }

  std::mt19937_64 random_;
  std::vector<std::string> texts_;
};

// FIRSTLIGHT_SEED repeats a run; FIRSTLIGHT_FUZZ_SECONDS makes it longer.
TEST(Mutations, NoBrokenDocumentBreaksTheParsers) {
  const char* fixed = std::getenv("FIRSTLIGHT_SEED");
  const std::uint64_t seed = fixed != nullptr ? std::strtoull(fixed, nullptr, 0) : std::random_device{}();
  const char* wanted = std::getenv("FIRSTLIGHT_FUZZ_SECONDS");
  const auto length = std::chrono::seconds(wanted != nullptr ? std::atoi(wanted) : 3);
  std::cout << "FIRSTLIGHT_SEED=" << seed << std::endl;
  Mutator mutator(seed, corpus());
  const std::string last = (std::filesystem::temp_directory_path() / "firstlight-mutation.yaml").string();
  int documents = 0;
  for (const auto end = std::chrono::steady_clock::now() + length; std::chrono::steady_clock::now() < end;
       ++documents) {
    const std::string text = mutator.next();
    std::ofstream(last, std::ios::binary) << text;  // what is left when it does break
    parse_anything(text);
  }
  std::cout << documents << " documents" << std::endl;
  EXPECT_GT(documents, 100);
  std::filesystem::remove(last);
}

}  // namespace
}  // namespace firstlight
