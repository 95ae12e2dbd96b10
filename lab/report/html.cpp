#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lab/core/quantity.h"
#include "lab/report/assets.h"
#include "lab/report/views.h"

namespace firstlight::report {
namespace {

using Json = nlohmann::ordered_json;

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

Json parsed(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

Json failure_json(const FailureRecord& f) {
  return {{"message", f.message}, {"class", f.error_class}, {"symptom", f.symptom},          {"part", f.part},
          {"sent", f.sent},       {"received", f.received}, {"likely_cause", f.likely_cause}};
}

Json measurement_json(const MeasurementRecord& m) {
  Json out = {{"name", m.name}, {"verdict", name_of(m.verdict)}, {"text", m.text}, {"limit", m.limit},
              {"unit", m.unit}, {"attempt", m.attempt}};
  if (m.value) out["value"] = *m.value;
  if (m.min) out["min"] = *m.min;
  if (m.max) out["max"] = *m.max;
  return out;
}

Json step_json(const StepRecord& s) {
  Json out = {{"id", s.id},
              {"own_id", s.own_id},
              {"title", s.title},
              {"kind", s.kind},
              {"parent", s.parent},
              {"phase", s.phase},
              {"section", s.section},
              {"verb", s.verb},
              {"with", s.with == "{}" ? "" : s.with},
              {"file", s.file},
              {"line", s.line},
              {"t", s.t},
              {"duration_s", s.duration_s},
              {"attempts", s.attempts},
              {"ended", s.ended},
              {"intermittent", s.intermittent},
              {"verdict", name_of(s.verdict)},
              {"skip_reason", s.skip_reason},
              {"logs", s.logs}};
  out["measurements"] = Json::array();
  for (const MeasurementRecord& m : s.measurements) out["measurements"].push_back(measurement_json(m));
  if (s.failure) out["failure"] = failure_json(*s.failure);
  return out;
}

Json run_json(const RunRecord& run) {
  Json out = {{"command_line", run.command_line},
              {"wall_start", run.wall_start},
              {"wall_end", run.wall_end},
              {"parameters", parsed(run.parameters)},
              {"dut", parsed(run.dut)}};
  for (const char* key : {"steps", "series", "data", "events", "files"}) out[key] = Json::array();
  for (const StepRecord& s : run.steps) out["steps"].push_back(step_json(s));
  for (const SeriesRecord& s : run.series)
    out["series"].push_back(
        {{"name", s.name}, {"unit", s.unit}, {"step", s.step}, {"source", s.source}, {"points", s.points}});
  for (const DataRecord& d : run.data)
    out["data"].push_back({{"step", d.step}, {"kind", d.kind}, {"value", parsed(d.value)}});
  for (const EventRecord& e : run.events)
    out["events"].push_back({{"kind", e.kind}, {"t", e.t}, {"content", parsed(e.content)}});
  for (const FileRecord& f : run.files) out["files"].push_back({{"step", f.step}, {"name", f.name}, {"uri", f.uri}});
  return out;
}

std::string row(const std::string& label, const std::string& value, bool mono = false) {
  if (value.empty()) return {};
  return fmt::format("<dt>{}</dt><dd{}>{}</dd>", label, mono ? " class=\"mono\"" : "", escape(value));
}

std::string failure_card(const RunRecord& run) {
  if (!run.first_failure) return {};
  const FirstFailure& f = *run.first_failure;
  const std::string where = f.file.empty() ? "" : fmt::format("{}:{}", f.file, f.line);
  return fmt::format(
      "<div class=\"card failure\"><h3>What failed first</h3><div class=\"what\">{}</div><dl>"
      "<dt>step</dt><dd><a class=\"tostep\" href=\"#step-{}\">{}</a>{}</dd>{}{}{}{}{}{}</dl></div>",
      escape(f.failure.message), escape(f.step), escape(f.title.empty() ? f.id : f.title),
      f.phase.empty()
          ? ""
          : escape(fmt::format(" in phase {}, {} after the start", f.phase, to_text(Quantity{f.t, Dimension::time}))),
      row("part", f.failure.part), row("likely cause", f.failure.likely_cause),
      row("class", f.failure.error_class + ", " + f.failure.symptom), row("sent", f.failure.sent, true),
      row("received", f.failure.received, true), row("where", where, true));
}

std::string counts_line(const RunRecord& run) {
  std::string out;
  for (const std::string_view verdict : kVerdictNames) {
    const auto it = run.counts.find(std::string(verdict));
    if (it != run.counts.end() && it->second > 0)
      out += fmt::format("<span class=\"{0}\"><b>{1}</b> {0}</span>", verdict, it->second);
  }
  int measured = 0;
  for (const auto& [verdict, count] : run.measurement_counts) measured += count;
  return out + fmt::format("<span><b>{}</b> measured checks</span>", measured);
}

std::string header(const RunRecord& run) {
  std::string faults;
  const Json parameters = parsed(run.parameters);
  if (parameters.contains("faults"))
    for (const Json& fault : parameters.at("faults"))
      faults += fmt::format("{}{}{}", faults.empty() ? "" : ", ", fault.value("name", ""),
                            fault.value("value", "").empty() ? "" : "=" + fault.value("value", ""));
  std::string out = fmt::format(
      "<div class=\"card\"><div class=\"headline\"><span class=\"verdict {0}\">{0}</span><h1>{1} on {2}</h1></div>"
      "<div class=\"facts\">{3}</div><div class=\"facts\"><span>bench time <b>{4}</b></span><span>wall time "
      "<b>{5}</b></span>"
      "<span>seed <b>{6}</b></span><span>started <b>{7}</b></span>{8}{9}<span>bench left <b "
      "class=\"{10}\">{11}</b></span></div>",
      name_of(run.verdict), escape(run.name), escape(run.bench), counts_line(run),
      to_text(Quantity{run.bench_time_s, Dimension::time}), to_text(Quantity{run.wall_time_s, Dimension::time}, 3),
      escape(run.seed), escape(run.wall_start.substr(0, 19)),
      run.time_scale != 1 ? fmt::format("<span>model, time scale <b>{:g}</b></span>", run.time_scale) : "",
      faults.empty() ? "" : fmt::format("<span>faults put in <b>{}</b></span>", escape(faults)),
      run.safe ? "pass" : "fail", run.safe ? "safe" : "NOT SAFE");
  out += fmt::format(
      "<dl><dt>run again</dt><dd class=\"copy\"><code>{}</code><button class=\"copyit\" "
      "type=\"button\">copy</button></dd></dl></div>",
      escape(run.reproduce));
  return out + failure_card(run);
}

void replace(std::string& page, std::string_view mark, std::string_view text) {
  const auto at = page.find(mark);
  if (at != std::string::npos) page.replace(at, mark.size(), text);
}

/// JSON inside a script element: nothing in it may end the element.
std::string for_script(std::string json) {
  for (std::size_t at = json.find("</"); at != std::string::npos; at = json.find("</", at + 3))
    json.replace(at, 2, "<\\/");
  for (std::size_t at = json.find("<!--"); at != std::string::npos; at = json.find("<!--", at))
    json.replace(at, 4, "<\\u0021--");
  return json;
}

}  // namespace

std::string report_html(const RunRecord& run) {
  std::string page(assets::page());
  // Last in the page first, so that no mark is looked for in what was put in.
  replace(page, "@JS@", assets::script());
  replace(page, "@ECHARTS@", assets::echarts());
  replace(page, "@DATA@", for_script(run_json(run).dump(-1, ' ', false, Json::error_handler_t::replace)));
  replace(page, "@HEADER@", header(run));
  replace(page, "@CSS@", assets::style());
  replace(page, "@TITLE@", escape(fmt::format("{}: {} on {}", name_of(run.verdict), run.name, run.bench)));
  return page;
}

}  // namespace firstlight::report
