#include "lab/transports/host/sysfs.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace firstlight::host {

std::optional<std::string> read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) return std::nullopt;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::optional<std::uint64_t> read_number(const std::filesystem::path& file) {
  const auto text = read_text(file);
  if (!text || text->empty()) return std::nullopt;
  try {
    std::size_t used = 0;
    const std::uint64_t value = std::stoull(*text, &used, 0);
    if (used == text->size()) return value;
  } catch (const std::logic_error&) {
    // No number: nothing, below.
  }
  return std::nullopt;
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string link_target(const std::filesystem::path& link) {
  std::error_code error;
  const auto target = std::filesystem::read_symlink(link, error);
  return error ? std::string() : target.filename().string();
}

std::string error_text(int error) { return std::generic_category().message(error); }

}  // namespace firstlight::host
