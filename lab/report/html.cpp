#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lab/core/quantity.h"
#include "lab/report/assets.h"
#include "lab/report/page_data.h"
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
        // Control characters show as nothing, or end the document's validity.
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return out;
}

Json parsed(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

std::string row(const std::string& label, const std::string& value, bool mono = false) {
  if (value.empty()) return {};
  return fmt::format("<dt>{}</dt><dd{}>{}</dd>", label, mono ? " class=\"mono\"" : "", escape(value));
}

std::string again(const RunRecord& run) {
  if (run.reproduce.empty()) return {};
  return fmt::format(
      "<dl><dt>run again</dt><dd class=\"copy\"><code>{}</code><button class=\"copyit\" "
      "type=\"button\">copy</button></dd>"
      "</dl>",
      escape(run.reproduce));
}

std::string failure_card(const RunRecord& run) {
  if (!run.first_failure) return {};
  const FirstFailure& f = *run.first_failure;
  std::string at = f.phase.empty() ? "" : fmt::format(" in phase {},", f.phase);
  at += fmt::format(" {} after the start", to_text(Quantity{f.t, Dimension::time}));
  const std::string name = escape(f.title.empty() ? f.id : f.title);
  const std::string step = escape(f.step);
  // What is no step's doing is told by the bench's own events.
  const std::string link =
      f.step.empty() || f.step == "@bench"
          ? fmt::format("<a href=\"#bench\">{}</a>", name)
          : fmt::format("<a class=\"tostep\" data-step=\"{0}\" href=\"#step-{0}\">{1}</a>", step, name);
  const std::string kind =
      f.failure.symptom.empty() ? f.failure.error_class : f.failure.error_class + ", " + f.failure.symptom;
  return fmt::format(
      "<div class=\"card failure\"><h2>What failed first</h2><div class=\"what\">{}</div><dl><dt>step</dt><dd>{}{}</dd>"
      "{}{}{}{}{}{}{}</dl>{}</div>",
      escape(f.failure.message), link, escape(at), row("part", f.failure.part),
      row("likely cause", f.failure.likely_cause), row("while", fmt::format("{}", fmt::join(f.during, ", "))),
      row("class", kind), row("sent", f.failure.sent, true), row("received", f.failure.received, true),
      row("where", f.file.empty() ? "" : fmt::format("{}:{}", f.file, f.line), true), again(run));
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
  return out + fmt::format("<span><b>{}</b> measurements and checks</span>", measured);
}

/// "2026-01-02T03:04:05.123456Z" without what nobody reads.
std::string wall_clock(const std::string& timestamp) {
  std::string out = timestamp.substr(0, 19);
  if (out.size() == 19) out.replace(10, 1, " ").append(" UTC");
  return out;
}

std::string header(const RunRecord& run) {
  std::string faults;
  const Json parameters = parsed(run.parameters);
  if (parameters.contains("faults"))
    for (const Json& fault : parameters.at("faults"))
      faults += fmt::format("{}{}{}", faults.empty() ? "" : ", ", fault.value("name", ""),
                            fault.value("value", "").empty() ? "" : "=" + fault.value("value", ""));
  std::string out = fmt::format(
      "<div class=\"card\"><div class=\"headline\"><span class=\"verdict {0}\">{0}</span><h1>{1} on {2}</h1>{12}</div>"
      "<div class=\"facts\">{3}</div><div class=\"facts\"><span>bench time <b>{4}</b></span>{5}"
      "<span>seed <b>{6}</b></span><span>started <b>{7}</b></span>{8}{9}<span>bench left <b "
      "class=\"{10}\">{11}</b></span></div>",
      name_of(run.verdict), escape(run.name), escape(run.bench), counts_line(run),
      to_text(Quantity{run.bench_time_s, Dimension::time}),
      run.complete
          ? fmt::format("<span>wall time <b>{}</b></span>", to_text(Quantity{run.wall_time_s, Dimension::time}, 3))
          : "",
      escape(run.seed), escape(wall_clock(run.wall_start)),
      run.time_scale != 1 ? fmt::format("<span>model, time scale <b>{:g}</b></span>", run.time_scale) : "",
      faults.empty() ? "" : fmt::format("<span>faults put in <b>{}</b></span>", escape(faults)),
      run.safe ? "pass" : "fail", run.safe ? "safe" : "NOT SAFE",
      run.safe ? "" : "<span class=\"verdict fail\">bench not safe</span>");
  // What failed comes before how to see it again.
  return run.first_failure ? out + "</div>" + failure_card(run) : out + again(run) + "</div>";
}

void replace(std::string& page, std::string_view mark, std::string_view text) {
  const auto at = page.find(mark);
  if (at != std::string::npos) page.replace(at, mark.size(), text);
}

/// JSON inside a script element: without a "<" nothing in it can end the element or start a comment. JSON has them only
/// in strings.
std::string for_script(const std::string& json) {
  std::string out;
  out.reserve(json.size() + json.size() / 16);
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string report_html(const RunRecord& run) {
  std::string page(assets::page());
  // Last in the page first, so that no mark is looked for in what was put in.
  replace(page, "@JS@", assets::script());
  replace(page, "@ECHARTS@", assets::echarts());
  replace(page, "@DATA@", for_script(page_data(run)));
  replace(page, "@HEADER@", header(run));
  replace(page, "@CSS@", assets::style());
  replace(page, "@TITLE@", escape(fmt::format("{}: {} on {}", name_of(run.verdict), run.name, run.bench)));
  return page;
}

}  // namespace firstlight::report
