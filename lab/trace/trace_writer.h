#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "lab/trace/transaction.h"

namespace firstlight::trace {

/// Writes the traffic of a run beside its record, as docs/replay.md says: `<folder>/bus.jsonl`, a line a transaction
/// when it is over, each with one write, so that it is readable after a kill; long payloads go to `<folder>/bus.bin`,
/// each different one once.
///
/// A disk that is full must not keep anyone from switching the bench off, so writing never throws: the trace ends
/// there, and `trouble` says why.
class TraceWriter {
 public:
  /// @param folder is there, and holds no trace yet. Throws FailureError (infrastructure) when the files cannot be
  /// made.
  explicit TraceWriter(const std::string& folder);
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  ~TraceWriter();

  std::uint64_t next_number() { return next_++; }
  void write(const Transaction& transaction);
  /// Why the trace ended before the run did; empty when it did not.
  const std::string& trouble() const { return trouble_; }

 private:
  class Files;
  class Formatter;
  std::unique_ptr<Files> files_;
  std::uint64_t next_ = 0;
  std::string trouble_;
};

}  // namespace firstlight::trace
