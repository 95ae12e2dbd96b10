#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/transports/http_client.h"

namespace firstlight::redfish {

using Json = nlohmann::json;

/// Resources of a Redfish service (DSP0266) as JSON. What goes wrong is a FailureError with what the service says.
class Service {
 public:
  Service(std::string part, std::shared_ptr<HttpClient> http, BenchTime& time);

  const std::string& part() const { return part_; }
  /// The resource, an object. A service that lacks it is class bench, one that is not there infrastructure, one that
  /// refuses the credentials bench.
  Json get(const std::string& path);
  /// The same, but nothing (null) when the service does not have it.
  Json find(const std::string& path);
  /// An action.
  void post(const std::string& path, const Json& body);
  /// Addresses of a collection's members, of all its pages.
  std::vector<std::string> members(const std::string& collection);

  [[noreturn]] void fail(const std::string& symptom, const std::string& why, const std::string& received,
                         const std::string& cause) const;

 private:
  HttpResult request(const std::string& method, const std::string& path, const std::string& body);
  [[noreturn]] void refuse(const HttpResult& result, const std::string& sent) const;
  Json parse(const HttpResult& result, const std::string& path) const;

  std::string part_;
  std::shared_ptr<HttpClient> http_;
  BenchTime& time_;
};

/// The member as text, empty when it is none. Redfish's references: {"@odata.id": "/redfish/v1/..."}.
std::string text_of(const Json& object, const char* member);
std::string link_of(const Json& object, const char* member);
/// "/a/b/PS1" is "PS1".
std::string last_segment(const std::string& path);

}  // namespace firstlight::redfish
