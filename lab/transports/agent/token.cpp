#include "lab/transports/agent/token.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <random>

#include "lab/core/failure.h"

namespace firstlight::agent {

namespace {

constexpr std::size_t kLongestFile = 4096;
constexpr std::size_t kFreshWords = 8;  // of 32 bits

[[noreturn]] void refuse(const std::string& message, const std::string& cause) {
  throw FailureError({ErrorClass::bench, "bad_token", message, "agent", "", "", cause});
}

std::string checked(std::string token, const std::string& where) {
  if (token.size() < kShortestToken)
    refuse(fmt::format("the token in {} is shorter than {} characters", where, kShortestToken),
           "make one with: openssl rand -hex 32");
  return token;
}

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

std::string token_from_file(const std::string& path) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0)
    refuse(fmt::format("cannot read the agent's token from {}: {}", path, std::strerror(errno)),
           "the agent is not started, or the bench names another file than the agent's");
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || (status.st_mode & 077U) != 0)
    refuse(fmt::format("{} holds a token and can be read by others (mode {:04o})", path, status.st_mode & 07777U),
           "chmod 600 " + path);
  std::array<char, kLongestFile> buffer{};
  const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
  std::string token(buffer.data(), count < 0 ? 0 : static_cast<std::size_t>(count));
  token.erase(std::min(token.find_first_of("\r\n"), token.size()));
  return checked(token, path);
}

std::string token_from_environment(const std::string& variable) {
  const char* value = std::getenv(variable.c_str());
  if (value == nullptr)
    refuse(fmt::format("the environment variable {} that should hold the agent's token is not set", variable), "");
  return checked(value, variable);
}

std::string make_token_file(const std::string& path) {
  std::random_device random;
  std::string token;
  for (std::size_t i = 0; i < kFreshWords; ++i) token += fmt::format("{:08x}", random());
  ::unlink(path.c_str());
  const File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  const std::string line = token + "\n";
  if (file.get() < 0 || ::write(file.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw FailureError({ErrorClass::infrastructure, "no_token_file",
                        fmt::format("cannot write a token to {}: {}", path, std::strerror(errno)), "agent", "", "",
                        "the folder is not there, not writable, or full"});
  return token;
}

bool same_token(std::string_view one, std::string_view other) {
  unsigned differs = one.size() == other.size() ? 0U : 1U;
  for (std::size_t i = 0; i < other.size(); ++i) {
    const char mine = one.empty() ? '\0' : one[i % one.size()];
    differs |= static_cast<unsigned char>(mine ^ other[i]);
  }
  return differs == 0;
}

}  // namespace firstlight::agent
