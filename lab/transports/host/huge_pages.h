#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/bench/plan.h"
#include "lab/transports/dma_memory.h"
#include "lab/transports/host/sysfs.h"

namespace firstlight::host {

/// Finds `count` pages whose physical addresses follow each other.
/// @param addresses physical address of each page, in any order  @param limit pages must end at or below it
/// @return indices into `addresses`, by ascending address; empty when there is no such run
std::vector<std::size_t> contiguous_run(const std::vector<std::uint64_t>& addresses, std::uint64_t page_size,
                                        std::size_t count, std::uint64_t limit);

/// Cleared, locked, physically contiguous memory in huge pages; its bus addresses are physical addresses, so no IOMMU
/// may translate for the device that reaches it. Needs free huge pages and CAP_SYS_ADMIN. Throws FailureError that says
/// what is missing.
/// @param rest the size: "2 MiB"
std::unique_ptr<DmaMemory> open_huge_pages(const ResourcePlan& resource, const std::string& rest, const Root& root);

/// One beyond the highest bus address that the chip reaches, by the resource's `address_bits`.
std::uint64_t address_limit(const ResourcePlan& resource);

/// Size of an address as "16 MiB", or nothing when it is no size in whole bytes above 0.
std::optional<std::uint64_t> parse_size(const std::string& text);

}  // namespace firstlight::host
