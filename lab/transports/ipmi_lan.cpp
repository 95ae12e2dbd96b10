#include "lab/transports/blocking_worker.h"
#include "lab/transports/schemes.h"
#include "lab/transports/secret.h"

#if FIRSTLIGHT_HAS_FREEIPMI

#include <fmt/format.h>
#include <freeipmi/freeipmi.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "lab/core/failure.h"

namespace firstlight {

namespace {

constexpr std::uint8_t kNetFnChassis = 0x00;
constexpr std::uint8_t kChassisControl = 0x02;
/// A BMC on a lab network answers within milliseconds; it is asked again this often, and given up this late.
constexpr std::chrono::milliseconds kRetransmit{400};
constexpr std::chrono::milliseconds kGiveUp{2000};
/// The session is opened with the privilege that is wanted, and not with "the highest there is", which not every BMC
/// understands.
constexpr unsigned kAskForPrivilege = IPMI_WORKAROUND_FLAGS_OUTOFBAND_2_0_OPEN_SESSION_PRIVILEGE;
constexpr std::size_t kLongestAnswer = 1024;
constexpr std::array<std::uint8_t, 2> kCipherSuites = {17, 3};  // HMAC-SHA256 first, then HMAC-SHA1; both AES-128

struct Settings {
  std::string host;  // "HOST:PORT"
  std::string user;
  Secret password;
  std::string version;  // "auto", "2.0", "1.5"
  std::uint8_t privilege = IPMI_PRIVILEGE_LEVEL_OPERATOR;
};

/// Repeating "power on" changes nothing; repeating "power cycle" is a second cycle.
bool repeatable(std::uint8_t net_fn, std::uint8_t command, const std::vector<std::uint8_t>& data) {
  const bool control = net_fn == kNetFnChassis && command == kChassisControl;
  return !control || data.empty() || (data[0] & 0x0FU) <= 1;
}

std::string explain(int error, const Settings& settings) {
  switch (error) {
    case IPMI_ERR_USERNAME_INVALID:
      return fmt::format("the BMC does not know the user \"{}\"", settings.user);
    case IPMI_ERR_PASSWORD_INVALID:
    case IPMI_ERR_PASSWORD_VERIFICATION_TIMEOUT:
      return fmt::format("the BMC refuses the password of the user \"{}\"", settings.user);
    case IPMI_ERR_PRIVILEGE_LEVEL_CANNOT_BE_OBTAINED:
    case IPMI_ERR_PRIVILEGE_LEVEL_INSUFFICIENT:
      return fmt::format("the user \"{}\" has not the privilege that was asked for", settings.user);
    case IPMI_ERR_IPMI_2_0_UNAVAILABLE:
      return "the BMC does not offer IPMI 2.0 (RMCP+)";
    case IPMI_ERR_AUTHENTICATION_TYPE_UNAVAILABLE:
      return "the BMC does not offer MD5 authentication for this user";
    case IPMI_ERR_HOSTNAME_INVALID:
      return fmt::format("there is no host {}", settings.host);
    case IPMI_ERR_CONNECTION_TIMEOUT:
    case IPMI_ERR_SESSION_TIMEOUT:
    case IPMI_ERR_MESSAGE_TIMEOUT:
      return fmt::format("nothing answers at {}", settings.host);
    default:
      return ipmi_ctx_strerror(error);
  }
}

IpmiStatus status_of(int error) {
  switch (error) {
    case IPMI_ERR_USERNAME_INVALID:
    case IPMI_ERR_PASSWORD_INVALID:
    case IPMI_ERR_PASSWORD_VERIFICATION_TIMEOUT:
    case IPMI_ERR_PRIVILEGE_LEVEL_CANNOT_BE_OBTAINED:
    case IPMI_ERR_PRIVILEGE_LEVEL_INSUFFICIENT:
    case IPMI_ERR_AUTHENTICATION_TYPE_UNAVAILABLE:
    case IPMI_ERR_CIPHER_SUITE_ID_UNAVAILABLE:
    case IPMI_ERR_IPMI_2_0_UNAVAILABLE:
      return IpmiStatus::refused;
    case IPMI_ERR_CONNECTION_TIMEOUT:
    case IPMI_ERR_SESSION_TIMEOUT:
    case IPMI_ERR_MESSAGE_TIMEOUT:
      return IpmiStatus::timeout;
    default:
      return IpmiStatus::io_error;
  }
}

/// Some BMCs say "no matching cipher suite", others that they do not know one of its algorithms.
bool suite_refused(int error) {
  return error == IPMI_ERR_CIPHER_SUITE_ID_UNAVAILABLE || error == IPMI_ERR_BAD_RMCPPLUS_STATUS_CODE ||
         error == IPMI_ERR_IPMI_ERROR;
}

/// The library's session; used by the worker's thread only.
class Session {
 public:
  explicit Session(Settings settings) : settings_(std::move(settings)) {}

