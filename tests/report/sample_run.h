#pragma once

#include <string>

namespace firstlight::test {

/// Texts that break a careless page or XML.
inline constexpr const char* kHostile =
    "</script><!--<script>alert(1)</script> & \"quoted\" 'single' \x01\x1b[31m \xef\xbf\xbf";

/// What the sample is of.
enum class Sample { failed, passed, killed, tripped };

/// Writes the record of a run that never was, by the runner's own Recorder, so that views are tested against what
/// the runner writes: phases, a for_each group, retries, limits and checks, series of steps, monitors and interlocks,
/// every kind of structured data, attachments, a ledger. `killed` ends in the middle of a line.
void write_sample(const std::string& folder, Sample sample);

}  // namespace firstlight::test
