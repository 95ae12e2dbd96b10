#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "lab/core/failure.h"
#include "lab/transports/exec_process.h"
#include "lab/transports/fd_stream.h"
#include "lab/transports/schemes.h"

namespace firstlight {

namespace {

[[noreturn]] void refuse(const ResourcePlan& resource, const std::string& said, std::string cause) {
  throw FailureError({ErrorClass::infrastructure, "exec_failed",
                      fmt::format("\"{}\" at {} cannot be started: {}", resource.name, resource.address, said),
                      resource.name, resource.address, said, std::move(cause)});
}

/// The program starts with the first use, so that of two who have the bench open (the run, and whoever makes it safe
/// afterwards) only the one that needs it runs it.
std::unique_ptr<ByteStream> open_exec(const ResourcePlan& resource, const std::string& rest, OpenContext& context) {
  const std::string folder = std::filesystem::path(context.bench.file).parent_path().string();
  const ExecCommand command = parse_exec(rest, folder);
  if (command.program.empty())
    refuse(
        resource, "there is no such program that may be executed",
        fmt::format("a path is relative to the bench file's folder ({}), and a script needs chmod +x", command.folder));
  auto process = std::make_shared<std::unique_ptr<ExecProcess>>();
  FdStream::Options options;
  options.name = resource.address;
  options.connect = [resource, command, process, &io = context.io](Instant) {
    process->reset();
    try {
      *process = std::make_unique<ExecProcess>(command, io);
    } catch (const std::system_error& error) {
      refuse(resource, error.code().message(),
             "its first line may name an interpreter that is not there (#!/usr/bin/env python3)");
    }
    return FdStream::Ends{(*process)->take_output(), (*process)->take_input()};
  };
  options.epitaph = [process, &time = context.time] { return *process ? (*process)->epitaph(time) : std::string(); };
  return std::make_unique<FdStream>(std::move(options), context.time, context.io);
}

}  // namespace

void add_exec_schemes(SchemeTable& table) {
  table.streams.push_back({"exec", "exec", "exec:PROGRAM [ARGUMENTS]",
                           "A program of the lab that reads lines of JSON and writes lines of JSON.", "", true,
                           open_exec});
}

}  // namespace firstlight
