#include "lab/transports/blocking_worker.h"
#include "lab/transports/schemes.h"
#include "lab/transports/secret.h"

#if FIRSTLIGHT_HAS_CURL

#include <arpa/inet.h>
#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "lab/core/failure.h"

namespace firstlight {

namespace {

constexpr std::size_t kLongestBody = std::size_t{4} * 1024 * 1024;
constexpr int kMostRedirects = 3;
constexpr const char* kSessions = "/redfish/v1/SessionService/Sessions";
constexpr std::chrono::milliseconds kGoodbye{1000};

// Of OpenSSL's X509_V_ERR_*: what is wrong with a certificate.
constexpr long kNotYetValid = 9;
constexpr long kExpired = 10;
constexpr long kSelfSigned = 18;
constexpr long kSelfSignedInChain = 19;
constexpr long kNoIssuer = 20;
constexpr long kNoIssuerOfLeaf = 21;

struct Settings {
  std::string base;  // "https://bmc-3:443", without a slash at the end
  std::string user;
  Secret password;
  std::string ca_file;
  bool session = false;  // a Redfish session's token instead of the password with every request
};

struct Answer {
  std::string body;
  bool too_long = false;
  std::string token;
  std::string location;
};

std::size_t take_body(const char* data, std::size_t one, std::size_t count, void* into) {
  Answer& answer = *static_cast<Answer*>(into);
  if (answer.body.size() + one * count > kLongestBody) {
    answer.too_long = true;
    return 0;
  }
  answer.body.append(data, one * count);
  return one * count;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::size_t take_header(const char* data, std::size_t one, std::size_t count, void* into) {
  Answer& answer = *static_cast<Answer*>(into);
  const std::string line(data, one * count);
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos) return one * count;
  const std::size_t first = line.find_first_not_of(" \t", colon + 1);
  const std::size_t last = line.find_last_not_of("\r\n \t");
  const std::string value = first == std::string::npos ? "" : line.substr(first, last - first + 1);
  const std::string name = lower(line.substr(0, colon));
  if (name == "x-auth-token") answer.token = value;
  if (name == "location") answer.location = value;
  return one * count;
}

/// The library's handles; used by the worker's thread, but for `interrupt`.
class Service {
 public:
  explicit Service(Settings settings)
      : settings_(std::move(settings)), many_(curl_multi_init()), one_(curl_easy_init()) {}
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service() {
    say_goodbye();
    if (!token_.empty()) ::explicit_bzero(token_.data(), token_.size());
  }

  /// From any thread.
  void interrupt() { curl_multi_wakeup(many_.get()); }

  HttpResult request(const std::string& method, const std::string& path, const std::string& body,
                     const BlockingWorker::Call& call) {
    if (!many_ || !one_) return {HttpStatus::io_error, 0, "", "libcurl has no memory"};
    if (settings_.session && token_.empty())
      if (auto refused = log_in(call)) return *refused;
    HttpResult result = follow(method, path, body, call);
    if (!settings_.session || result.code != 401 || call.stopped) return result;
    token_.clear();  // the service has ended the session
    if (auto refused = log_in(call)) return *refused;
    return follow(method, path, body, call);
  }

 private:
  struct Free {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  };
  struct FreeMany {
    void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
  };
  struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  enum class Credentials { none, usual };

  std::optional<HttpResult> log_in(const BlockingWorker::Call& call) {
    Answer answer;
    const std::string body =
        nlohmann::json{{"UserName", settings_.user}, {"Password", settings_.password.reveal()}}.dump();
    HttpResult result = perform("POST", settings_.base + kSessions, body, call, Credentials::none, answer);
    if (result.status != HttpStatus::ok) return result;
    if (result.code / 100 != 2 || answer.token.empty()) {
      result.detail = fmt::format("the service gives user \"{}\" no session (HTTP {})", settings_.user, result.code);
      if (result.code / 100 == 2) result.code = 401;
      return result;
    }
    token_ = answer.token;
    session_ = path_of(answer.location);
    return std::nullopt;
  }

