#if FIRSTLIGHT_HAS_GPIOD
#include <gpiod.h>
#endif
// A macro that version 2 has no more.
#ifdef GPIOD_BIT

#include <fmt/format.h>

#include <cerrno>
#include <utility>

#include "lab/transports/host/gpio_chip.h"
#include "lab/transports/host/sysfs.h"

namespace firstlight::host {

namespace {

constexpr const char* kConsumer = "firstlight";

class ChipV1 final : public GpioChip {
 public:
  explicit ChipV1(gpiod_chip* chip) : chip_(chip, gpiod_chip_close) {}

  std::string label() const override { return gpiod_chip_label(chip_.get()); }

  std::vector<std::string> line_names() const override {
    std::vector<std::string> names;
    for (unsigned offset = 0; offset < gpiod_chip_num_lines(chip_.get()); ++offset) {
      gpiod_line* const line = gpiod_chip_get_line(chip_.get(), offset);
      const char* const name = line == nullptr ? nullptr : gpiod_line_name(line);
      names.emplace_back(name == nullptr ? "" : name);
    }
    return names;
  }

  std::optional<bool> get(unsigned offset, std::string& why) override {
    gpiod_line* const line = find(offset, why);
    if (line == nullptr) return std::nullopt;
    if (!gpiod_line_is_requested(line)) {
      gpiod_line_request_config as_it_is{};
      as_it_is.consumer = kConsumer;
      as_it_is.request_type = GPIOD_LINE_REQUEST_DIRECTION_AS_IS;
      if (gpiod_line_request(line, &as_it_is, 0) != 0) return fail(line, why), std::nullopt;
    }
    const int value = gpiod_line_get_value(line);
    if (value < 0) return fail(line, why), std::nullopt;
    return value != 0;
  }

  bool set(unsigned offset, bool level, std::string& why) override {
    gpiod_line* const line = find(offset, why);
    if (line == nullptr) return false;
    const int value = level ? 1 : 0;
    // The level comes with the direction, so that the line never drives another one in between.
    const int result = gpiod_line_is_requested(line) ? gpiod_line_set_direction_output(line, value)
                                                     : gpiod_line_request_output(line, kConsumer, value);
    if (result != 0) fail(line, why);
    return result == 0;
  }

 private:
  gpiod_line* find(unsigned offset, std::string& why) const {
    gpiod_line* const line = gpiod_chip_get_line(chip_.get(), offset);
    if (line == nullptr) why = error_text(errno);
    return line;
  }

  static void fail(gpiod_line* line, std::string& why) {
    const int error = errno;
    const char* const consumer = gpiod_line_consumer(line);
    why = error == EBUSY && consumer != nullptr ? fmt::format("it is held by \"{}\"", consumer) : error_text(error);
  }

  std::unique_ptr<gpiod_chip, void (*)(gpiod_chip*)> chip_;
};

}  // namespace

std::unique_ptr<GpioChip> GpioChip::open(const std::filesystem::path& device, std::string& why) {
  gpiod_chip* const chip = gpiod_chip_open(device.c_str());
  if (chip != nullptr) return std::make_unique<ChipV1>(chip);
  why = error_text(errno);
  return nullptr;
}

}  // namespace firstlight::host

#endif
