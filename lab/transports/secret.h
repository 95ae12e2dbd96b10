#pragma once

#include <optional>
#include <string>

#include "lab/bench/plan.h"

namespace firstlight {

/// A password or a token. It cannot be printed by accident: what needs the text asks for it by name. Its memory is
/// wiped when it goes.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  Secret(Secret&& other) noexcept;
  Secret& operator=(Secret&& other) noexcept;
  ~Secret();

  bool empty() const { return text_.empty(); }
  const std::string& reveal() const { return text_; }
  /// The text with every occurrence of the secret replaced by "***": for what a peer sends back.
  std::string redact(std::string text) const;

 private:
  void wipe();

  std::string text_;
};

/// The secret that a resource names by `<what>_file` or `<what>_env`; nothing when it names neither. A file must be a
/// regular one that only its owner may read (mode 0600 or less), owned by whoever runs this or by root; its first line
/// is the secret. Throws FailureError (bench) that never holds what it read.
/// @param what "password", "token"
std::optional<Secret> read_secret(const ResourcePlan& resource, const std::string& what);

}  // namespace firstlight