  /// Services give few sessions: one that is left open is one fewer for everybody.
  void say_goodbye() {
    if (token_.empty() || session_.empty()) return;
    BlockingWorker::Call call;
    call.end = BlockingWorker::Clock::now() + kGoodbye;
    Answer ignored;
    perform("DELETE", settings_.base + session_, "", call, Credentials::usual, ignored);
  }

  /// The path of an address that is on this service; empty for one on another host.
  std::string path_of(const std::string& address) const {
    if (!address.empty() && address.front() == '/' && address.compare(0, 2, "//") != 0) return address;
    if (address.compare(0, settings_.base.size() + 1, settings_.base + "/") == 0)
      return address.substr(settings_.base.size());
    return {};
  }

  /// Redirects stay on this host: credentials go nowhere else.
  HttpResult follow(const std::string& method, const std::string& path, const std::string& body,
                    const BlockingWorker::Call& call) {
    std::string at = path;
    HttpResult result;
    for (int hop = 0; hop <= kMostRedirects; ++hop) {
      Answer answer;
      result = perform(method, settings_.base + at, body, call, Credentials::usual, answer);
      if (result.status != HttpStatus::ok || result.code / 100 != 3 || method != "GET") return result;
      const std::string next = path_of(answer.location);
      if (next.empty()) {
        result.detail = fmt::format("{} redirects to another host ({}), which is not followed", at, answer.location);
        return result;
      }
      at = next;
    }
    result.detail = fmt::format("{} redirects more than {} times", path, kMostRedirects);
    return result;
  }

  HttpResult perform(const std::string& method, const std::string& url, const std::string& body,
                     const BlockingWorker::Call& call, Credentials credentials, Answer& answer) {
    CURL* handle = one_.get();
    curl_easy_reset(handle);
    std::array<char, CURL_ERROR_SIZE> error{};
    set_connection(handle, call, error.data());
    curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &answer);
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, &answer);
    const auto headers = set_request(handle, method, body, credentials);
    curl_multi_add_handle(many_.get(), handle);
    const std::optional<CURLcode> code = drive(call);
    curl_multi_remove_handle(many_.get(), handle);
    if (!code) return {HttpStatus::timeout, 0, "", "no answer within the time"};
    return result_of(handle, *code, error.data(), answer);
  }

