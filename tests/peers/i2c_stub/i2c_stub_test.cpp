#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/peers/support/peer_process.h"

namespace firstlight::peers {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kLimit{20};

/// What the guest's first process does. Its root is the host's, so that its result is a file here.
constexpr const char* kInit = R"(#!/bin/sh
PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
modules=/usr/lib/uml/modules/$(uname -r)/kernel/drivers/i2c
insmod $modules/i2c-core.ko
insmod $modules/i2c-dev.ko
insmod $modules/i2c-stub.ko chip_addr=0x40,0x41,0x48,0x50 functionality=0x0f7f0000
FOLDER=@folder@
@guest@ > $FOLDER/output 2>&1
echo $? > $FOLDER/status.new
mv $FOLDER/status.new $FOLDER/status
poweroff -f
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string content_of(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(I2cStub, OurTransportAndDriversOnTheKernelsOwnI2cDev) {
  const TemporaryFolder folder;
  const std::string init = folder / "init";
  std::ofstream(init) << replaced(replaced(kInit, "@folder@", folder.path().string()), "@guest@", I2C_STUB_GUEST);
  fs::permissions(init, fs::perms::owner_all);

  PeerProcess::Options options;
  options.environment = {"TMPDIR=" + folder.path().string(), "LD_PRELOAD=" I2C_STUB_WIDE_REGISTERS};
  PeerProcess kernel({"linux.uml", "mem=256M", "rootfstype=hostfs", "root=/dev/root", "hostfs=/", "rw", "quiet",
                      "con=null", "con0=fd:0,fd:1", "uml_dir=" + folder.path().string(), "init=" + init},
                     options);
  const int status = kernel.wait(kLimit);
  const std::string output = content_of(folder / "output");
  ASSERT_NE(status, -1) << "the guest still runs after " << kLimit.count() << " s\n" << kernel.output() << output;
  EXPECT_EQ(content_of(folder / "status"), "0\n") << kernel.output() << output;
  EXPECT_NE(output.find("[  PASSED  ]"), std::string::npos) << kernel.output() << output;
  std::fputs(output.c_str(), stdout);
}

}  // namespace
}  // namespace firstlight::peers
