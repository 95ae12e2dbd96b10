#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <random>

#include "lab/agent/model_server.h"
#include "lab/bench/variables.h"
#include "lab/cli/commands.h"
#include "lab/cli/plans.h"
#include "lab/cli/shell_word.h"
#include "lab/cli/signal_watch.h"
#include "lab/cli/user_signal.h"
#include "lab/core/failure.h"
#include "lab/document/document.h"

namespace firstlight::cli {

namespace {

constexpr const char* kModelBench = "lab/benches/model.yaml";
constexpr const char* kDeskBench = "lab/benches/desk.yaml";

[[noreturn]] void refuse_folder(const std::string& folder, const std::string& why, const std::string& cause) {
  throw FailureError({ErrorClass::infrastructure, "bad_folder", fmt::format("cannot use {}: {}", folder, why), "model",
                      "", "", cause});
}

/// The folder that the model is in, for this user only and for one model at a time.
class Folder {
 public:
  explicit Folder(const std::string& name) {
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::absolute(name).parent_path(), error);
    if (::mkdir(name.c_str(), 0700) != 0 && errno != EEXIST) refuse_folder(name, std::strerror(errno), "");
    struct stat status {};
    if (::lstat(name.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) refuse_folder(name, "it is no folder", "");
    if (status.st_uid != ::geteuid())
      refuse_folder(name, "it belongs to another user", "whoever owns the folder could read the token in it");
    path_ = std::filesystem::canonical(name).string();
    lock_ = ::open((path_ + "/model.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock_ < 0) refuse_folder(name, std::strerror(errno), "");
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0)
      refuse_folder(name, "another model is in it", "end that one, or name another folder");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    if (lock_ >= 0) ::close(lock_);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int lock_ = -1;
};

class ModelSession {
 public:
  ModelSession(const Options& options, const Surroundings& surroundings, BenchPlan bench)
      : options_(options), surroundings_(surroundings), bench_(std::move(bench)), folder_(options.listen) {}
  int run();

 private:
  void serve(Scheduler& scheduler, IoThread& io, ListeningStation& station, TransportProvider& wires, Event& stop);
  std::string run_line(const ModelServer& server) const;
  void announce(const ModelServer& server) const;

  const Options& options_;
  const Surroundings& surroundings_;
  const BenchPlan bench_;
  const Folder folder_;
  std::uint64_t seed_ = 0;
  std::function<void()> witness_;  // bench thread; empty while nothing is served
};

int ModelSession::run() {
  const SignalBlock block;
  seed_ = options_.seed.value_or(std::random_device{}());
  const auto station = surroundings_.listening_model(bench_, seed_);
  Scheduler::Options how;
  how.wall_clock = true;
  Scheduler scheduler(station->time_source(), how);
  const auto stop = scheduler.make_event();
  const UserSignal user([&] {
    scheduler.post([this] {
      if (witness_) witness_();
    });
  });
  const SignalWatch signals([&](int) { scheduler.post([&] { stop->fire(); }); });
  IoThread io;
  TransportProvider& wires = station->connect(scheduler);
  scheduler.run([&] { serve(scheduler, io, *station, wires, *stop); });
  return kExitPass;
}

void ModelSession::serve(Scheduler& scheduler, IoThread& io, ListeningStation& station, TransportProvider& wires,
                         Event& stop) {
  const ModelServer server(scheduler, io, station, wires, bench_, folder_.path());
  announce(server);
  witness_ = [&server] { server.write_witness(); };
  while (!scheduler.wait(stop, kNever)) {
  }
  witness_ = nullptr;
}

/// How to bring the model's chip up: with what differs from what the desk's bench file says.
std::string ModelSession::run_line(const ModelServer& server) const {
  std::string line = std::string("firstlight run lab/sequences/bringup.yaml --bench ") + kDeskBench;
  Diagnostics diagnostics;
  const auto desk = load_document(kDeskBench, diagnostics);
  const auto usual = desk ? variables_of(desk->root, diagnostics) : std::map<std::string, std::string>();
  for (const auto& [name, value] : server.variables()) {
    const auto same = usual.find(name);
    if (same == usual.end() || same->second != value) line += " --bench-var " + shell_word(name + "=" + value);
  }
  return line;
}

void ModelSession::announce(const ModelServer& server) const {
  using json = nlohmann::ordered_json;
  json addresses = json::object();
  for (const auto& [name, address] : server.addresses()) addresses[name] = address;
  json variables = json::object();
  for (const auto& [name, value] : server.variables()) variables[name] = value;
  const std::string line = run_line(server);
  const json all = {{"pid", ::getpid()},
                    {"bench", bench_.file},
                    {"seed", seed_},
                    {"addresses", std::move(addresses)},
                    {"variables", std::move(variables)},
                    {"token_file", folder_.path() + "/agent.token"},
                    {"witness", folder_.path() + "/witness.sock"},
                    {"run", line}};
  write_whole(folder_.path() + "/endpoints.json", all.dump(2) + "\n");
  auto& out = *surroundings_.out;
  if (options_.json) {
    out << all.dump() << "\n" << std::flush;
    return;
  }
  out << fmt::format("The model of {} listens (seed {}):\n", bench_.file, seed_);
  for (const auto& [name, address] : server.addresses()) out << fmt::format("  {:<10} {}\n", name, address);
  out << fmt::format("  {:<10} {}\n", "witness", folder_.path() + "/witness.sock");
  out << "\n" << line << "\n\nCtrl-C ends it.\n" << std::flush;
}

}  // namespace

int model_command(const Options& options, const Surroundings& surroundings) {
  if (options.listen.empty())
    return bad_input("model needs --listen DIR, as in: firstlight model --listen /tmp/firstlight-desk", options,
                     surroundings);
  if (!surroundings.listening_model)
    throw FailureError({ErrorClass::infrastructure, "no_station", "this build has no model", "", "", "", ""});
  Options with_bench = options;
  if (with_bench.bench.empty()) with_bench.bench = kModelBench;
  Diagnostics diagnostics;
  auto bench = load_bench(with_bench, surroundings, diagnostics);
  if (bench && diagnostics.empty() && !is_on_model(*bench, diagnostics) && diagnostics.empty())
    return bad_input(with_bench.bench + " is a bench of hardware; a model's resources have the address model", options,
                     surroundings);
  if (!bench || !diagnostics.empty()) return tell(diagnostics, options, surroundings);
  return ModelSession(options, surroundings, std::move(*bench)).run();
}

}  // namespace firstlight::cli
