#include "plugins/sigrok/device.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <stdexcept>

namespace sigrok_plugin {

namespace {

void check(int result, const std::string& what) {
  if (result != SR_OK) throw std::runtime_error(fmt::format("{}: {}", what, sr_strerror(result)));
}

struct VariantEnd {
  void operator()(GVariant* variant) const { g_variant_unref(variant); }
};
using Variant = std::unique_ptr<GVariant, VariantEnd>;

struct SessionEnd {
  void operator()(sr_session* session) const { sr_session_destroy(session); }
};

const char* unit_name(int unit) {
  switch (unit) {
    case SR_UNIT_VOLT:
      return "V";
    case SR_UNIT_AMPERE:
      return "A";
    case SR_UNIT_OHM:
      return "Ohm";
    case SR_UNIT_CELSIUS:
      return "degC";
    case SR_UNIT_HERTZ:
      return "Hz";
    case SR_UNIT_WATT:
      return "W";
    case SR_UNIT_SECOND:
      return "s";
    default:
      return "";
  }
}

/// The last value of a channel in a stream of packets, and its unit.
struct Sample {
  std::string channel;
  std::optional<double> value;
  int unit = SR_UNIT_UNITLESS;
};

void on_packet(const sr_dev_inst*, const sr_datafeed_packet* packet, void* data) {
  auto& sample = *static_cast<Sample*>(data);
  if (packet->type != SR_DF_ANALOG) return;
  const auto* analog = static_cast<const sr_datafeed_analog*>(packet->payload);
  const std::size_t channels = g_slist_length(analog->meaning->channels);
  std::size_t place = 0;
  for (const GSList* one = analog->meaning->channels; one != nullptr; one = one->next, ++place) {
    if (static_cast<const sr_channel*>(one->data)->name != sample.channel || analog->num_samples == 0) continue;
    std::vector<float> values(analog->num_samples * channels);
    if (sr_analog_to_float(analog, values.data()) != SR_OK) return;
    sample.value = values[(analog->num_samples - 1) * channels + place];
    sample.unit = analog->meaning->unit;
  }
}

std::pair<std::string, std::string> split_once(const std::string& text, char at) {
  const std::size_t place = text.find(at);
  if (place == std::string::npos) return {text, ""};
  return {text.substr(0, place), text.substr(place + 1)};
}

}  // namespace

/// What of a device's configuration is a reading, a setting or an output.
struct Device::Key {
  std::uint32_t key;
  const char* name;
  const char* unit;
};

template <class Visit>
void Device::each(Visit visit) const {
  static constexpr Key kKeys[] = {{SR_CONF_VOLTAGE, "voltage", "V"},
                                  {SR_CONF_CURRENT, "current", "A"},
                                  {SR_CONF_VOLTAGE_TARGET, "voltage_target", "V"},
                                  {SR_CONF_CURRENT_LIMIT, "current_limit", "A"},
                                  {SR_CONF_OUTPUT_FREQUENCY_TARGET, "frequency_target", "Hz"},
                                  {SR_CONF_ENABLED, "output", ""}};
  const auto look = [&](const sr_channel_group* group) {
    for (const Key& key : kKeys) {
      const int caps = sr_dev_config_capabilities_list(device_, const_cast<sr_channel_group*>(group), key.key);
      if (caps <= 0) continue;
      visit(group, key, static_cast<unsigned>(caps));
    }
  };
  look(nullptr);
  for (GSList* group = sr_dev_inst_channel_groups_get(device_); group != nullptr; group = group->next)
    look(static_cast<const sr_channel_group*>(group->data));
}

namespace {

std::string full_name(const sr_channel_group* group, const char* name) {
  return group == nullptr ? std::string(name) : fmt::format("{}_{}", group->name, name);
}

}  // namespace

Device::Device(const std::string& driver, int loglevel) {
  sr_log_loglevel_set(loglevel);
  sr_context* context = nullptr;
  check(sr_init(&context), "libsigrok does not start");
  context_.reset(context);
  const auto [name, options] = split_once(driver, ':');
  for (sr_dev_driver** one = sr_driver_list(context); *one != nullptr; ++one)
    if (name == (*one)->name) driver_ = *one;
  if (driver_ == nullptr)
    throw std::runtime_error(
        fmt::format("libsigrok has no driver \"{}\" (sigrok-cli --list-supported shows them)", name));
  check(sr_driver_init(context, driver_), "the driver does not start");
  GSList* how = nullptr;
  sr_config connection{};
  const auto [key, value] = split_once(options, '=');
  if (key == "conn") {
    connection.key = SR_CONF_CONN;
    connection.data = g_variant_ref_sink(g_variant_new_string(value.c_str()));
    how = g_slist_append(how, &connection);
  }
  GSList* found = sr_driver_scan(driver_, how);
  g_slist_free(how);
  if (connection.data != nullptr) g_variant_unref(connection.data);
  if (found == nullptr) throw std::runtime_error(fmt::format("the driver \"{}\" finds no device", name));
  device_ = static_cast<sr_dev_inst*>(found->data);
  g_slist_free(found);
  check(sr_dev_open(device_), "the device does not open");
}

Device::~Device() {
  if (device_ != nullptr) sr_dev_close(device_);
}

std::string Device::name() const {
  const auto text = [](const char* part) { return std::string(part == nullptr ? "" : part); };
  const std::string vendor = text(sr_dev_inst_vendor_get(device_));
  const std::string model = text(sr_dev_inst_model_get(device_));
  return vendor.empty() ? model : vendor + " " + model;
}

std::string Device::serial_number() const {
  const char* number = sr_dev_inst_sernum_get(device_);
  return number == nullptr ? "" : number;
}

sr_channel* Device::channel_of(const std::string& name) const {
  for (GSList* one = sr_dev_inst_channels_get(device_); one != nullptr; one = one->next) {
    auto* channel = static_cast<sr_channel*>(one->data);
    if (channel->type == SR_CHANNEL_ANALOG && name == channel->name) return channel;
  }
  return nullptr;
}

std::string Device::unit_of(sr_channel* channel) {
  if (units_.count(channel->name) == 0) acquire(channel->name);
  return units_[channel->name];
}

std::vector<Point> Device::readings() {
  std::vector<Point> points;
  for (GSList* one = sr_dev_inst_channels_get(device_); one != nullptr; one = one->next) {
    auto* channel = static_cast<sr_channel*>(one->data);
    if (channel->type == SR_CHANNEL_ANALOG) points.push_back({channel->name, unit_of(channel), {}, {}});
  }
  each([&](const sr_channel_group* group, const Key& key, unsigned caps) {
    const bool measured = key.key == SR_CONF_VOLTAGE || key.key == SR_CONF_CURRENT;
    if (measured && (caps & SR_CONF_GET) != 0) points.push_back({full_name(group, key.name), key.unit, {}, {}});
  });
  return points;
}

std::vector<Point> Device::settings() {
  std::vector<Point> points;
  each([&](const sr_channel_group* group, const Key& key, unsigned caps) {
    if (key.key == SR_CONF_ENABLED || (caps & SR_CONF_SET) == 0 || (caps & SR_CONF_LIST) == 0) return;
    GVariant* range = nullptr;
    if (sr_config_list(driver_, device_, group, key.key, &range) != SR_OK) return;
    const Variant owned(range);
    if (!g_variant_is_of_type(range, G_VARIANT_TYPE("ad")) || g_variant_n_children(range) < 2) return;
    const auto bound = [&](gsize at) {
      const Variant child(g_variant_get_child_value(range, at));
      return g_variant_get_double(child.get());
    };
    points.push_back({full_name(group, key.name), key.unit, bound(0), bound(1)});
  });
  return points;
}

std::vector<std::string> Device::outputs() {
  std::vector<std::string> names;
  each([&](const sr_channel_group* group, const Key& key, unsigned caps) {
    if (key.key == SR_CONF_ENABLED && (caps & SR_CONF_SET) != 0) names.push_back(full_name(group, key.name));
  });
  return names;
}

std::optional<Device::Found> Device::find(const std::string& name, bool settable) const {
  std::optional<Found> found;
  each([&](const sr_channel_group* group, const Key& key, unsigned caps) {
    const unsigned needed = settable ? SR_CONF_SET : SR_CONF_GET;
    if (full_name(group, key.name) == name && (caps & needed) != 0) found = Found{group, &key};
  });
  return found;
}

double Device::acquire(const std::string& channel) {
  sr_session* session = nullptr;
  check(sr_session_new(context_.get(), &session), "no session");
  const std::unique_ptr<sr_session, SessionEnd> owned(session);
  check(sr_session_dev_add(session, device_), "the device cannot be sampled");
  for (GSList* one = sr_dev_inst_channels_get(device_); one != nullptr; one = one->next) {
    auto* other = static_cast<sr_channel*>(one->data);
    sr_dev_channel_enable(other, static_cast<gboolean>(channel == other->name));
  }
  // Once is enough; devices that cannot be told so are stopped by their own end.
  sr_config_set(device_, nullptr, SR_CONF_LIMIT_SAMPLES, g_variant_new_uint64(16));
  Sample sample;
  sample.channel = channel;
  check(sr_session_datafeed_callback_add(session, on_packet, &sample), "no data");
  check(sr_session_start(session), "the acquisition does not start");
  check(sr_session_run(session), "the acquisition fails");
  if (!sample.value) throw std::runtime_error(fmt::format("the device gives no sample of {}", channel));
  units_[channel] = unit_name(sample.unit);
  return *sample.value;
}

double Device::read(const std::string& reading) {
  if (channel_of(reading) != nullptr) return acquire(reading);
  return get(reading);
}

double Device::get(const std::string& setting) {
  const auto found = find(setting, false);
  if (!found) throw std::runtime_error(fmt::format("the device has no \"{}\"", setting));
  GVariant* value = nullptr;
  check(sr_config_get(driver_, device_, found->group, found->key->key, &value), setting);
  const Variant owned(value);
  if (!g_variant_is_of_type(value, G_VARIANT_TYPE_DOUBLE))
    throw std::runtime_error(fmt::format("\"{}\" of the device is no number", setting));
  return g_variant_get_double(value);
}

void Device::set(const std::string& setting, double value) {
  const auto found = find(setting, true);
  if (!found) throw std::runtime_error(fmt::format("the device has no setting \"{}\"", setting));
  check(sr_config_set(device_, found->group, found->key->key, g_variant_new_double(value)), setting);
}

bool Device::output(const std::string& name) {
  const auto found = find(name, false);
  if (!found) throw std::runtime_error(fmt::format("the device does not tell of \"{}\"", name));
  GVariant* value = nullptr;
  check(sr_config_get(driver_, device_, found->group, found->key->key, &value), name);
  const Variant owned(value);
  return g_variant_get_boolean(value) != 0;
}

void Device::switch_output(const std::string& name, bool on) {
  const auto found = find(name, true);
  if (!found) throw std::runtime_error(fmt::format("the device has no output \"{}\"", name));
  check(sr_config_set(device_, found->group, found->key->key, g_variant_new_boolean(static_cast<gboolean>(on))), name);
}

}  // namespace sigrok_plugin
