#include "lab/cli/lease.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "lab/core/failure.h"
#include "lab/document/document.h"
#include "lab/runner/ledger_state.h"

namespace firstlight::cli {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& symptom, const std::string& message, const std::string& cause) {
  throw FailureError({ErrorClass::infrastructure, symptom, message, "lock", "", "", cause});
}

std::string utc(long long unix_time) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(static_cast<std::time_t>(unix_time)));
}

std::string boot_id() {
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(in, id);
  return id;
}

/// One lock a bench: its name, and where its resources are, so that two files that speak of one table share it.
std::string lock_name(const BenchPlan& bench) {
  std::set<std::string> addresses;
  for (const auto& resource : bench.resources) addresses.insert(resource.address);
  std::string all;
  for (const auto& address : addresses) all += address + "\n";
  std::string name = bench.name;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_') c = '_';
  return name + "-" + sha256_of(all).substr(0, 12);
}

std::string make_lock_folder() {
  const std::string folder = lock_folder();
  std::error_code ignored;
  fs::create_directories(fs::path(folder).parent_path(), ignored);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    refuse("no_lock_folder", "cannot make " + folder + ": " + std::strerror(errno), "set FIRSTLIGHT_LOCKS to a folder");
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    refuse("no_lock_folder", folder + " is no folder", "set FIRSTLIGHT_LOCKS to a folder");
  if (std::getenv("FIRSTLIGHT_LOCKS") == nullptr && status.st_uid != ::geteuid())
    refuse("no_lock_folder", folder + " belongs to another user", "set FIRSTLIGHT_LOCKS to a folder of yours");
  return folder;
}

