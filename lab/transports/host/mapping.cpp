#include "lab/transports/host/mapping.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "lab/transports/file_descriptor.h"

namespace firstlight::host {

std::shared_ptr<Mapping> Mapping::of_file(const std::filesystem::path& file, std::uint64_t file_offset,
                                          std::size_t size) {
  // O_SYNC: uncached where the kernel leaves the choice.
  const FileDescriptor descriptor(::open(file.c_str(), O_RDWR | O_SYNC | O_CLOEXEC));
  if (!descriptor) return nullptr;
  void* const memory =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.get(), static_cast<off_t>(file_offset));
  return memory == MAP_FAILED ? nullptr : std::make_shared<Mapping>(memory, size);
}

Mapping::~Mapping() { ::munmap(memory_, size_); }

}  // namespace firstlight::host
