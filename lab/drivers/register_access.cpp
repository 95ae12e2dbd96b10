#include "lab/drivers/register_access.h"

#include <fmt/format.h>

#include <utility>

namespace firstlight {

RegisterAccess::RegisterAccess(std::string name, std::shared_ptr<RegisterBus> bus, const RegisterMap& map,
                               std::string probe, Duration timeout, BenchTime& time)
    : name_(std::move(name)),
      bus_(std::move(bus)),
      map_(map),
      probe_(std::move(probe)),
      timeout_(timeout),
      time_(time),
      turns_(time) {}

RegisterRef RegisterAccess::find(const std::string& name) const {
  RegisterLookup lookup = map_.find(name);
  if (lookup) return *lookup.found;
  throw FailureError({ErrorClass::bench,
                      "no_such_register",
                      lookup.error,
                      name_,
                      name,
                      {},
                      fmt::format("the register map of {} has no such name", map_.chip())});
}

void RegisterAccess::explain(Failure& failure) {
  if (!explainer_ || explaining_) return;
  explaining_ = true;
  try {
    explainer_(failure, [this](const std::string& name) { return bus_read(find(name).address); });
  } catch (const FailureError&) {
    // The chip cannot even say why; the failure stands as it is.
  } catch (...) {
    explaining_ = false;
    throw;
  }
  explaining_ = false;
}

void RegisterAccess::fail(const BusResult& result, std::uint32_t address, const std::string& sent, bool is_write) {
  const std::string what =
      fmt::format("{} of {} (0x{:06x})", is_write ? "a write" : "a read", map_.name_of(address), address);
  Failure failure{ErrorClass::infrastructure, "register_io", {}, name_, sent, result.detail, {}};
  switch (result.status) {
    case BusStatus::slave_error:
      failure.error_class = ErrorClass::dut;
      failure.symptom = "register_slave_error";
      failure.message = fmt::format("{} answered {} with SLVERR", name_, what);
      failure.likely_cause =
          "the block has no clock or is in reset (the host port gave up waiting), the register is read-only, or "
          "nothing sits at the address";
      break;
    case BusStatus::decode_error:
      failure.error_class = ErrorClass::dut;
      failure.symptom = "register_decode_error";
      failure.message = fmt::format("{} answered {} with DECERR", name_, what);
      failure.likely_cause =
          "no block sits at the address: another revision of the chip than the register map speaks of";
      break;
    case BusStatus::timeout:
      failure.symptom = "register_timeout";
      failure.message =
          fmt::format("{} did not answer {} within {}", name_, what, firstlight::to_text(to_quantity(timeout_)));
      failure.likely_cause = "the chip has no power or no reference clock, or is held in reset";
      break;
    case BusStatus::io_error:
    case BusStatus::ok:
      failure.message = fmt::format("{} failed on {}", what, bus_->name());
      failure.likely_cause = "the adapter or its driver";
      break;
  }
  if (failure.received.empty()) failure.received = "nothing";
  if (failure.error_class == ErrorClass::dut) explain(failure);
  throw FailureError(std::move(failure));
}

std::uint32_t RegisterAccess::bus_read(std::uint32_t address) {
  const BusResult result = bus_->read(address, time_.now() + timeout_);
  if (result.status != BusStatus::ok) fail(result, address, fmt::format("R 0x{:06x}", address), false);
  return result.data;
}

void RegisterAccess::bus_write(std::uint32_t address, std::uint32_t value) {
  const BusResult result = bus_->write(address, value, time_.now() + timeout_);
  if (result.status != BusStatus::ok) fail(result, address, fmt::format("W 0x{:06x} = 0x{:08x}", address, value), true);
}

void RegisterAccess::check_all_ones(std::uint32_t address) {
  if (probe_.empty()) return;
  const RegisterRef probe = find(probe_);
  if (probe.address == address || probe.reg == nullptr) return;
  const std::uint32_t expected = probe.reg->reset();
  const std::uint32_t found = bus_read(probe.address);
  if (found == expected) return;
  throw FailureError({ErrorClass::infrastructure, "register_bus_dead",
                      fmt::format("{} reads all ones at {}, and {} reads 0x{:08x} instead of 0x{:08x}", name_,
                                  map_.name_of(address), probe_, found, expected),
                      name_, fmt::format("R 0x{:06x}; R 0x{:06x}", address, probe.address),
                      fmt::format("ffffffff; {:08x}", found),
                      "nobody drives the bus: the chip is gone, unpowered or in reset"});
}

std::uint32_t RegisterAccess::read_at(std::uint32_t address) {
  const Turns::Hold hold(turns_);
  const std::uint32_t value = bus_read(address);
  if (value == 0xffffffffU) check_all_ones(address);
  return value;
}

void RegisterAccess::write_at(std::uint32_t address, std::uint32_t value) {
  const Turns::Hold hold(turns_);
  bus_write(address, value);
}

std::uint32_t RegisterAccess::read(const std::string& name) {
  const RegisterRef ref = find(name);
  const std::uint32_t value = read_at(ref.address);
  return ref.field == nullptr ? value : ref.field->extract(value);
}

void RegisterAccess::write(const std::string& name, std::uint32_t value) {
  const RegisterRef ref = find(name);
  if (ref.field == nullptr) return write_at(ref.address, value);
  if (!is_writable(ref.field->access) || (value & ~ref.field->value_mask()) != 0)
    throw FailureError({ErrorClass::bench,
                        "register_bad_write",
                        is_writable(ref.field->access)
                            ? fmt::format("0x{:x} does not fit the {} bits of {}", value, ref.field->width, name)
                            : fmt::format("{} is read-only", name),
                        name_,
                        fmt::format("{} = 0x{:x}", name, value),
                        {},
                        "nothing was written"});
  const Turns::Hold hold(turns_);
  // A pulse or a sticky bit beside the field would act when its read value were written back.
  std::uint32_t kept = 0;
  bool needs_read = false;
  for (const FieldInfo& other : ref.reg->fields) {
    if (other.name == ref.field->name) continue;
    if (other.access != Access::ReadWrite && other.access != Access::ReadWriteHardware) continue;
    kept |= other.register_mask();
    needs_read = true;
  }
  const std::uint32_t old = needs_read ? bus_read(ref.address) & kept : 0;
  bus_write(ref.address, ref.field->insert(old, value));
}

std::int64_t RegisterAccess::read_number(const std::string& name) {
  const RegisterRef ref = find(name);
  const std::uint32_t raw = read(name);
  return ref.field == nullptr ? std::int64_t{raw} : ref.field->number(raw);
}

void RegisterAccess::write_number(const std::string& name, std::int64_t value) {
  const RegisterRef ref = find(name);
  const auto raw = ref.field != nullptr ? ref.field->raw(value)
                   : value >= 0 && value <= 0xffffffffLL
                       ? std::optional<std::uint32_t>(static_cast<std::uint32_t>(value))
                       : std::nullopt;
  if (raw) return write(name, *raw);
  throw FailureError({ErrorClass::bench,
                      "register_bad_write",
                      fmt::format("{} does not fit {}", value, name),
                      name_,
                      fmt::format("{} = {}", name, value),
                      {},
                      "nothing was written"});
}

}  // namespace firstlight
