#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "lab/core/failure.h"
#include "lab/core/verdict.h"
#include "lab/runner/json_text.h"
#include "lab/runner/line_file.h"

namespace firstlight {

/// Only for .cpp files of the runner: the lines of a record, in the form of OCP Test & Validation 2.0, each with its
/// number and the wall time.
class OcpLines {
 public:
  enum class Trouble {
    throws,     // the first line that the disk does not take throws FailureError; what follows is dropped
    remembered  // it never throws: `trouble` tells
  };
  OcpLines(std::unique_ptr<LineFile> file, std::uint64_t next, Trouble trouble);

  void run_artifact(const char* kind, Json content);
  void artifact(const std::string& step, const char* kind, Json content);
  void extension(const std::string& step, const char* name, Json content);
  void schema_version();

  void start_step(const std::string& step, const std::string& title, const SourceLocation& where, Json content);
  /// A step that another process has started.
  void go_on_with(const std::string& step);
  void end_step(const std::string& step, Verdict verdict, Json content);
  /// OCP's word for a failure: a diagnosis of the part under test, or an error of what tests it.
  void tell_failure(const std::string& step, const FailureEvent& event);

  /// What kept the record from being written; empty when nothing did.
  const std::string& trouble() const { return told_trouble_; }

 private:
  struct Open {
    std::chrono::steady_clock::time_point start;
    SourceLocation where;
  };
  void line(const char* kind, Json content);

  std::unique_ptr<LineFile> file_;
  std::uint64_t sequence_ = 0;
  Trouble trouble_;
  std::string told_trouble_;
  std::map<std::string, Open> open_;
};

const char* ocp_status(Verdict verdict);

}  // namespace firstlight