std::string text(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<Holder> read_holder(int file) {
  std::string content(1 << 14, '\0');
  const ssize_t n = ::pread(file, content.data(), content.size(), 0);
  if (n <= 0) return {};
  const Json json = Json::parse(content.substr(0, static_cast<std::size_t>(n)), nullptr, false);
  if (!json.is_object()) return {};
  Holder holder;
  holder.kind = text(json, "kind") == "person" ? Holder::Kind::person : Holder::Kind::run;
  holder.bench = text(json, "bench");
  holder.who = text(json, "who");
  holder.why = text(json, "why");
  holder.since = text(json, "since");
  holder.until = text(json, "until");
  holder.run = text(json, "run");
  holder.boot = text(json, "boot");
  holder.pid = json.value("pid", 0LL);
  holder.expires = json.value("expires", 0LL);
  holder.safe = json.value("safe", false);
  return holder;
}

void write_holder(int file, const Holder& holder) {
  const Json json = {{"bench", holder.bench}, {"kind", holder.kind == Holder::Kind::person ? "person" : "run"},
                     {"who", holder.who},     {"why", holder.why},
                     {"since", holder.since}, {"until", holder.until},
                     {"run", holder.run},     {"boot", holder.boot},
                     {"pid", holder.pid},     {"expires", holder.expires},
                     {"safe", holder.safe}};
  const std::string content = json.dump(2) + "\n";
  const bool written = ::pwrite(file, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size());
  if (!written || ::ftruncate(file, static_cast<off_t>(content.size())) != 0)
    refuse("lock_not_written", std::string("the lock cannot be written: ") + std::strerror(errno), "a full disk");
}

/// Told of a person whose time is not over and who has not seen a boot since.
bool holds_still(const Holder& holder) {
  return holder.kind == Holder::Kind::person && holder.boot == boot_id() &&
         holder.expires > static_cast<long long>(std::time(nullptr));
}

/// The last run on the bench ended in a way that leaves its ledger open.
bool left_hot(const Holder& holder) {
  if (holder.kind != Holder::Kind::run || holder.run.empty() || holder.safe) return false;
  try {
    const LedgerState ledger = read_ledger(holder.run + "/ledger.jsonl");
    return !ledger.closed_safe().value_or(ledger.live().empty());
  } catch (const FailureError&) {
    // Moved away by someone: nothing is known. Not readable: another user's, and nobody said that it is safe.
    return ::access((holder.run + "/ledger.jsonl").c_str(), R_OK) != 0 && errno == EACCES;
  }
}

/// Opens a lock, or makes it for whom its folder is for, whatever the umask. Not by O_CREAT alone: in a sticky folder
/// (/tmp) Linux refuses that for what another user has made.
int open_lock(const std::string& path) {
  const int there = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (there >= 0 || errno != ENOENT) return there;
  const int made = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (made < 0) return errno == EEXIST ? ::open(path.c_str(), O_RDWR | O_CLOEXEC) : -1;
  struct stat folder {};
  if (::stat(fs::path(path).parent_path().c_str(), &folder) == 0) ::fchmod(made, folder.st_mode & 0666U);
  return made;
}

class LockFile {
 public:
  explicit LockFile(const std::string& path) : file_(open_lock(path)) {
    if (file_ < 0)
      refuse("no_lock", "cannot open " + path + ": " + std::strerror(errno),
             "the folder of locks and what is in it must be writable for everybody who uses the station (chmod g+rwxs "
             "the folder, chmod g+rw the files)");
  }
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;
  ~LockFile() {
    if (file_ >= 0) ::close(file_);
  }
  bool take() const { return ::flock(file_, LOCK_EX | LOCK_NB) == 0; }
  void wait() const {
    while (::flock(file_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  int get() const { return file_; }
  int release() { return std::exchange(file_, -1); }

 private:
  int file_ = -1;
};

[[noreturn]] void refuse_locked(const BenchPlan& bench, const Holder& holder) {
  const bool run = holder.kind == Holder::Kind::run;
  refuse("bench_locked", fmt::format("bench \"{}\" is in use by {}", bench.name, to_text(holder)),
         run ? fmt::format("wait for it, or end it: kill -INT {}", holder.pid)
             : "ask them, wait until it expires, or `firstlight unlock --force`");
}

void check_free(const BenchPlan& bench, const std::optional<Holder>& last_run, const std::optional<Holder>& person,
                const Holder& mine) {
  if (person && holds_still(*person) && person->who != mine.who) refuse_locked(bench, *person);
  if (last_run && left_hot(*last_run))
    refuse("bench_left_hot",
           fmt::format("bench \"{}\" may still be energised: run {} ended without making it safe", bench.name,
                       last_run->run),
           fmt::format("`firstlight recover {}` makes it safe; --force goes on all the same", last_run->run));
}

/// Runs lock the first file; what a person holds is written in the second, which is locked only while it is looked at.
std::string run_path(const BenchPlan& bench) { return make_lock_folder() + "/" + lock_name(bench) + ".lock"; }
std::string person_path(const std::string& run_path) { return run_path.substr(0, run_path.size() - 5) + ".person"; }

}  // namespace

std::string lock_folder() {
  if (const char* given = std::getenv("FIRSTLIGHT_LOCKS"); given != nullptr && *given != '\0') return given;
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr && *runtime != '\0')
    return std::string(runtime) + "/firstlight";
  return fmt::format("/tmp/firstlight-{}", ::getuid());
}

Holder myself(Holder::Kind kind) {
  Holder holder;
  holder.kind = kind;
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const passwd* user = ::getpwuid(::getuid());
  holder.who = fmt::format("{}@{}", user != nullptr ? user->pw_name : std::to_string(::getuid()), host.data());
  holder.since = utc(static_cast<long long>(std::time(nullptr)));
  holder.boot = boot_id();
  holder.pid = ::getpid();
  return holder;
}

std::string to_text(const Holder& holder) {
  std::string text = fmt::format("{} since {}", holder.who, holder.since);
  if (!holder.until.empty()) text += ", until " + holder.until;
  if (holder.kind == Holder::Kind::run) text += fmt::format(", by run {} (process {})", holder.run, holder.pid);
  if (!holder.why.empty()) text += ": " + holder.why;
  return text;
}

Lease::Lease(const BenchPlan& bench, const Holder& holder, bool force) {
  const std::string path = run_path(bench);
  const LockFile person(person_path(path));
  person.wait();
  LockFile file(path);
  const bool taken = file.take();
  const auto before = read_holder(file.get());
  if (!taken) refuse_locked(bench, before.value_or(Holder{}));
  if (!force) check_free(bench, before, read_holder(person.get()), holder);
  Holder mine = holder;
  mine.bench = bench.name;
  write_holder(file.get(), mine);
  file_ = file.release();
}

void Lease::mark_safe(int descriptor) {
  auto holder = read_holder(descriptor);
  if (!holder) return;
  holder->safe = true;
  write_holder(descriptor, *holder);
}

Lease::~Lease() {
  if (file_ >= 0) ::close(file_);
}

void hold_for_person(const BenchPlan& bench, const Holder& holder, bool force) {
  const std::string path = run_path(bench);
  const LockFile person(person_path(path));
  person.wait();
  const LockFile file(path);
  const auto run = read_holder(file.get());
  if (!file.take() && run && run->who != holder.who) refuse_locked(bench, *run);
  const auto before = read_holder(person.get());
  if (!force && before && holds_still(*before) && before->who != holder.who) refuse_locked(bench, *before);
  Holder mine = holder;
  mine.bench = bench.name;
  write_holder(person.get(), mine);
}

bool give_back(const BenchPlan& bench, bool force) {
  const LockFile person(person_path(run_path(bench)));
  person.wait();
  const auto holder = read_holder(person.get());
  if (!holder || !holds_still(*holder)) return false;
  if (!force && holder->who != myself(Holder::Kind::person).who) refuse_locked(bench, *holder);
  return ::ftruncate(person.get(), 0) == 0;
}

namespace {

struct Look {
  std::optional<Holder> holder;
  bool locked = false;
  std::string trouble;
};

Look look(const std::string& path) {
  Look seen;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    if (errno != ENOENT) seen.trouble = "cannot read " + path + ": " + std::strerror(errno);
    return seen;
  }
  seen.locked = ::flock(file, LOCK_SH | LOCK_NB) != 0;
  seen.holder = read_holder(file);
  ::close(file);
  return seen;
}

LeaseState state_of(const std::string& bench, const std::string& path) {
  LeaseState state{bench, path, {}, {}, {}, {}};
  const Look run = look(path);
  if (run.holder && run.locked) state.run = run.holder;
  if (run.holder && !run.locked && left_hot(*run.holder)) state.left_hot = run.holder;
  const Look person = look(person_path(path));
  if (person.holder && holds_still(*person.holder)) state.person = person.holder;
  state.unknown = run.trouble.empty() ? person.trouble : run.trouble;
  return state;
}

}  // namespace

LeaseState lease_of(const BenchPlan& bench) {
  return state_of(bench.name, lock_folder() + "/" + lock_name(bench) + ".lock");
}

std::vector<LeaseState> all_leases() {
  std::vector<LeaseState> all;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(lock_folder(), ignored)) {
    if (entry.path().extension() != ".lock") continue;
    std::ifstream in(entry.path());
    const Json json = Json::parse(in, nullptr, false);
    LeaseState state = state_of(entry.path().stem().string(), entry.path().string());
    if (json.is_object())
      state.bench = text(json, "bench");
    else if (state.person)  // no run has had it yet
      state.bench = state.person->bench;
    all.push_back(std::move(state));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return all;
}

}  // namespace firstlight::cli
