#include "lab/document/document.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <boost/locale/utf.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

#include "lab/document/builder.h"

namespace firstlight {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// The place of a byte, lines and columns from 1.
SourceLocation place_of(const std::string& file, std::string_view text, std::size_t offset) {
  SourceLocation where{file, 1, 1};
  for (const char c : text.substr(0, offset)) {
    where.column = c == '\n' ? 1 : where.column + 1;
    where.line += c == '\n' ? 1 : 0;
  }
  return where;
}

std::optional<std::size_t> find_broken_utf8(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const char* const begin = at;
    const auto point = boost::locale::utf::utf_traits<char>::decode(at, end);
    if (point == boost::locale::utf::illegal || point == boost::locale::utf::incomplete)
      return static_cast<std::size_t>(begin - text.data());
  }
  return std::nullopt;
}

bool check_encoding(const std::string& file, std::string_view text, Diagnostics& diagnostics) {
  if (text.substr(0, 2) == "\xff\xfe" || text.substr(0, 2) == "\xfe\xff") {
    diagnostics.add(SourceLocation{file, 1, 1}, "the file is UTF-16; save it as UTF-8");
    return false;
  }
  if (const auto offset = find_broken_utf8(text)) {
    const auto byte = static_cast<unsigned char>(text[*offset]);
    diagnostics.add(place_of(file, text, *offset),
                    fmt::format("the byte 0x{:02x} is not UTF-8; save the file as UTF-8", byte));
    return false;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte >= 0x20 && byte != 0x7f) || byte == '\t' || byte == '\n' || byte == '\r') continue;
    diagnostics.add(
        {place_of(file, text, i), fmt::format("the control character 0x{:02x} cannot stand in YAML", byte), {}, {}});
    return false;
  }
  return true;
}

/// YAML forbids tabs as indentation, and a parser that meets one only says that something does not line up.
bool check_tabs(const std::string& file, std::string_view text, Diagnostics& diagnostics) {
  std::optional<SourceLocation> first;
  int more = 0;
  int line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    ++line;
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view row = text.substr(begin, end - begin);
    const std::size_t content = row.find_first_not_of(" \t\r");
    const std::size_t tab = row.find('\t');
    if (content != std::string_view::npos && tab < content && row[content] != '#') {
      more += first ? 1 : 0;
      if (!first) first = SourceLocation{file, line, static_cast<int>(tab) + 1};
    }
    begin = end + 1;
  }
  if (!first) return true;
  diagnostics.add(*first, more == 0
                              ? std::string("a tab cannot indent in YAML; use spaces")
                              : fmt::format("a tab cannot indent in YAML; use spaces (and on {} more lines)", more));
  return false;
}

/// What keeps a path from being read as a file of ours; empty when nothing does.
std::string obstacle_of(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return "there is no such file";
  if (!std::filesystem::is_regular_file(status)) return "this is not a regular file";
  const auto size = std::filesystem::file_size(path, error);
  if (!error && size > kMaxDocumentBytes)
    return fmt::format("the file holds {} bytes; {} are the most", size, kMaxDocumentBytes);
  return {};
}

std::optional<std::string> read_file(const std::string& path, Diagnostics& diagnostics) {
  std::string obstacle = obstacle_of(path);
  std::string text;
  if (obstacle.empty()) {
    std::ifstream stream(path, std::ios::binary);
    if (stream) {
      text.assign(std::istreambuf_iterator<char>(stream), {});
    } else {
      obstacle = "the file cannot be opened for reading";
    }
    if (stream.bad()) obstacle = "the file cannot be read to its end";
  }
  if (obstacle.empty()) return text;
  diagnostics.add(SourceLocation{path, 0, 0}, std::move(obstacle));
  return std::nullopt;
}

}  // namespace

std::optional<Document> parse_document(const std::string& file, const std::string& text, Diagnostics& diagnostics) {
  if (text.size() > kMaxDocumentBytes) {
    diagnostics.add({file, 0, 0},
                    fmt::format("the text holds {} bytes; {} are the most", text.size(), kMaxDocumentBytes));
    return std::nullopt;
  }
  if (!check_encoding(file, text, diagnostics) || !check_tabs(file, text, diagnostics)) return std::nullopt;
  const bool marked = std::string_view(text).substr(0, kByteOrderMark.size()) == kByteOrderMark;
  auto root = build_tree(file, marked ? text.substr(kByteOrderMark.size()) : text, diagnostics);
  if (!root) return std::nullopt;
  if (root->is_null()) {
    diagnostics.add(SourceLocation{file, 1, 1}, "the file is empty");
    return std::nullopt;
  }
  return Document{file, text, std::move(*root)};
}

std::optional<Document> load_document(const std::string& path, Diagnostics& diagnostics) {
  const auto text = read_file(path, diagnostics);
  if (!text) return std::nullopt;
  return parse_document(path, *text, diagnostics);
}

std::string sha256_of(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("libcrypto offers no SHA-256");
  return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + length, ""));
}

std::string to_text(const Diagnostics& diagnostics) {
  std::map<std::string, std::string> texts;
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics.list()) {
    const std::string& file = diagnostic.where.file;
    if (diagnostic.where.line > 0 && texts.find(file) == texts.end()) {
      Diagnostics ignored;
      texts[file] = read_file(file, ignored).value_or("");
    }
    out += to_text(diagnostic, texts[file]);
  }
  return out;
}

}  // namespace firstlight