  IpmiResult command(std::uint8_t net_fn, std::uint8_t command, const std::vector<std::uint8_t>& data,
                     const BlockingWorker::Call& call) {
    const bool fresh = !context_;
    IpmiResult result = attempt(net_fn, command, data, call);
    const bool lost = result.status == IpmiStatus::timeout || result.status == IpmiStatus::io_error;
    // The BMC may have forgotten a session that stood idle or from before it restarted.
    if (!lost || fresh || call.stopped || call.left().count() == 0 || !repeatable(net_fn, command, data)) return result;
    return attempt(net_fn, command, data, call);
  }

 private:
  struct Closer {
    void operator()(ipmi_ctx* context) const {
      ipmi_ctx_close(context);
      ipmi_ctx_destroy(context);
    }
  };
  using Context = std::unique_ptr<ipmi_ctx, Closer>;

  IpmiResult attempt(std::uint8_t net_fn, std::uint8_t command, const std::vector<std::uint8_t>& data,
                     const BlockingWorker::Call& call) {
    if (!context_)
      if (const int error = open(call)) return {status_of(error), 0, {}, explain(error, settings_)};
    std::vector<std::uint8_t> request = {command};
    request.insert(request.end(), data.begin(), data.end());
    std::array<std::uint8_t, kLongestAnswer> answer{};
    const int count = ipmi_cmd_raw(context_.get(), 0, net_fn, request.data(), static_cast<unsigned>(request.size()),
                                   answer.data(), static_cast<unsigned>(answer.size()));
    if (count >= 2) return {IpmiStatus::ok, answer[1], {answer.begin() + 2, answer.begin() + count}, ""};
    const int error = count < 0 ? ipmi_ctx_errnum(context_.get()) : IPMI_ERR_IPMI_ERROR;
    context_.reset();
    return {status_of(error), 0, {}, explain(error, settings_)};
  }

  /// @return an error of the library, 0 when the session stands
  int open(const BlockingWorker::Call& call) {
    if (settings_.version == "1.5") return open_1_5(call);
    int error = 0;
    for (const std::uint8_t suite : kCipherSuites) {
      error = open_2_0(suite, call);
      if (!suite_refused(error) || call.stopped) break;
    }
    const bool older = error == IPMI_ERR_IPMI_2_0_UNAVAILABLE && settings_.version == "auto";
    return older ? open_1_5(call) : error;
  }

  static unsigned session_timeout(const BlockingWorker::Call& call) {
    return static_cast<unsigned>(std::clamp(call.left(), kRetransmit + kRetransmit / 2, kGiveUp).count());
  }

  int open_2_0(std::uint8_t suite, const BlockingWorker::Call& call) {
    Context context(ipmi_ctx_create());
    if (!context) return IPMI_ERR_OUT_OF_MEMORY;
    if (ipmi_ctx_open_outofband_2_0(context.get(), settings_.host.c_str(), settings_.user.c_str(),
                                    settings_.password.reveal().c_str(), nullptr, 0, settings_.privilege, suite,
                                    session_timeout(call), kRetransmit.count(), kAskForPrivilege,
                                    IPMI_FLAGS_DEFAULT) < 0)
      return ipmi_ctx_errnum(context.get());
    context_ = std::move(context);
    return 0;
  }

