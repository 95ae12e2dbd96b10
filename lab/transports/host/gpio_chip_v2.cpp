#if FIRSTLIGHT_HAS_GPIOD
#include <gpiod.h>
#endif
// A macro that only version 1 has.
#if FIRSTLIGHT_HAS_GPIOD && !defined(GPIOD_BIT)

#include <fmt/format.h>

#include <cerrno>
#include <map>
#include <utility>

#include "lab/transports/host/gpio_chip.h"
#include "lab/transports/host/sysfs.h"

namespace firstlight::host {

namespace {

template <class Object>
using Owned = std::unique_ptr<Object, void (*)(Object*)>;

class ChipV2 final : public GpioChip {
 public:
  explicit ChipV2(gpiod_chip* chip) : chip_(chip, gpiod_chip_close) {}

  std::string label() const override {
    const Owned<gpiod_chip_info> info(gpiod_chip_get_info(chip_.get()), gpiod_chip_info_free);
    return info ? gpiod_chip_info_get_label(info.get()) : "";
  }

  std::vector<std::string> line_names() const override {
    const Owned<gpiod_chip_info> info(gpiod_chip_get_info(chip_.get()), gpiod_chip_info_free);
    std::vector<std::string> names(info ? gpiod_chip_info_get_num_lines(info.get()) : 0);
    for (unsigned offset = 0; offset < names.size(); ++offset) {
      const Owned<gpiod_line_info> line = line_info(offset);
      const char* const name = line ? gpiod_line_info_get_name(line.get()) : nullptr;
      if (name != nullptr) names[offset] = name;
    }
    return names;
  }

  std::optional<bool> get(unsigned offset, std::string& why) override {
    if (requests_.count(offset) == 0 && !configure(offset, GPIOD_LINE_DIRECTION_AS_IS, false, why)) return std::nullopt;
    const gpiod_line_value value = gpiod_line_request_get_value(requests_.at(offset).get(), offset);
    if (value == GPIOD_LINE_VALUE_ERROR) return fail(offset, why), std::nullopt;
    return value == GPIOD_LINE_VALUE_ACTIVE;
  }

  // The level comes with the direction, so that the line never drives another one in between.
  bool set(unsigned offset, bool level, std::string& why) override {
    return configure(offset, GPIOD_LINE_DIRECTION_OUTPUT, level, why);
  }

 private:
  Owned<gpiod_line_info> line_info(unsigned offset) const {
    return {gpiod_chip_get_line_info(chip_.get(), offset), gpiod_line_info_free};
  }

  /// Requests the line, or changes it where it is requested already.
  bool configure(unsigned offset, gpiod_line_direction direction, bool level, std::string& why) {
    const Owned<gpiod_line_settings> settings(gpiod_line_settings_new(), gpiod_line_settings_free);
    const Owned<gpiod_line_config> lines(gpiod_line_config_new(), gpiod_line_config_free);
    const Owned<gpiod_request_config> request(gpiod_request_config_new(), gpiod_request_config_free);
    if (!settings || !lines || !request) return fail(offset, why), false;
    gpiod_line_settings_set_direction(settings.get(), direction);
    gpiod_line_settings_set_output_value(settings.get(), level ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
    gpiod_request_config_set_consumer(request.get(), "firstlight");
    if (gpiod_line_config_add_line_settings(lines.get(), &offset, 1, settings.get()) != 0)
      return fail(offset, why), false;
    const auto held = requests_.find(offset);
    if (held != requests_.end()) {
      if (gpiod_line_request_reconfigure_lines(held->second.get(), lines.get()) == 0) return true;
      return fail(offset, why), false;
    }
    Owned<gpiod_line_request> made(gpiod_chip_request_lines(chip_.get(), request.get(), lines.get()),
                                   gpiod_line_request_release);
    if (!made) return fail(offset, why), false;
    requests_.emplace(offset, std::move(made));
    return true;
  }

  void fail(unsigned offset, std::string& why) const {
    const int error = errno;
    const Owned<gpiod_line_info> line = line_info(offset);
    const char* const consumer = line ? gpiod_line_info_get_consumer(line.get()) : nullptr;
    why = error == EBUSY && consumer != nullptr ? fmt::format("it is held by \"{}\"", consumer) : error_text(error);
  }

  Owned<gpiod_chip> chip_;
  std::map<unsigned, Owned<gpiod_line_request>> requests_;  // by offset
};

}  // namespace

std::unique_ptr<GpioChip> GpioChip::open(const std::filesystem::path& device, std::string& why) {
  gpiod_chip* const chip = gpiod_chip_open(device.c_str());
  if (chip != nullptr) return std::make_unique<ChipV2>(chip);
  why = error_text(errno);
  return nullptr;
}

}  // namespace firstlight::host

#endif
