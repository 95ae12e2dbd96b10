#pragma once

#include <cstdint>
#include <string>

namespace firstlight::peers {

/// QEMU's management protocol (docs/interop/qmp-spec): reaches the properties of a machine's devices.
class Qmp {
 public:
  /// @param path of QEMU's socket. Throws std::runtime_error, as does every call that QEMU refuses.
  explicit Qmp(const std::string& path);
  Qmp(const Qmp&) = delete;
  Qmp& operator=(const Qmp&) = delete;
  ~Qmp();

  /// @param device "/machine/peripheral/ID"
  void set(const std::string& device, const std::string& property, std::int64_t value);
  std::int64_t get(const std::string& device, const std::string& property);

 private:
  std::string ask(const std::string& command);
  std::string read_line();

  int socket_ = -1;
  std::string received_;
};

}  // namespace firstlight::peers
