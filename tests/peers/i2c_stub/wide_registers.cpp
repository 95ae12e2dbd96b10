// Preloaded into user-mode Linux. Its kernel (6.1) keeps 2696 bytes of extended processor state, and hands as many back
// to the host, which takes all or nothing: on a processor with larger registers (AMX) no process of the guest would
// ever start. What it does not know is filled in here from what the process has.
#include <dlfcn.h>
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

namespace {

using Ptrace = long (*)(enum __ptrace_request, ...);

Ptrace real_ptrace() {
  static const auto function = reinterpret_cast<Ptrace>(::dlsym(RTLD_NEXT, "ptrace"));
  return function;
}

long set_all(pid_t process, void* set, const iovec& part) {
  static std::array<std::byte, 65536> all;
  iovec whole{all.data(), all.size()};
  if (real_ptrace()(PTRACE_GETREGSET, process, set, &whole) < 0 || whole.iov_len <= part.iov_len) return -1;
  const auto* bytes = static_cast<const std::byte*>(part.iov_base);
  std::copy(bytes, bytes + part.iov_len, all.begin());
  return real_ptrace()(PTRACE_SETREGSET, process, set, &whole);
}

}  // namespace

extern "C" long ptrace(enum __ptrace_request request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  const auto process = va_arg(arguments, pid_t);
  auto* const address = va_arg(arguments, void*);
  auto* const data = va_arg(arguments, void*);
  va_end(arguments);
  const long result = real_ptrace()(request, process, address, data);
  const bool extended = request == PTRACE_SETREGSET && reinterpret_cast<std::uintptr_t>(address) == NT_X86_XSTATE;
  if (result >= 0 || !extended) return result;
  return set_all(process, address, *static_cast<const iovec*>(data));
}
