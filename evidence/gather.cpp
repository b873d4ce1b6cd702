#include "evidence/gather.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "evidence/framing.h"
#include "evidence/json_reader.h"
#include "evidence/raw_reader.h"

namespace attrib::evidence {
namespace {

Status read_input(const Input& input, std::uint32_t index, Gathering* gathering) {
  if (LineFilter* const filter = gathering->options().filter) {
    constexpr auto kAll = static_cast<model::SourceMask>(~model::SourceMask{0});
    filter->narrow(input.log ? may_speak_for(input.log->kind) : kAll);
  }
  return input.log ? read_raw(input, index, gathering) : read_json(input, index, gathering);
}

struct Gathered {
  std::optional<Gathering> gathering;
  Status status = Done{};
};

// Threads take the inputs one by one, so those before an input that fails are all read: the first
// error is the same on any number of threads.
class Reading {
 public:
  explicit Reading(const std::vector<const Input*>& inputs)
      : inputs_(inputs), gathered_(inputs.size()) {}

  void take_inputs(const ReadOptions& options) {
    while (!failed_) {
      const std::size_t i = next_++;
      if (i >= inputs_.size()) return;
      Gathered& here = gathered_[i];
      here.gathering.emplace(options);
      here.status = read_input(*inputs_[i], static_cast<std::uint32_t>(i), &*here.gathering);
      if (!here.status) failed_ = true;
    }
  }

  Status put_together(Gathering* into) {
    for (Gathered& each : gathered_) {
      if (!each.status) return each.status;
      if (each.gathering) into->absorb(std::move(*each.gathering));
      each.gathering.reset();
    }
    return Done{};
  }

 private:
  const std::vector<const Input*>& inputs_;
  std::vector<Gathered> gathered_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
};

}  // namespace

Status gather(const std::vector<const Input*>& inputs, Gathering* gathering) {
  const ReadOptions& options = gathering->options();
  const std::size_t threads = std::min<std::size_t>(options.threads, inputs.size());
  if (threads < 2) {
    for (std::uint32_t i = 0; i < inputs.size(); ++i) {
      if (auto status = read_input(*inputs[i], i, gathering); !status) return status;
    }
    return Done{};
  }
  // Each thread has a filter of its own.
  std::vector<std::unique_ptr<LineFilter>> filters;
  Reading reading(inputs);
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) {
    ReadOptions own = options;
    if (options.filter != nullptr) {
      filters.push_back(options.filter->another());
      own.filter = filters.back().get();
    }
    others.emplace_back([&reading, own = std::move(own)] { reading.take_inputs(own); });
  }
  reading.take_inputs(options);
  others.clear();  // Waits for them.
  return reading.put_together(gathering);
}

}  // namespace attrib::evidence
