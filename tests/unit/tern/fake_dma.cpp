#include "tests/unit/tern/fake_dma.h"

#include <algorithm>

#include "rtl/regs/tern_registers.h"

namespace firstlight::test {

namespace {

constexpr std::size_t kHbmBytes = std::size_t{1} << 20U;
constexpr std::size_t kLineBytes = 64;

std::uint64_t word_of(const std::vector<std::uint8_t>& bytes, std::size_t word) {
  std::uint64_t out = 0;
  for (unsigned i = 0; i < 8; ++i) out |= std::uint64_t{bytes.at(8 * word + i)} << (8 * i);
  return out;
}

std::uint64_t bits(std::uint64_t word, unsigned high, unsigned low) {
  return (word >> low) & ((std::uint64_t{1} << (high - low + 1)) - 1);
}

}  // namespace

struct FakeDma::Descriptor {
  explicit Descriptor(const std::vector<std::uint8_t>& bytes)
      : source(bits(word_of(bytes, 0), 39, 0)),
        source_stride(bits(word_of(bytes, 0), 63, 40)),
        destination(bits(word_of(bytes, 1), 39, 0)),
        destination_stride(bits(word_of(bytes, 1), 63, 40)),
        length(bits(word_of(bytes, 2), 15, 0)),
        tag(static_cast<std::uint16_t>(bits(word_of(bytes, 2), 31, 16))),
        barrier(bits(word_of(bytes, 2), 33, 33) != 0),
        chain(bits(word_of(bytes, 2), 34, 34) != 0),
        rows(std::max<std::uint64_t>(1, bits(word_of(bytes, 2), 50, 35))),
        wait_sem(bits(word_of(bytes, 3), 27, 24)),
        wait_count(static_cast<unsigned>(bits(word_of(bytes, 3), 31, 28))),
        signal_sem(bits(word_of(bytes, 3), 35, 32)),
        signal(bits(word_of(bytes, 3), 36, 36) != 0),
        phase(static_cast<unsigned>(bits(word_of(bytes, 3), 63, 62))),
        good(bits(word_of(bytes, 3), 23, 0) == 0x7E5201 && bits(word_of(bytes, 3), 61, 37) == 0 &&
             bits(word_of(bytes, 2), 63, 51) == 0) {
    if (length == 0) length = 65536;
  }
  std::uint64_t source, source_stride, destination, destination_stride, length;
  std::uint16_t tag;
  bool barrier, chain;
  std::uint64_t rows, wait_sem;
  unsigned wait_count;
  std::uint64_t signal_sem;
  bool signal;
  unsigned phase;
  bool good;
};

FakeDma::FakeDma(RegisterFile& registers, std::shared_ptr<FakeHostMemory> host)
    : registers_(registers), host_(std::move(host)) {
  for (const RegionInfo& region : tern_registers().regions())
    if (region.name != "host")
      regions_.push_back(
          {region.name, region.base, std::vector<std::uint8_t>(std::min<std::uint64_t>(region.size, kHbmBytes))});
  for (unsigned engine = 0; engine < kEngines; ++engine)
    for (unsigned index = 0; index < kQueues; ++index) {
      registers_.on_write(reg(engine, index, "doorbell"), [=](std::uint32_t tail) { doorbell(engine, index, tail); });
      registers_.on_write(reg(engine, index, "q_command"), [=](std::uint32_t value) { command(engine, index, value); });
      registers_.on_write(reg(engine, index, "q_ctrl"), [=](std::uint32_t) { run(); });
    }
}

std::string FakeDma::reg(unsigned engine, unsigned index, const char* name) const {
  return "dma" + std::to_string(engine) + "." + name + "[" + std::to_string(index) + "]";
}

std::vector<std::uint8_t>& FakeDma::memory(const std::string& name) {
  for (Region& region : regions_)
    if (region.name == name) return region.bytes;
  throw std::logic_error("no memory " + name);
}

std::uint8_t FakeDma::at(std::uint64_t address) const { return read(address, 1).front(); }

std::uint64_t FakeDma::address_in(unsigned engine, unsigned index, const char* base) const {
  const std::string name(base);
  return std::uint64_t{registers_.get(reg(engine, index, (name + "_hi").c_str()))} << 32U |
         registers_.get(reg(engine, index, (name + "_lo").c_str()));
}

void FakeDma::doorbell(unsigned engine, unsigned index, std::uint32_t tail) {
  Queue& q = queue(engine, index);
  const unsigned entries = 1U << registers_.get(reg(engine, index, "ring_size"));
  const auto seen = static_cast<std::uint16_t>(tail | doorbell_bit);
  if (static_cast<std::uint16_t>(seen - q.head) > entries) {
    const std::string overruns = reg(engine, index, "doorbell_overruns");
    registers_.set(overruns, registers_.get(overruns) + 1);
    return;
  }
  q.tail = seen;
  publish(engine, index);
  run();
}

void FakeDma::command(unsigned engine, unsigned index, std::uint32_t value) {
  Queue& q = queue(engine, index);
  if ((value & 1U) != 0 && !never_halts) {
    q.halted = true;
    if (q.stopped) {
      q.stopped = false;
      q.status = aborted;
      const std::uint64_t ring = address_in(engine, index, "ring_base");
      const unsigned entries = 1U << registers_.get(reg(engine, index, "ring_size"));
      Descriptor descriptor(read(ring + q.head % entries * 32, 32));
      ++q.head;
      if (!descriptor.chain) complete(engine, index, descriptor.tag);
    }
  }
  if ((value & 2U) != 0) q.halted = false;
  if ((value & 4U) != 0) q = {};
  if ((value & 8U) != 0) registers_.set(reg(engine, index, "first_error"), 0);
  publish(engine, index);
  run();
}

void FakeDma::run() {
  if (deaf) return;
  for (bool moved = true; moved;) {
    moved = false;
    for (unsigned engine = 0; engine < kEngines; ++engine)
      for (unsigned index = 0; index < kQueues; ++index) {
        while (step(engine, index)) moved = true;
        publish(engine, index);
      }
    if (beside && beside()) moved = true;
  }
}

bool FakeDma::has(std::uint64_t address, std::size_t count) const {
  const auto inside = [&](std::uint64_t base, std::uint64_t size) {
    return address >= base && address - base + count <= size;
  };
  return inside(host_->base(), host_->size()) ||
         std::any_of(regions_.begin(), regions_.end(),
                     [&](const Region& region) { return inside(region.base, region.bytes.size()); });
}

bool FakeDma::step(unsigned engine, unsigned index) {
  Queue& q = queue(engine, index);
  if (q.head == q.tail || q.halted || q.stopped || registers_.get(reg(engine, index, "q_ctrl") + ".enable") == 0)
    return false;
  const unsigned log2 = registers_.get(reg(engine, index, "ring_size"));
  Descriptor descriptor(read(address_in(engine, index, "ring_base") + q.head % (1U << log2) * 32, 32));
  if (stale == q.head || descriptor.phase != (((unsigned{q.head} >> log2) + 1) & 3U)) {
    q.status = phase_mismatch;
    ++q.head;
    complete(engine, index, 0);
    return true;
  }
  if (!descriptor.good) throw std::logic_error("a descriptor with a wrong magic, opcode or reserved bit");
  if (q.status == ok) {
    if (descriptor.wait_count > 0 && semaphores[descriptor.wait_sem] < descriptor.wait_count) return false;
    semaphores[descriptor.wait_sem] -= descriptor.wait_count;
    waits += descriptor.wait_count > 0;
    barriers += descriptor.barrier;
    two_dimensional += descriptor.rows > 1;
    chained += descriptor.chain;
    copy(q, descriptor);
    if (q.stopped) return false;
    if (q.status == ok && descriptor.signal) {
      ++semaphores[descriptor.signal_sem];
      ++signals;
    }
  }
  ++q.head;
  if (!descriptor.chain) complete(engine, index, descriptor.tag);
  return true;
}

void FakeDma::copy(Queue& q, const Descriptor& d) {
  const auto touches = [&](std::uint64_t address) {
    return bus_error && *bus_error >= address && *bus_error < address + d.length;
  };
  for (std::uint64_t row = 0; row < d.rows; ++row) {
    const std::uint64_t source = d.source + row * d.source_stride;
    const std::uint64_t destination = d.destination + row * d.destination_stride;
    if (touches(source) || touches(destination)) {
      q.status = touches(source) ? read_error : write_error;
      q.address = *bus_error & ~std::uint64_t{7};
      return;
    }
    std::vector<std::uint8_t> bytes = read(source, d.length);
    if (stops_after && begun >= skips && bytes.size() > *stops_after) {
      bytes.resize(*stops_after);
      q.stopped = true;
      stops_after.reset();
    }
    write(destination, bytes);
    q.bytes += static_cast<std::uint32_t>(bytes.size());
    if (q.stopped) return;
  }
}

void FakeDma::complete(unsigned engine, unsigned index, std::uint16_t tag) {
  Queue& q = queue(engine, index);
  const unsigned log2 = registers_.get(reg(engine, index, "comp_size"));
  const auto of = static_cast<std::uint16_t>(q.head - 1);
  const std::uint64_t low = std::uint64_t{tag} | std::uint64_t{of} << 16U | std::uint64_t{q.bytes} << 32U;
  const std::uint64_t phase = ((unsigned{q.producer} >> log2) + 1) & 3U;
  const std::uint64_t high = q.status | q.address << 8U | phase << 62U;
  std::vector<std::uint8_t> bytes;
  for (const std::uint64_t word : {low, high})
    for (unsigned i = 0; i < 8; ++i) bytes.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
  const unsigned entries = 1U << log2;
  const unsigned entry = overwrites_canary && q.producer == entries - 1 ? entries : q.producer % entries;
  if (lost_completion != q.producer) write(address_in(engine, index, "comp_base") + entry * 16, bytes);
  ++q.producer;
  if (q.status != ok && registers_.get(reg(engine, index, "first_error") + ".valid") == 0) {
    registers_.set(reg(engine, index, "first_error") + ".valid", 1);
    registers_.set(reg(engine, index, "first_error") + ".index", of);
    registers_.set(reg(engine, index, "first_error") + ".cause", q.status);
    registers_.set(reg(engine, index, "first_error_addr_lo"), static_cast<std::uint32_t>(q.address));
    registers_.set(reg(engine, index, "first_error_addr_hi"), static_cast<std::uint32_t>(q.address >> 32U));
  }
  q.bytes = 0;
  q.status = ok;
  q.address = 0;
  ++begun;
}

void FakeDma::publish(unsigned engine, unsigned index) {
  const Queue& q = queue(engine, index);
  registers_.set(reg(engine, index, "tail"), q.tail);
  registers_.set(reg(engine, index, "head"), q.head);
  registers_.set(reg(engine, index, "comp_producer"), q.producer);
  registers_.set(reg(engine, index, "q_status") + ".halted", q.halted ? 1 : 0);
  registers_.set(reg(engine, index, "q_status") + ".in_flight", q.stopped ? 1 : 0);
  registers_.set(reg(engine, index, "q_status") + ".busy", q.head != q.tail ? 1 : 0);
  registers_.set(reg(engine, index, "q_status") + ".waiting", q.head != q.tail && !q.stopped ? 1 : 0);
}

std::uint8_t* FakeDma::find(std::uint64_t address, std::size_t count) {
  for (Region& region : regions_)
    if (address >= region.base && address - region.base + count <= region.bytes.size())
      return region.bytes.data() + (address - region.base);
  throw std::logic_error("no memory at an address that a descriptor has");
}

std::vector<std::uint8_t> FakeDma::read(std::uint64_t address, std::size_t count) const {
  std::vector<std::uint8_t> out(count);
  if (address >= host_->base() && address - host_->base() + count <= host_->size())
    host_->read(address - host_->base(), out.data(), count);
  else
    std::copy_n(const_cast<FakeDma*>(this)->find(address, count), count, out.begin());
  return out;
}

void FakeDma::misdirect(std::uint64_t address, std::vector<std::uint8_t>& bytes) {
  const auto whole = [&](const std::optional<std::uint64_t>& line) {
    return line && *line >= address && *line + kLineBytes <= address + bytes.size();
  };
  const auto here = [&](std::uint64_t line) { return bytes.begin() + static_cast<std::ptrdiff_t>(line - address); };
  if (whole(astray) && *astray >= address + kLineBytes) {
    std::copy_n(here(*astray), kLineBytes, here(*astray - kLineBytes));
    std::copy_n(find(*astray, kLineBytes), kLineBytes, here(*astray));
  }
  if (!whole(lost) || kept-- > 0) return;
  std::copy_n(find(*lost, kLineBytes), kLineBytes, here(*lost));
  lost.reset();
}

void FakeDma::write(std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint8_t> arrives = bytes;
  if (flipped && *flipped >= address && *flipped < address + bytes.size()) arrives[*flipped - address] ^= 1U;
  misdirect(address, arrives);
  if (address >= host_->base() && address - host_->base() + bytes.size() <= host_->size())
    host_->write(address - host_->base(), arrives.data(), arrives.size());
  else
    std::copy(arrives.begin(), arrives.end(), find(address, arrives.size()));
}

}  // namespace firstlight::test
