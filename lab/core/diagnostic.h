#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace firstlight {

/// A place in a file; lines and columns count from 1, 0 where unknown.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
};

/// One error in an input file.
struct Diagnostic {
  SourceLocation where;
  std::string message;     // what was found and what was expected
  std::string suggestion;  // "did you mean ...": the nearest right text, or empty
  std::string path;        // where in the document: "phases[0].steps[2].with.rail"
};

/// Collects every error of a document, so that all are told in one go.
class Diagnostics {
 public:
  void add(Diagnostic diagnostic) { list_.push_back(std::move(diagnostic)); }
  void add(const SourceLocation& where, std::string message, std::string suggestion = {}, std::string path = {});
  bool empty() const { return list_.empty(); }
  const std::vector<Diagnostic>& list() const { return list_; }
  /// By file, line and column, exact repeats dropped.
  void sort();

 private:
  std::vector<Diagnostic> list_;
};

/// "lab/x.yaml:12:9: error: ...", the line itself, a caret, and the suggestion; for a terminal.
std::string to_text(const Diagnostic& diagnostic, std::string_view file_text);

}  // namespace firstlight
