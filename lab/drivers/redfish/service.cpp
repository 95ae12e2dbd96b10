#include "lab/drivers/redfish/service.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "lab/core/failure.h"

namespace firstlight::redfish {

namespace {

constexpr Duration kAnswer = std::chrono::seconds(10);
constexpr std::size_t kShown = 200;  // of an answer, in messages
constexpr int kMostPages = 50;

std::string shortened(const std::string& text) { return text.size() <= kShown ? text : text.substr(0, kShown) + "..."; }

/// What the service says is wrong (DSP0266, 8.6).
std::string complaint(const std::string& body) {
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains("error") || !json["error"].is_object()) return {};
  const Json& error = json["error"];
  const auto details = error.find("@Message.ExtendedInfo");
  if (details != error.end() && details->is_array() && !details->empty() && (*details)[0].is_object()) {
    const std::string message = text_of((*details)[0], "Message");
    if (!message.empty()) return message;
  }
  return text_of(error, "message");
}

}  // namespace

std::string text_of(const Json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string link_of(const Json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_object() ? text_of(*found, "@odata.id") : std::string();
}

std::string last_segment(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

Service::Service(std::string part, std::shared_ptr<HttpClient> http, BenchTime& time)
    : part_(std::move(part)), http_(std::move(http)), time_(time) {}

void Service::fail(const std::string& symptom, const std::string& why, const std::string& received,
                   const std::string& cause) const {
  throw FailureError(
      {ErrorClass::infrastructure, symptom, fmt::format("{}: {}", part_, why), part_, "", shortened(received), cause});
}

HttpResult Service::request(const std::string& method, const std::string& path, const std::string& body) {
  HttpResult result = http_->request(method, path, body, time_.now() + kAnswer);
  if (result.status != HttpStatus::ok) refuse(result, method + " " + path);
  return result;
}

void Service::refuse(const HttpResult& result, const std::string& sent) const {
  Failure failure{ErrorClass::infrastructure, "redfish_io", "", part_, sent, shortened(result.body), ""};
  std::string why = result.detail;
  switch (result.status) {
    case HttpStatus::timeout:
      failure.symptom = "redfish_timeout";
      failure.likely_cause = "the BMC restarts, is busy, or hangs";
      break;
    case HttpStatus::unreachable:
      failure.symptom = "redfish_unreachable";
      failure.likely_cause = "the BMC is off the network, its name is wrong, or its web server is off";
      break;
    case HttpStatus::bad_certificate:
      failure.error_class = ErrorClass::bench;
      failure.symptom = "redfish_bad_certificate";
      failure.likely_cause =
          "give the certificate that signed the BMC's as `ca_file`, and the host by the name in the certificate; "
          "nothing was sent";
      break;
    case HttpStatus::io_error:
      failure.likely_cause = "the connection broke, or what answers there is no Redfish service";
      break;
    case HttpStatus::ok: {
      const std::string said = complaint(result.body);
      why = fmt::format("HTTP {}{}{}{}{}", result.code, said.empty() ? "" : ": ", said,
                        result.detail.empty() ? "" : "; ", result.detail);
      const bool credentials = result.code == 401 || result.code == 403;
      failure.error_class =
          credentials || result.code == 404 || result.code == 400 ? ErrorClass::bench : ErrorClass::infrastructure;
      failure.symptom = credentials ? "redfish_refuses_credentials" : "redfish_refuses";
      failure.likely_cause = credentials          ? "user, password or the user's role are wrong"
                             : result.code == 404 ? "the service does not have that resource: look at its tree"
                                                  : "the service's own message says it";
      break;
    }
  }
  failure.message = fmt::format("{} does not do {}: {}", part_, sent, why);
  throw FailureError(std::move(failure));
}

Json Service::parse(const HttpResult& result, const std::string& path) const {
  Json json = Json::parse(result.body, nullptr, false);
  if (json.is_object()) return json;
  fail("redfish_no_json", fmt::format("{} is no JSON object", path), result.body,
       "what answers there is no Redfish service, or a proxy's error page");
}

Json Service::get(const std::string& path) {
  const HttpResult result = request("GET", path, "");
  if (result.code != 200) refuse(result, "GET " + path);
  return parse(result, path);
}

Json Service::find(const std::string& path) {
  const HttpResult result = request("GET", path, "");
  if (result.code == 404 || result.code == 405 || result.code == 501) return nullptr;
  if (result.code != 200) refuse(result, "GET " + path);
  return parse(result, path);
}

void Service::post(const std::string& path, const Json& body) {
  const std::string text = body.dump();
  const HttpResult result = request("POST", path, text);
  if (result.code / 100 != 2) refuse(result, fmt::format("POST {} {}", path, text));
}

std::vector<std::string> Service::members(const std::string& collection) {
  std::vector<std::string> all;
  std::string page = collection;
  for (int pages = 0; !page.empty(); ++pages) {
    if (pages == kMostPages)
      fail("redfish_endless", fmt::format("the collection {} does not end", collection), "", "a fault of the service");
    const Json json = get(page);
    const auto list = json.find("Members");
    if (list == json.end() || !list->is_array())
      fail("redfish_no_collection", fmt::format("{} has no Members", page), json.dump(), "it is no collection");
    for (const Json& member : *list)
      if (member.is_object()) all.push_back(text_of(member, "@odata.id"));
    page = text_of(json, "Members@odata.nextLink");
  }
  return all;
}

}  // namespace firstlight::redfish