  void set_connection(CURL* handle, const BlockingWorker::Call& call, char* error) const {
    curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, error);
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, settings_.base.compare(0, 6, "https:") == 0 ? "https" : "http");
    curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(handle, CURLOPT_PROXY, "");  // a BMC is in the lab's network; its credentials go through no proxy
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, std::max<long>(1, call.left().count()));
    curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(handle, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
    if (settings_.ca_file.empty()) return;
    curl_easy_setopt(handle, CURLOPT_CAINFO, settings_.ca_file.c_str());
    curl_easy_setopt(handle, CURLOPT_CAPATH, nullptr);
  }

  std::unique_ptr<curl_slist, FreeList> set_request(CURL* handle, const std::string& method, const std::string& body,
                                                    Credentials credentials) const {
    std::vector<std::string> lines = {"Accept: application/json", "OData-Version: 4.0", "Expect:"};
    if (method == "GET") {
      curl_easy_setopt(handle, CURLOPT_HTTPGET, 1L);
    } else {
      curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, method.c_str());
      if (method != "DELETE") {
        lines.emplace_back("Content-Type: application/json");
        curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
        curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, body.c_str());
      }
    }
    if (credentials == Credentials::usual && settings_.session) {
      lines.push_back("X-Auth-Token: " + token_);
    } else if (credentials == Credentials::usual && !settings_.user.empty()) {
      curl_easy_setopt(handle, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
      curl_easy_setopt(handle, CURLOPT_USERNAME, settings_.user.c_str());
      curl_easy_setopt(handle, CURLOPT_PASSWORD, settings_.password.reveal().c_str());
    }
    std::unique_ptr<curl_slist, FreeList> headers;
    for (const std::string& line : lines) headers.reset(curl_slist_append(headers.release(), line.c_str()));
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
    return headers;
  }

  /// Nothing when nobody waits for it any more, or its time is over.
  std::optional<CURLcode> drive(const BlockingWorker::Call& call) {
    int running = 1;
    while (true) {
      if (curl_multi_perform(many_.get(), &running) != CURLM_OK) return CURLE_FAILED_INIT;
      if (running == 0) break;
      if (call.stopped || call.left().count() == 0) return std::nullopt;
      curl_multi_poll(many_.get(), nullptr, 0, static_cast<int>(call.left().count()), nullptr);
    }
    int left = 0;
    const CURLMsg* message = curl_multi_info_read(many_.get(), &left);
    return message == nullptr ? CURLE_FAILED_INIT : message->data.result;
  }

  HttpResult result_of(CURL* handle, CURLcode code, const char* error, Answer& answer) const {
    HttpResult result;
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    result.code = static_cast<int>(status);
    result.body = settings_.password.redact(std::move(answer.body));
    if (code == CURLE_OK) return result;
    result.detail = *error != '\0' ? error : curl_easy_strerror(code);
    result.status = HttpStatus::io_error;
    switch (code) {
      case CURLE_OPERATION_TIMEDOUT:
        result.status = HttpStatus::timeout;
        break;
      case CURLE_COULDNT_RESOLVE_HOST:
      case CURLE_COULDNT_CONNECT:
        result.status = HttpStatus::unreachable;
        break;
      case CURLE_PEER_FAILED_VERIFICATION:
        result.status = HttpStatus::bad_certificate;
        result.detail = certificate_trouble(handle, result.detail);
        break;
      case CURLE_SSL_CACERT_BADFILE:
        result.status = HttpStatus::bad_certificate;
        result.detail = fmt::format("ca_file {} cannot be used: {}", settings_.ca_file, result.detail);
        break;
      case CURLE_WRITE_ERROR:
        if (answer.too_long)
          result.detail = fmt::format("its answer is longer than {} MiB", kLongestBody / 1024 / 1024);
        break;
      default:
        break;
    }
    result.detail = settings_.password.redact(std::move(result.detail));
    return result;
  }

  std::string certificate_trouble(CURL* handle, const std::string& curl_says) const {
    // The library looks at the host's name itself, after OpenSSL found nothing wrong.
    if (curl_says.find("host name") != std::string::npos)
      return fmt::format("the certificate of {} is for another host: {}", settings_.base, curl_says);
    long verdict = 0;
    curl_easy_getinfo(handle, CURLINFO_SSL_VERIFYRESULT, &verdict);
    switch (verdict) {
      case kExpired:
        return fmt::format("the certificate of {} has expired", settings_.base);
      case kNotYetValid:
        return fmt::format("the certificate of {} is not valid yet: is this machine's clock right?", settings_.base);
      case kSelfSigned:
      case kSelfSignedInChain:
        return fmt::format("the certificate of {} is self-signed and not trusted", settings_.base);
      case kNoIssuer:
      case kNoIssuerOfLeaf:
        return fmt::format("the certificate of {} is signed by someone who is not trusted", settings_.base);
      default:
        return fmt::format("the certificate of {} is refused: {}", settings_.base, curl_says);
    }
  }

  const Settings settings_;
  std::unique_ptr<CURLM, FreeMany> many_;
  std::unique_ptr<CURL, Free> one_;
  std::string token_;
  std::string session_;  // its path, to end it
};

class CurlClient final : public HttpClient {
 public:
  CurlClient(std::string name, Settings settings, BenchTime& time)
      : name_(std::move(name)),
        service_(std::make_shared<Service>(std::move(settings))),
        worker_(time, [service = service_] { service->interrupt(); }) {}

  HttpResult request(const std::string& method, const std::string& path, const std::string& body,
                     Instant deadline) override {
    if (path.empty() || path.front() != '/' || path.find_first_of(" \r\n") != std::string::npos)
      return {HttpStatus::io_error, 0, "", fmt::format("\"{}\" is no path from the root", path)};
    const auto result =
        worker_.run<HttpResult>(deadline, [service = service_, method, path, body](const BlockingWorker::Call& call) {
          return service->request(method, path, body, call);
        });
    return result.value_or(HttpResult{HttpStatus::timeout, 0, "", "no answer within the time"});
  }
  std::string name() const override { return name_; }

