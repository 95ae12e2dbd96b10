#pragma once

#include <optional>
#include <string>

namespace firstlight::cli {

/// Makes a new folder for a run below `results`: `<name>`, or `<sequence>-<bench>-<date>-<time>` (local time) when the
/// name is empty, with `-2` and so on when that is there. Throws FailureError: class sequence when a given name is
/// taken, infrastructure when the disk refuses.
std::string make_run_folder(const std::string& results, const std::string& name, const std::string& sequence,
                            const std::string& bench);

/// The folder of a run: a path, or a name below `results`; the newest when empty. Nothing when there is none.
std::optional<std::string> find_run_folder(const std::string& results, const std::string& run);

}  // namespace firstlight::cli
