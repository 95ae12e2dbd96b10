#include <utility>

#include "tb/bench/model_transports.h"

namespace tb {
namespace {

using firstlight::BusResult;
using firstlight::BusStatus;
using firstlight::Instant;

BusResult timed_out() {
  BusResult out;
  out.status = BusStatus::timeout;
  out.detail = "no answer before the deadline";
  return out;
}

class HostPortBus : public firstlight::RegisterBus {
 public:
  HostPortBus(std::string name, TernChip& chip, firstlight::BenchTime& time, WordFault fault)
      : name_(std::move(name)), chip_(chip), time_(time), fault_(fault) {}

  BusResult read(std::uint64_t address, Instant deadline) override { return access(false, address, 0, deadline); }
  BusResult write(std::uint64_t address, std::uint32_t value, Instant deadline) override {
    if (fault_.active && address == fault_.address) value |= fault_.set_bits;
    return access(true, address, value, deadline);
  }
  std::string name() const override { return name_; }

 private:
  struct Cancel {
    HostPort& port;
    std::uint64_t id;
    ~Cancel() { port.cancel(id); }
  };

  BusResult access(bool write, std::uint64_t address, std::uint32_t value, Instant deadline) {
    const auto done = std::shared_ptr<firstlight::Event>(time_.make_event());
    const auto answer = std::make_shared<HostPort::Access>();
    const std::uint64_t id = chip_.host().request(write, static_cast<std::uint32_t>(address), value,
                                                  [done, answer](const HostPort::Access& access) {
                                                    *answer = access;
                                                    done->fire();
                                                  });
    const Cancel cancel{chip_.host(), id};
    if (!time_.wait(*done, deadline)) return timed_out();
    BusResult out;
    out.data = answer->data;
    if (answer->outcome == HostPort::Outcome::slave_error) out = {BusStatus::slave_error, answer->data, "SLVERR"};
    if (answer->outcome == HostPort::Outcome::decode_error) out = {BusStatus::decode_error, answer->data, "DECERR"};
    return out;
  }

  std::string name_;
  TernChip& chip_;
  firstlight::BenchTime& time_;
  WordFault fault_;
};

class PartnerBus : public firstlight::RegisterBus {
 public:
  PartnerBus(std::string name, LinkPartner& partner, firstlight::BenchTime& time)
      : name_(std::move(name)), partner_(partner), time_(time) {}

  BusResult read(std::uint64_t address, Instant deadline) override { return access(false, address, 0, deadline); }
  BusResult write(std::uint64_t address, std::uint32_t value, Instant deadline) override {
    return access(true, address, value, deadline);
  }
  std::string name() const override { return name_; }

 private:
  struct Cancel {
    LinkPartner& partner;
    std::uint64_t id;
    ~Cancel() { partner.cancel(id); }
  };

  BusResult access(bool write, std::uint64_t address, std::uint32_t value, Instant deadline) {
    const auto done = std::shared_ptr<firstlight::Event>(time_.make_event());
    const auto answer = std::make_shared<LinkPartner::Answer>();
    const std::uint64_t id =
        partner_.request(write, static_cast<std::uint32_t>(address), value, [done, answer](LinkPartner::Answer got) {
          *answer = got;
          done->fire();
        });
    const Cancel cancel{partner_, id};
    if (!time_.wait(*done, deadline)) return timed_out();
    BusResult out;
    out.data = answer->data;
    if (answer->error) out = {BusStatus::slave_error, answer->data, "SLVERR"};
    return out;
  }

  std::string name_;
  LinkPartner& partner_;
  firstlight::BenchTime& time_;
};

}  // namespace

std::unique_ptr<firstlight::RegisterBus> model_host_port(std::string name, TernChip& chip, firstlight::BenchTime& time,
                                                         WordFault fault) {
  return std::make_unique<HostPortBus>(std::move(name), chip, time, fault);
}

std::unique_ptr<firstlight::RegisterBus> model_partner_port(std::string name, LinkPartner& partner,
                                                            firstlight::BenchTime& time) {
  return std::make_unique<PartnerBus>(std::move(name), partner, time);
}

}  // namespace tb
