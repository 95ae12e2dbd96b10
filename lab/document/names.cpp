#include "lab/document/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/core/suggest.h"

namespace firstlight {
namespace {

/// "link.lane_errors[2].count" -> "link.lane_errors[0].count" or, without `zero`, "link.lane_errors.count".
std::string with_index(const std::string& name, bool zero) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '[') {
      out += name[i];
      continue;
    }
    const auto close = name.find(']', i);
    if (close == std::string::npos) return name;
    if (zero) out += "[0]";
    i = close;
  }
  return out;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string_view name_of(NameKind kind) {
  switch (kind) {
    case NameKind::none:
      return "name";
    case NameKind::rail:
      return "rail";
    case NameKind::measurable:
      return "measurable";
    case NameKind::reg:
      return "register";
    case NameKind::lane:
      return "lane";
    case NameKind::zone:
      return "zone";
    case NameKind::driver:
      return "driver";
    case NameKind::resource:
      return "resource";
    case NameKind::line:
      return "line";
    case NameKind::link:
      return "link";
    case NameKind::memory:
      return "memory";
  }
  return "name";
}

const std::vector<std::string>& NameTable::of(NameKind kind) const {
  static const std::vector<std::string> none;
  const auto found = names_.find(kind);
  return found == names_.end() ? none : found->second;
}

bool NameTable::knows(NameKind kind, const std::string& name) const {
  if (!checks(kind)) return true;
  const auto& names = of(kind);
  if (has(names, name)) return true;
  return kind == NameKind::reg && name.find('[') != std::string::npos &&
         (has(names, with_index(name, true)) || has(names, with_index(name, false)));
}

std::string NameTable::nearest(NameKind kind, const std::string& name) const { return nearest_name(name, of(kind)); }

std::string list_text(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 12;
  if (names.empty()) return "none";
  if (names.size() <= kShown) return fmt::format("{}", fmt::join(names, ", "));
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(kShown);
  return fmt::format("{}, and {} more", fmt::join(names.begin(), end, ", "), names.size() - kShown);
}

}  // namespace firstlight
