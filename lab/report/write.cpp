#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "lab/report/views.h"

namespace firstlight::report {
namespace {

void write_file(const std::string& path, const std::string& content) {
  const std::string fresh = path + ".new";
  std::ofstream file(fresh, std::ios::binary);
  file << content;
  file.close();
  if (file && std::rename(fresh.c_str(), path.c_str()) == 0) return;
  Failure failure;
  failure.error_class = ErrorClass::infrastructure;
  failure.symptom = "report_not_written";
  failure.message = fmt::format("{}: cannot be written", path);
  failure.likely_cause = "the disk is full, or the folder belongs to someone else; the record itself is untouched";
  throw FailureError(failure);
}

}  // namespace

void write_views(const std::string& folder) {
  const RunRecord run = read_record(folder);
  write_file(folder + "/summary.json", summary_json(run));
  write_file(folder + "/junit.xml", junit_xml(run));
  write_file(folder + "/report.html", report_html(run));
}

}  // namespace firstlight::report
