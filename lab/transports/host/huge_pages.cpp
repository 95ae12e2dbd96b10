#include "lab/transports/host/huge_pages.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "lab/transports/file_descriptor.h"
#include "lab/transports/host/mapped_memory.h"
#include "lab/transports/host/pci_device.h"
#include "lab/transports/host/refusal.h"

namespace firstlight::host {

namespace {

namespace fs = std::filesystem;

// Huge pages that were set aside at boot lie together mostly; some more give a choice where they do not.
constexpr std::size_t kSpare = 4;

struct PageSize {
  std::uint64_t bytes = 0;
  std::uint64_t free = 0;
  fs::path folder;
};

std::vector<PageSize> page_sizes(const fs::path& sys) {
  const fs::path folder = sys / "kernel/mm/hugepages";
  std::vector<PageSize> sizes;
  for (const std::string& name : names_in(folder)) {
    PageSize size;
    size.bytes = std::strtoull(name.c_str() + std::strlen("hugepages-"), nullptr, 10) * 1024;
    size.free = read_number(folder / name / "free_hugepages").value_or(0);
    size.folder = folder / name;
    if (size.bytes != 0) sizes.push_back(std::move(size));
  }
  std::sort(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  return sizes;
}

/// Physical address of the page at `memory` (Documentation/admin-guide/mm/pagemap.rst). Nothing when it is not told.
std::optional<std::uint64_t> physical_address(const FileDescriptor& pagemap, const std::uint8_t* memory) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::uint64_t entry = 0;
  const auto offset = reinterpret_cast<std::uintptr_t>(memory) / page * sizeof entry;
  if (::pread(pagemap.get(), &entry, sizeof entry, static_cast<off_t>(offset)) != ssize_t{sizeof entry})
    return std::nullopt;
  const bool present = (entry >> 63U) != 0;
  const std::uint64_t frame = entry & ((std::uint64_t{1} << 55U) - 1);
  if (!present || frame == 0) return std::nullopt;  // without CAP_SYS_ADMIN every frame is 0
  return frame * page;
}

/// A file of huge pages in memory: its pages can be mapped in another order than the kernel gave them out in.
struct HugeFile {
  FileDescriptor file;
  std::uint64_t page = 0;
  std::size_t pages = 0;
  std::shared_ptr<Mapping> mapping;  // all of it, null when the kernel has not so many
};

HugeFile take_pages(std::uint64_t page, std::size_t pages) {
  const auto log2 = static_cast<unsigned>(std::llround(std::log2(static_cast<double>(page))));
  HugeFile huge{FileDescriptor(::memfd_create("firstlight-dma", MFD_CLOEXEC | MFD_HUGETLB | (log2 << MFD_HUGE_SHIFT))),
                page, pages, nullptr};
  if (!huge.file || ::ftruncate(huge.file.get(), static_cast<off_t>(page * pages)) != 0) return huge;
  // Pages are reserved here, or the call fails: touching them later cannot.
  void* const memory =
      ::mmap(nullptr, page * pages, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, huge.file.get(), 0);
  if (memory != MAP_FAILED) huge.mapping = std::make_shared<Mapping>(memory, page * pages);
  return huge;
}

/// Addresses of this process that nothing else will get. Null when there are none.
std::shared_ptr<Mapping> reserve_addresses(std::size_t size, std::uint64_t alignment) {
  const std::size_t room = size + alignment;
  void* const memory = ::mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* const first = static_cast<std::uint8_t*>(memory);
  const std::size_t before = (alignment - reinterpret_cast<std::uintptr_t>(first) % alignment) % alignment;
  if (before != 0) ::munmap(first, before);
  ::munmap(first + before + size, alignment - before);
  return std::make_shared<Mapping>(first + before, size);
}

/// Pages of these indices, in this order, locked; the others go back to the kernel.
std::shared_ptr<Mapping> arrange(const HugeFile& huge, const std::vector<std::size_t>& indices) {
  auto memory = reserve_addresses(indices.size() * huge.page, huge.page);
  if (!memory) return nullptr;
  for (std::size_t i = 0; i < indices.size(); ++i)
    if (::mmap(memory->bytes() + i * huge.page, huge.page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
               huge.file.get(), static_cast<off_t>(indices[i] * huge.page)) == MAP_FAILED)
      return nullptr;
  for (std::size_t i = 0; i < huge.pages; ++i)
    if (std::find(indices.begin(), indices.end(), i) == indices.end())
      ::fallocate(huge.file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(i * huge.page),
                  static_cast<off_t>(huge.page));
  return ::mlock(memory->bytes(), memory->size()) == 0 ? memory : nullptr;
}

struct Found {
  std::shared_ptr<Mapping> memory;
  std::uint64_t base = 0;
  std::string lacking;  // why there is no memory
};

Found try_page_size(const PageSize& size, std::uint64_t bytes, std::uint64_t limit, const fs::path& proc) {
  const std::size_t count = (bytes + size.bytes - 1) / size.bytes;
  const std::string pages = fmt::format("{} pages of {} KiB", count, size.bytes / 1024);
  if (size.free < count)
    return {nullptr, 0,
            fmt::format("{} are needed and {} are free (`echo {} > {}/nr_hugepages` sets them aside)", pages, size.free,
                        count, size.folder.string())};
  const HugeFile huge = take_pages(size.bytes, std::min<std::size_t>(size.free, count * kSpare));
  if (!huge.mapping) return {nullptr, 0, fmt::format("{} were refused: {}", pages, error_text(errno))};
  const FileDescriptor pagemap(::open((proc / "self/pagemap").c_str(), O_RDONLY | O_CLOEXEC));
  std::vector<std::uint64_t> addresses;
  for (std::size_t i = 0; i < huge.pages; ++i) {
    const auto address = physical_address(pagemap, huge.mapping->bytes() + i * size.bytes);
    if (!address) return {nullptr, 0, "their physical addresses are told to CAP_SYS_ADMIN (root) only"};
    addresses.push_back(*address);
  }
  const std::vector<std::size_t> run = contiguous_run(addresses, size.bytes, count, limit);
  if (run.empty())
    return {nullptr, 0,
            fmt::format("of {} pages of that size no {} follow each other below 0x{:x}: set them aside at boot "
                        "(hugepages= on the kernel's command line), or use vfio:",
                        huge.pages, count, limit)};
  auto memory = arrange(huge, run);
  if (!memory) return {nullptr, 0, fmt::format("{} cannot be locked: {}", pages, error_text(errno))};
  return {std::move(memory), addresses[run.front()], {}};
}

/// Physical addresses reach memory only where no IOMMU translates for the device.
void check_not_translated(const ResourcePlan& resource, const fs::path& sys) {
  const auto named = resource.params.find("device");
  if (named == resource.params.end() || !named->second.is_set()) return;
  const PciDevice device = PciDevice::find(named->second.text(), resource.name, sys);
  const auto type = read_text(device.folder() / "iommu_group/type");
  if (!type || *type == "identity") return;
  refuse(
      ErrorClass::infrastructure, "iommu_translates",
      fmt::format("the IOMMU translates what PCI device {} addresses (domain of type {}): it cannot reach huge pages "
                  "by their physical addresses",
                  device.address(), *type),
      resource.name, "use vfio:, or boot with iommu=pt");
}

}  // namespace

std::vector<std::size_t> contiguous_run(const std::vector<std::uint64_t>& addresses, std::uint64_t page_size,
                                        std::size_t count, std::uint64_t limit) {
  std::vector<std::size_t> order(addresses.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return addresses[a] < addresses[b]; });
  std::vector<std::size_t> run;
  for (const std::size_t index : order) {
    if (run.size() == count) break;
    if (limit < page_size || addresses[index] > limit - page_size) break;
    if (!run.empty() && addresses[run.back()] + page_size != addresses[index]) run.clear();
    run.push_back(index);
  }
  return run.size() == count ? run : std::vector<std::size_t>();
}

