#include "lab/bench/credentials.h"

#include <fmt/format.h>

namespace firstlight {

bool refuse_credentials(const Reader& reader, const Place& resource, const ResourceTypeSpec& type) {
  constexpr std::string_view kFile = "_file";
  for (const ParamSpec& param : type.params) {
    if (param.name.size() <= kFile.size() || param.name.substr(param.name.size() - kFile.size()) != kFile) continue;
    const std::string what = param.name.substr(0, param.name.size() - kFile.size());
    const Entry* entry = resource->find(what);
    if (entry == nullptr) continue;
    // Without a line number, the line is not quoted below the message.
    reader.error({entry->where.file, 0, 0}, resource.path + "." + what,
                 fmt::format("line {}: a {} does not stand in a bench file, where it would be copied, committed and "
                             "printed; put it into a file that only you may read (chmod 0600) and give `{}_file`, or "
                             "name an environment variable by `{}_env`",
                             entry->where.line, what, what, what));
    return true;
  }
  return false;
}

}  // namespace firstlight
