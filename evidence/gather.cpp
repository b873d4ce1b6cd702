#include "evidence/gather.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "evidence/framing.h"
#include "evidence/json_reader.h"
#include "evidence/raw_reader.h"
#include "evidence/scan_pool.h"

namespace attrib::evidence {
namespace {

using model::SourceKind;
using model::SourceMask;

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
  Reading(const std::vector<const Input*>& inputs, std::vector<std::uint32_t> order,
          std::vector<Gathered>* gathered)
      : inputs_(inputs), order_(std::move(order)), gathered_(*gathered) {}

  void run(const ReadOptions& options, const RepeatRules& rules) {
    const std::size_t readers = std::min<std::size_t>(options.threads, order_.size());
    if (readers == 0) return;
    ScanPool pool(readers, options.threads - readers);
    // Each thread that reads has a filter of its own.
    std::vector<std::unique_ptr<LineFilter>> filters;
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < readers; ++i) {
      ReadOptions own = options;
      if (options.filter != nullptr) {
        filters.push_back(options.filter->another());
        own.filter = filters.back().get();
      }
      others.emplace_back([this, own, &rules, &pool] {
        take_inputs(own, rules, &pool);
        pool.help();
      });
    }
    take_inputs(options, rules, &pool);
    pool.help();
    others.clear();  // Waits for them, while their filters are there.
  }

 private:
  void take_inputs(const ReadOptions& options, const RepeatRules& rules, ScanPool* pool) {
    const ScanPool::Reader reading(pool);
    while (!failed_) {
      const std::size_t i = next_++;
      if (i >= order_.size()) return;
      Gathered& here = gathered_[order_[i]];
      here.gathering.emplace(options);
      here.gathering->repeat_rules = rules;
      if (options.threads > 1) here.gathering->pool = pool;
      here.status = read_input(*inputs_[order_[i]], order_[i], &*here.gathering);
      if (!here.status) failed_ = true;
    }
  }

  const std::vector<const Input*>& inputs_;
  std::vector<std::uint32_t> order_;
  std::vector<Gathered>& gathered_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
};

// Observations that are no lines of raw logs may be copies of such lines, and so may lines of the
// kernel's log and of those that mirror it: of these every one is needed.
RepeatRules repeat_rules(const std::vector<const Input*>& inputs,
                         const std::vector<Gathered>& read) {
  RepeatRules out;
  for (const Input* input : inputs) {
    if (input->log) out.present |= model::source_bit(input->log->kind);
  }
  out.clock_error = kDefaultClockError;
  for (const Gathered& each : read) {
    if (!each.gathering) continue;
    if (!each.gathering->drafts.empty()) return out;
    for (const Header& header : each.gathering->headers) {
      for (const SourceDeclaration& source : header.sources)
        out.clock_error = std::min(out.clock_error, source.status.clock_error.value_or(kDefaultClockError));
    }
  }
  constexpr SourceMask kKernel = model::source_bit(SourceKind::Kernel);
  constexpr auto kMirrors = static_cast<SourceMask>(model::source_bit(SourceKind::Syslog) |
                                                    model::source_bit(SourceKind::Journald));
  out.kinds = out.present;
  if ((out.present & kKernel) != 0 && (out.present & kMirrors) != 0)
    out.kinds = static_cast<SourceMask>(out.kinds & ~(kKernel | kMirrors));
  return out;
}

}  // namespace

Status gather(const std::vector<const Input*>& inputs, Gathering* gathering) {
  const ReadOptions& options = gathering->options();
  std::vector<std::uint32_t> documents, logs;
  for (std::uint32_t i = 0; i < inputs.size(); ++i) (inputs[i]->log ? logs : documents).push_back(i);
  std::vector<Gathered> gathered(inputs.size());
  // What documents say of the sources comes first.
  Reading(inputs, documents, &gathered).run(options, {});
  for (const std::uint32_t i : documents) {
    if (!gathered[i].status) return gathered[i].status;
  }
  const RepeatRules rules = repeat_rules(inputs, gathered);
  gathering->repeat_rules = rules;
  if (options.threads > 1) Reading(inputs, logs, &gathered).run(options, rules);
  for (std::uint32_t i = 0; i < inputs.size(); ++i) {
    Gathered& each = gathered[i];
    if (!each.status) return each.status;
    if (each.gathering) {
      gathering->absorb(std::move(*each.gathering));
      each.gathering.reset();
    } else if (auto status = read_input(*inputs[i], i, gathering); !status) {
      return status;
    }
  }
  return Done{};
}

}  // namespace attrib::evidence