 private:
  std::string name_;
  std::shared_ptr<Service> service_;
  BlockingWorker worker_;  // ends first
};

std::string text(const ResourcePlan& resource, const std::string& param) {
  const auto found = resource.params.find(param);
  return found == resource.params.end() || !found->second.is_set() ? std::string() : found->second.text();
}

[[noreturn]] void refuse(const ResourcePlan& resource, const std::string& why, const std::string& cause) {
  throw FailureError(
      {ErrorClass::bench, "bad_address",
       fmt::format("{}:{}: resource \"{}\": {}", resource.where.file, resource.where.line, resource.name, why),
       resource.name, "", "", cause});
}

/// "bmc-3:8443" or "[::1]:8443" without the port.
std::string host_of(const std::string& authority) {
  if (!authority.empty() && authority.front() == '[') return authority.substr(0, authority.find(']') + 1);
  return authority.substr(0, authority.find(':'));
}

bool is_loopback(const std::string& host) {
  in_addr address{};
  if (::inet_pton(AF_INET, host.c_str(), &address) == 1) return (ntohl(address.s_addr) >> 24U) == 127;
  return host == "localhost" || host == "[::1]";
}

std::unique_ptr<HttpClient> open(const ResourcePlan& resource, const std::string& scheme, std::string authority,
                                 OpenContext& context) {
  while (!authority.empty() && authority.back() == '/') authority.pop_back();
  if (authority.find('@') != std::string::npos)
    refuse(resource, "user and password are not part of the address",
           "give user and password_file (or password_env) beside the address");
  if (authority.empty() || authority.find_first_of("/?# ") != std::string::npos)
    refuse(resource,
           fmt::format("a Redfish service is at https://HOST or https://HOST:PORT, not at {}", resource.address),
           "paths are the driver's business");
  static std::once_flag initialised;
  std::call_once(initialised, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  Settings settings;
  settings.base = fmt::format("{}://{}", scheme, authority);
  settings.user = text(resource, "user");
  settings.ca_file = text(resource, "ca_file");
  settings.session = text(resource, "auth") == "session";
  if (auto password = read_secret(resource, "password")) settings.password = std::move(*password);
  const std::string name = fmt::format("{} at {}", resource.name, settings.base);
  return std::make_unique<CurlClient>(name, std::move(settings), context.time);
}

std::unique_ptr<HttpClient> open_https(const ResourcePlan& resource, const std::string& rest, OpenContext& context) {
  return open(resource, "https", rest, context);
}

std::unique_ptr<HttpClient> open_http(const ResourcePlan& resource, const std::string& rest, OpenContext& context) {
  if (!is_loopback(host_of(rest)))
    refuse(resource, fmt::format("{} would send credentials in the clear", resource.address),
           "use https://; http:// is for a service on this machine (a tunnel, a simulator)");
  return open(resource, "http", rest, context);
}

}  // namespace

void add_http_schemes(SchemeTable& table) {
  table.http.push_back({"redfish", "https", "https://HOST[:PORT]", "HTTPS; certificate and host name are checked.", "",
                        false, open_https});
  table.http.push_back(
      {"redfish", "http", "http://localhost[:PORT]", "HTTP, only on this machine.", "", false, open_http});
}

}  // namespace firstlight

#else

namespace firstlight {

void add_http_schemes(SchemeTable& table) {
  const char* missing = "this build has no libcurl (Debian: libcurl4-openssl-dev)";
  table.http.push_back({"redfish", "https", "https://HOST[:PORT]", "HTTPS; certificate and host name are checked.",
                        missing, false, nullptr});
  table.http.push_back(
      {"redfish", "http", "http://localhost[:PORT]", "HTTP, only on this machine.", missing, false, nullptr});
}

}  // namespace firstlight

#endif
