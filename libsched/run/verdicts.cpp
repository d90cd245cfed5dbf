// Verdicts: bits of rejected rows, and their statuses.
#include "libsched/run/verdicts.hpp"

#include <string>
#include <unordered_map>

#include "libsched/base/quote.hpp"

namespace libsched {
namespace {

// The statuses of one plugin's rows: rows with the same key share one, as do rows with equal
// statuses of a plugin without keys.
class Interner {
 public:
  Interner(const Framework& framework, const FilterStep& step, const FilterCall& call,
           std::vector<Status>* list)
      : framework_(framework), step_(step), call_(call), list_(list) {}

  uint32_t status(uint32_t row) {
    const uint64_t key = step_.plugin->reason_key(call_, row);
    if (key == Plugin::kNoReasonKey) return by_text(rejection(framework_, step_, call_, row));
    if (key == latest_key_) return latest_;
    const auto [at, fresh] = by_key_.try_emplace(key, 0);
    if (fresh) at->second = add(rejection(framework_, step_, call_, row));
    latest_key_ = key;
    return latest_ = at->second;
  }

 private:
  uint32_t add(Status status) {
    list_->push_back(std::move(status));
    return static_cast<uint32_t>(list_->size() - 1);
  }
  uint32_t by_text(Status status) {
    std::string text = std::to_string(static_cast<int>(status.code)) + (status.error ? "e" : "");
    for (const std::string& r : status.reasons) text += std::to_string(r.size()) + ":" + r;
    const auto [at, fresh] = by_text_.try_emplace(std::move(text), 0);
    if (fresh) at->second = add(std::move(status));
    return at->second;
  }

  const Framework& framework_;
  const FilterStep& step_;
  const FilterCall& call_;
  std::vector<Status>* list_;
  uint64_t latest_key_ = Plugin::kNoReasonKey;
  uint32_t latest_ = 0;
  std::unordered_map<uint64_t, uint32_t> by_key_;
  std::unordered_map<std::string, uint32_t> by_text_;
};

}  // namespace

Status rejection(const Framework& framework, const FilterStep& step, const FilterCall& call,
                 uint32_t row) {
  Status s;
  reject(framework, step, call, row, &s);
  return s;
}

void reject(const Framework& framework, const FilterStep& step, const FilterCall& call,
            uint32_t row, Status* status) {
  const std::string& name = framework.plugins()[step.index].name;
  step.plugin->filter_status(call, row, status);
  if (!status->rejected())
    *status = Status::wrap("running " + go_quote(name) + " filter plugin: ", *status);
  status->plugin = name;
}

template <typename F>
void Verdicts::for_each(const Judged& judged, F&& f) const {
  for (size_t w = 0; w < words_; ++w)
    for_each_bit(bits_[judged.at + w], (first_word_ + w) * 64,
                 [&](size_t row) { f(static_cast<uint32_t>(row)); });
}

void Verdicts::begin(size_t first_word, size_t words, bool facts) {
  facts_ = facts;
  facts_alone_.clear();
  first_word_ = first_word;
  words_ = words;
  rejected_.clear();
  listing_.clear();
  bits_.clear();
  alone_.clear();
  statuses_.clear();
}

void Verdicts::before(const uint64_t* alive) {
  before_at_ = bits_.size();
  bits_.insert(bits_.end(), alive, alive + words_);
}

bool Verdicts::after(const FilterStep& step, const std::shared_ptr<PluginData>& data,
                     const uint64_t* alive) {
  uint64_t any = 0, left = 0;
  uint64_t* const bits = bits_.data() + before_at_;
  for (size_t w = 0; w < words_; ++w) {
    any |= bits[w] &= ~alive[w];
    left |= alive[w];
  }
  if (any == 0) {
    bits_.resize(before_at_);
  } else {
    rejected_.push_back({step, data, before_at_});
  }
  return left != 0;
}

void Verdicts::reject(uint32_t row, Status status, const Facts& facts) {
  if (!facts.empty()) facts_alone_.emplace_back(row, facts);
  statuses_.push_back(std::move(status));
  alone_.emplace_back(row, static_cast<uint32_t>(statuses_.size() - 1));
}

void Verdicts::accept(const FilterStep& step, const std::shared_ptr<PluginData>& data,
                      const uint64_t* alive) {
  listing_.push_back({step, data, bits_.size()});
  bits_.insert(bits_.end(), alive, alive + words_);
}

void Verdicts::take_foreign(const Framework& framework, const FilterCall& call) {
  const auto taken = [&](const Judged& r) {
    if (!r.step.plugin->foreign()) return false;
    const FilterCall of_step{call, call.pod, call.state, r.step.data, r.step.pre_filtered};
    Interner statuses(framework, r.step, of_step, &statuses_);
    for_each(r, [&](uint32_t row) { alone_.emplace_back(row, statuses.status(row)); });
    return true;
  };
  std::erase_if(rejected_, taken);
}

void Verdicts::plugins(const Framework& framework, uint8_t* of_row) const {
  for (const Judged& r : rejected_)
    for_each(r, [&](uint32_t row) { of_row[row] = static_cast<uint8_t>(r.step.index + 1); });
  for (const auto& [row, status] : alone_)
    for (size_t i = 0; i < framework.plugins().size(); ++i)
      if (framework.plugins()[i].name == statuses_[status].plugin)
        of_row[row] = static_cast<uint8_t>(i + 1);
}

StatusTable Verdicts::statuses(const Framework& framework, const Call& call, const Pod& pod) const {
  StatusTable out;
  out.first_row = first_word_ * 64;
  out.of_row.resize(words_ * 64);
  CycleState none;  // statuses depend on prepared data only
  for (const Judged& r : rejected_) {
    const FilterCall of_step{call, pod, none, r.step.data, r.step.pre_filtered};
    Interner statuses(framework, r.step, of_step, &out.list);
    for_each(r, [&](uint32_t row) { out.of_row[row - out.first_row] = statuses.status(row); });
  }
  const auto first = static_cast<uint32_t>(out.list.size());
  out.list.insert(out.list.end(), statuses_.begin(), statuses_.end());
  for (const auto& [row, status] : alone_) out.of_row[row - out.first_row] = first + status;
  return out;
}

std::vector<Facts> Verdicts::facts(const Call& call, const Pod& pod,
                                   const StatusTable& table) const {
  std::vector<Facts> out(table.of_row.size());
  CycleState none;  // as statuses() has it
  for (const Judged& r : rejected_) {
    const FilterCall of_step{call, pod, none, r.step.data, r.step.pre_filtered};
    for_each(r, [&](uint32_t row) {
      const Status& status = table.at(row);
      if (status.rejected() || r.step.plugin->explains_errors())
        r.step.plugin->node_facts(of_step, row, status, &out[row - table.first_row]);
    });
  }
  for (const Judged& a : listing_) {
    const FilterCall of_step{call, pod, none, a.step.data, a.step.pre_filtered};
    for_each(a, [&](uint32_t row) {
      a.step.plugin->gain_facts(of_step, row, &out[row - table.first_row]);
    });
  }
  for (const auto& [row, facts] : facts_alone_) out[row - table.first_row] = facts;
  return out;
}

}  // namespace libsched
