#pragma once

#include <string>

#include "lab/report/record.h"

namespace firstlight::report {

/// Verdict, counts by verdict, seed, times, and the first failure, for programs.
std::string summary_json(const RunRecord& run);

/// JUnit XML: one suite a phase, one case a verb. fail is a failure, error and aborted are errors, skip is skipped;
/// marginal passes and says so in its output. A failure outside any verb (an interlock, a monitor, the safe state, a
/// killed run) is a case of its own.
std::string junit_xml(const RunRecord& run);

/// The page: one file, no network. Answers in ten seconds: did it pass, what failed first, why, where.
std::string report_html(const RunRecord& run);

/// Writes summary.json, junit.xml and report.html into the run's folder, each atomically. Throws FailureError
/// (infrastructure).
void write_views(const std::string& folder);

}  // namespace firstlight::report