std::optional<std::uint64_t> parse_size(const std::string& text) {
  const auto size = parse_quantity(text, Dimension::data);
  constexpr double kMost = 1024.0 * 1024 * 1024 * 1024;
  if (!size || size->value < 1 || size->value > kMost || std::floor(size->value) != size->value) return std::nullopt;
  return static_cast<std::uint64_t>(size->value);
}

std::unique_ptr<DmaMemory> open_huge_pages(const ResourcePlan& resource, const std::string& rest, const Root& root) {
  const auto bytes = parse_size(rest);
  if (!bytes)
    refuse(ErrorClass::bench, "bad_address", fmt::format("resource \"{}\": \"{}\" is no size", resource.name, rest),
           resource.name, "write hugepages:16 MiB");
  check_not_translated(resource, root.sys);
  std::vector<std::string> lacking;
  for (const PageSize& size : page_sizes(root.sys)) {
    Found found = try_page_size(size, *bytes, address_limit(resource), root.proc);
    if (found.memory)
      return std::make_unique<MappedMemory>(fmt::format("hugepages:{}", rest), std::move(found.memory), found.base,
                                            *bytes);
    lacking.push_back(std::move(found.lacking));
  }
  refuse(ErrorClass::infrastructure, "no_huge_pages",
         fmt::format("resource \"{}\": {} of huge pages cannot be had", resource.name, rest), resource.name,
         lacking.empty() ? "this kernel has no huge pages" : fmt::format("{}", fmt::join(lacking, "; ")));
}

std::uint64_t address_limit(const ResourcePlan& resource) {
  const auto bits = resource.params.find("address_bits");
  const bool given = bits != resource.params.end() && bits->second.is_set();
  const std::int64_t count = given ? bits->second.integer() : 64;
  return count >= 64 ? ~std::uint64_t{0} : std::uint64_t{1} << static_cast<unsigned>(count);
}

}  // namespace firstlight::host
