#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lab/core/vocabulary.h"

namespace firstlight {

/// "rail", "measurable", "register", ...: the kind of a name, for messages.
std::string_view name_of(NameKind kind);

/// The names that a file may use, by kind. A kind without an entry is not checked: the bench is not known then.
class NameTable {
 public:
  void set(NameKind kind, std::vector<std::string> names) { names_[kind] = std::move(names); }
  bool checks(NameKind kind) const { return names_.count(kind) > 0; }
  const std::vector<std::string>& of(NameKind kind) const;
  /// True also for kinds that are not checked. Registers may carry indices ("link.lane_errors[2].count").
  bool knows(NameKind kind, const std::string& name) const;
  /// The nearest known name, or empty.
  std::string nearest(NameKind kind, const std::string& name) const;

 private:
  std::map<NameKind, std::vector<std::string>> names_;
};

/// "a, b, c", shortened when there are many; "none" for an empty list.
std::string list_text(const std::vector<std::string>& names);

}  // namespace firstlight
