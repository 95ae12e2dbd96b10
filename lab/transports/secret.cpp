#include "lab/transports/secret.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "lab/core/failure.h"

namespace firstlight {

namespace {

constexpr std::size_t kLongest = 4096;

[[noreturn]] void refuse(const ResourcePlan& resource, const std::string& why, const std::string& cause) {
  throw FailureError(
      {ErrorClass::bench, "no_credential",
       fmt::format("{}:{}: resource \"{}\": {}", resource.where.file, resource.where.line, resource.name, why),
       resource.name, "", "", cause});
}

std::string param(const ResourcePlan& resource, const std::string& name) {
  const auto found = resource.params.find(name);
  return found == resource.params.end() || !found->second.is_set() ? std::string() : found->second.text();
}

class File {
 public:
  explicit File(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// What is checked is what is read: the open file, not the path.
void check_mode(const ResourcePlan& resource, const std::string& path, int descriptor) {
  struct stat about {};
  if (::fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode))
    refuse(resource, fmt::format("{} is no regular file", path), "the path names a folder, a pipe or a device");
  if ((about.st_mode & 077U) != 0)
    refuse(
        resource,
        fmt::format("{} has mode {:04o}: others than its owner may read the credential", path, about.st_mode & 07777U),
        fmt::format("chmod 0600 {}", path));
  if (about.st_uid != ::geteuid() && about.st_uid != 0)
    refuse(resource, fmt::format("{} belongs to another user", path),
           "a credential that someone else can replace is not one; own the file");
}

Secret from_file(const ResourcePlan& resource, const std::string& path) {
  const File file(path);
  if (file.descriptor() < 0)
    refuse(resource, fmt::format("cannot read {}: {}", path, std::strerror(errno)),
           "the file that holds the credential is missing, or belongs to someone else");
  check_mode(resource, path, file.descriptor());
  std::array<char, kLongest> buffer{};
  const ssize_t count = ::read(file.descriptor(), buffer.data(), buffer.size());
  std::string text(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  ::explicit_bzero(buffer.data(), buffer.size());
  text.resize(std::min(text.size(), text.find_first_of("\r\n")));
  Secret secret(std::move(text));
  if (secret.empty()) refuse(resource, fmt::format("the first line of {} is empty", path), "no credential in the file");
  return secret;
}

}  // namespace

Secret::Secret(Secret&& other) noexcept : text_(other.text_) { other.wipe(); }
Secret& Secret::operator=(Secret&& other) noexcept {
  if (this == &other) return *this;
  wipe();
  text_ = other.text_;
  other.wipe();
  return *this;
}
Secret::~Secret() { wipe(); }

void Secret::wipe() {
  ::explicit_bzero(text_.data(), text_.size());
  text_.clear();
}

std::string Secret::redact(std::string text) const {
  if (empty()) return text;
  for (std::size_t at = text.find(text_); at != std::string::npos; at = text.find(text_, at + 3))
    text.replace(at, text_.size(), "***");
  return text;
}

std::optional<Secret> read_secret(const ResourcePlan& resource, const std::string& what) {
  const std::string file = param(resource, what + "_file");
  const std::string variable = param(resource, what + "_env");
  if (!file.empty() && !variable.empty())
    refuse(resource, fmt::format("both {}_file and {}_env are given", what, what), "name one of them");
  if (!file.empty()) return from_file(resource, file);
  if (variable.empty()) return std::nullopt;
  const char* text = std::getenv(variable.c_str());
  if (text == nullptr || *text == '\0')
    refuse(resource, fmt::format("the environment variable {} is not set", variable),
           fmt::format("it should hold the {} of {}", what, resource.address));
  return Secret(text);
}

}  // namespace firstlight