  int open_1_5(const BlockingWorker::Call& call) {
    Context context(ipmi_ctx_create());
    if (!context) return IPMI_ERR_OUT_OF_MEMORY;
    if (ipmi_ctx_open_outofband(context.get(), settings_.host.c_str(), settings_.user.c_str(),
                                settings_.password.reveal().c_str(), IPMI_AUTHENTICATION_TYPE_MD5, settings_.privilege,
                                session_timeout(call), kRetransmit.count(), IPMI_WORKAROUND_FLAGS_DEFAULT,
                                IPMI_FLAGS_DEFAULT) < 0)
      return ipmi_ctx_errnum(context.get());
    context_ = std::move(context);
    return 0;
  }

  const Settings settings_;
  Context context_;
};

class IpmiLan final : public IpmiLink {
 public:
  IpmiLan(std::string name, Settings settings, BenchTime& time)
      : name_(std::move(name)), session_(std::make_shared<Session>(std::move(settings))), worker_(time) {}

  IpmiResult command(std::uint8_t net_fn, std::uint8_t command, const std::vector<std::uint8_t>& data,
                     Instant deadline) override {
    const auto result = worker_.run<IpmiResult>(
        deadline, [session = session_, net_fn, command, data](const BlockingWorker::Call& call) {
          return session->command(net_fn, command, data, call);
        });
    return result.value_or(IpmiResult{IpmiStatus::timeout, 0, {}, "no answer within the time"});
  }
  std::string name() const override { return name_; }

 private:
  std::string name_;
  std::shared_ptr<Session> session_;
  BlockingWorker worker_;  // ends first
};

std::string text(const ResourcePlan& resource, const std::string& param, const std::string& fallback) {
  const auto found = resource.params.find(param);
  return found == resource.params.end() || !found->second.is_set() ? fallback : found->second.text();
}

[[noreturn]] void bad_address(const ResourcePlan& resource) {
  throw FailureError({ErrorClass::bench, "bad_address",
                      fmt::format("{}:{}: resource \"{}\": a BMC is at lan://HOST or lan://HOST:PORT; its user and "
                                  "password are not part of the address",
                                  resource.where.file, resource.where.line, resource.name),
                      resource.name, "", "", "give user and password_file (or password_env) beside the address"});
}

std::unique_ptr<IpmiLink> open_lan(const ResourcePlan& resource, const std::string& rest, OpenContext& context) {
  if (rest.empty() || rest.find_first_of("@/ ") != std::string::npos) bad_address(resource);
  static std::once_flag initialised;
  std::call_once(initialised, [] { ipmi_rmcpplus_init(); });  // libgcrypt, before any thread uses it
  Settings settings;
  settings.host = rest.find(':') == std::string::npos ? rest + ":623" : rest;
  settings.user = text(resource, "user", "");
  if (auto password = read_secret(resource, "password")) settings.password = std::move(*password);
  settings.version = text(resource, "version", "auto");
  const std::string privilege = text(resource, "privilege", "operator");
  if (privilege == "user") settings.privilege = IPMI_PRIVILEGE_LEVEL_USER;
  if (privilege == "admin") settings.privilege = IPMI_PRIVILEGE_LEVEL_ADMIN;
  return std::make_unique<IpmiLan>(fmt::format("{} at lan://{}", resource.name, settings.host), std::move(settings),
                                   context.time);
}

}  // namespace

void add_ipmi_schemes(SchemeTable& table) {
  table.ipmi.push_back({"ipmi", "lan", "lan://HOST[:PORT]",
                        "IPMI over LAN: RMCP+ (2.0), or 1.5 where a BMC has no 2.0.", "", false, open_lan});
}

}  // namespace firstlight

#else

namespace firstlight {

void add_ipmi_schemes(SchemeTable& table) {
  table.ipmi.push_back({"ipmi", "lan", "lan://HOST[:PORT]",
                        "IPMI over LAN: RMCP+ (2.0), or 1.5 where a BMC has no 2.0.",
                        "this build has no libfreeipmi (Debian: libfreeipmi-dev)", false, nullptr});
}

}  // namespace firstlight

#endif
