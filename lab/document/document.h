#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lab/core/diagnostic.h"
#include "lab/document/node.h"

namespace firstlight {

/// Bounds of an input file. They are far above any honest file, and keep a hostile or broken one from eating the
/// machine (aliases count by what they expand to).
inline constexpr std::size_t kMaxDocumentBytes = 1'048'576;
inline constexpr std::size_t kMaxDocumentNodes = 100'000;
inline constexpr int kMaxDocumentDepth = 64;

/// A YAML file in memory, every node with its line and column (columns count bytes, from 1).
struct Document {
  std::string file;
  std::string text;
  Node root;
};

/// Reads a file. One that is missing, no regular file, too large, not UTF-8, empty, not YAML, or holds several
/// documents or a key twice gives a diagnostic and no document.
std::optional<Document> load_document(const std::string& path, Diagnostics& diagnostics);
/// The same for text that is already in memory.
std::optional<Document> parse_document(const std::string& file, const std::string& text, Diagnostics& diagnostics);

/// SHA-256 (FIPS 180-4) in lower-case hexadecimal.
std::string sha256_of(std::string_view bytes);

/// All diagnostics for a terminal, each with the line of the file that it speaks of.
std::string to_text(const Diagnostics& diagnostics);

}  // namespace firstlight
