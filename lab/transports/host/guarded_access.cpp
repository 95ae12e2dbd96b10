#include "lab/transports/host/guarded_access.h"

#include <endian.h>
#include <setjmp.h>
#include <signal.h>

#include <mutex>

namespace firstlight::host {

namespace {

// A signal handler has no argument of ours: what it needs has to be here.
thread_local sigjmp_buf* volatile landing = nullptr;
struct sigaction others_handler {};

void on_bus_error(int number, siginfo_t* info, void* context) {
  sigjmp_buf* const ours = landing;
  if (ours != nullptr) {
    landing = nullptr;
    siglongjmp(*ours, 1);  // NOLINT(cert-err52-cpp): a fault has no other way back, and no destructor lies between
  }
  if ((others_handler.sa_flags & SA_SIGINFO) != 0) return others_handler.sa_sigaction(number, info, context);
  if (others_handler.sa_handler != SIG_DFL && others_handler.sa_handler != SIG_IGN)
    return others_handler.sa_handler(number);
  // The access is tried again and ends the program, as it would have without us.
  ::signal(SIGBUS, SIG_DFL);
}

void install_handler() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction handler {};
    handler.sa_sigaction = on_bus_error;
    // Not deferred: it is left by a jump that restores no signal mask, which saves a system call in each access.
    handler.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    ::sigemptyset(&handler.sa_mask);
    ::sigaction(SIGBUS, &handler, &others_handler);
  });
}

}  // namespace

std::optional<std::uint32_t> guarded_load(const volatile std::uint32_t* address) {
  install_handler();
  sigjmp_buf here;
  if (sigsetjmp(here, 0) != 0) return std::nullopt;  // NOLINT(cert-err52-cpp): see the handler
  landing = &here;
  const std::uint32_t value = *address;
  landing = nullptr;
  return le32toh(value);
}

bool guarded_store(volatile std::uint32_t* address, std::uint32_t value) {
  install_handler();
  sigjmp_buf here;
  if (sigsetjmp(here, 0) != 0) return false;  // NOLINT(cert-err52-cpp): see the handler
  landing = &here;
  *address = htole32(value);
  landing = nullptr;
  return true;
}

}  // namespace firstlight::host
