// Foreign plugins at PreFilter, its extensions and Filter.
//
// What a batch says of a row is kept as two numbers; texts are made when they are asked for.
#include <algorithm>
#include <array>
#include <bit>

#include "foreign_plugin.hpp"
#include "scratch.hpp"

namespace libsched::capi {
namespace {

// Of the codes of a batch, those that reject a node; any other but Success is an Error.
constexpr uint32_t kRejections = 1u << LIBSCHED_UNSCHEDULABLE |
                                 1u << LIBSCHED_UNSCHEDULABLE_AND_UNRESOLVABLE |
                                 1u << LIBSCHED_PENDING;

// Which codes are Errors, by their byte.
constexpr std::array<uint8_t, 256> kErrors = [] {
  std::array<uint8_t, 256> errors{};
  for (size_t code = 1; code < errors.size(); ++code)
    errors[code] = code >= 8 || (kRejections >> code & 1) == 0;
  return errors;
}();

bool any(const int8_t* codes, size_t count) {
  uint8_t found = 0;
  for (size_t i = 0; i < count; ++i) found |= static_cast<uint8_t>(codes[i]);
  return found != 0;
}

// The rejected of a whole word: eight codes at a time, each byte that isn't 0 becoming a bit.
uint64_t rejected_of_word(const int8_t* codes) {
  uint64_t rejected = 0;
  for (size_t i = 0; i < 64; i += 8) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, codes + i, sizeof(bytes));
    constexpr uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
    const uint64_t set = (((bytes & kLow) + kLow) | bytes) >> 7 & 0x0101010101010101;
    rejected |= (set * 0x0102040810204080 >> 56) << i;
  }
  return rejected;
}

// What a batch says of 64 rows, or fewer, as masks: bit i is that of position i.
struct Masks {
  uint64_t rejected = 0, errors = 0;
};
Masks masks_of(const int8_t* codes, const uint16_t* reasons, size_t count, size_t known) {
  Masks m;
  uint8_t wrong = 0;
  for (size_t i = 0; i < count; ++i) wrong |= kErrors[static_cast<uint8_t>(codes[i])];
  if (count == 64) {
    m.rejected = rejected_of_word(codes);
  } else {
    for (size_t i = 0; i < count; ++i) m.rejected |= uint64_t{codes[i] != LIBSCHED_SUCCESS} << i;
  }
  uint16_t largest = 0;
  for (size_t i = 0; i < count; ++i) largest = std::max(largest, reasons[i]);
  if (wrong == 0 && largest < known) return m;
  for (size_t i = 0; i < count; ++i) {
    const bool error = kErrors[static_cast<uint8_t>(codes[i])] != 0 ||
                       (codes[i] != LIBSCHED_SUCCESS && reasons[i] >= known);
    m.errors |= uint64_t{error} << i;
  }
  return m;
}
}  // namespace

// What the plugin said of the rows that it rejected in this state.
class ForeignPlugin::Verdicts final : public PluginData {
 public:
  // Those of one state are not those of its copies.
  std::shared_ptr<PluginData> clone() const override { return std::make_shared<Verdicts>(); }

  // Room for what is said of the rows; not initialised, for only what was said is read. A state
  // that is asked again and again forgets statuses once there are more than rows.
  uint32_t* said(size_t rows) const {
    if (rows > room_) {
      // Rows that were rejected before keep their verdicts.
      std::unique_ptr<uint32_t[]> more = std::make_unique_for_overwrite<uint32_t[]>(rows);
      if (room_ != 0) std::memcpy(more.get(), said_.get(), room_ * sizeof(uint32_t));
      said_ = std::move(more);
      room_ = rows;
    }
    if (statuses_.size() > room_) statuses_.clear();
    return said_.get();
  }
  // What of_batch() puts together: code and reason of a batch.
  static uint32_t of_batch(int8_t code, uint16_t reason) {
    return static_cast<uint8_t>(code) | uint32_t{reason} << 8;
  }
  // A whole status; equal ones are kept once.
  uint32_t of_status(Status status) const {
    if (statuses_.empty() || !(statuses_.back() == status)) statuses_.push_back(std::move(status));
    return kWhole | static_cast<uint32_t>(statuses_.size() - 1);
  }

  Status status(const Registered& r, uint32_t row) const {
    if (row >= room_) return r.nonsense("has no verdict");
    const uint32_t said = said_[row];
    if ((said & kWhole) != 0)
      return (said & ~kWhole) < statuses_.size() ? statuses_[said & ~kWhole]
                                                 : r.nonsense("has no verdict");
    const auto code = static_cast<int8_t>(said & 0xff);
    const size_t reason = said >> 8;
    if (code_name(static_cast<Code>(code)) == nullptr || code == LIBSCHED_SUCCESS)
      return r.nonsense("returned the unknown code " + std::to_string(code));
    if (reason < r.reasons.size()) return {static_cast<Code>(code), r.reasons[reason]};
    if (reason == 0) return Status(static_cast<Code>(code));
    return r.nonsense("gave reason " + std::to_string(reason) + " of " +
                      std::to_string(r.reasons.size()));
  }

 private:
  static constexpr uint32_t kWhole = uint32_t{1} << 31;
  mutable std::unique_ptr<uint32_t[]> said_;
  mutable size_t room_ = 0;
  mutable std::vector<Status> statuses_;
};

Result<Status> ForeignPlugin::pre_filter(const PreFilterCall& call, PreFilterResult* result) const {
  PreFilterObject narrowed;
  narrowed.ref();
  SlotCall asked(*r_, &call.state);
  Status status = asked.finish(slots().pre_filter(self(), wrap(&call.state), wrap(&call.pod),
                                                  wrap(&narrowed), asked.status()));
  if (narrowed.unique()) {
    narrowed.ref();
    return r_->nonsense("released a PreFilter result that it had borrowed");
  }
  *result = std::move(narrowed.result);
  return status;
}

Status ForeignPlugin::changed(Change slot, const PodChange& change) const {
  const NodeInfo info{&change.view, change.row, change.overlay};
  SlotCall asked(*r_, &change.state);
  return asked.finish(slot(self(), wrap(&change.state), wrap(&change.pod), wrap(&change.other),
                           wrap(&info), asked.status()));
}
Status ForeignPlugin::add_pod(const PodChange& change) const {
  return changed(slots().add_pod, change);
}
Status ForeignPlugin::remove_pod(const PodChange& change) const {
  return changed(slots().remove_pod, change);
}

std::shared_ptr<PluginData> ForeignPlugin::prepare(const View&, const Pod&) const {
  if (slots().filter == nullptr && slots().filter_batch == nullptr) return nullptr;
  return std::make_shared<Verdicts>();
}

void ForeignPlugin::filter(const FilterCall& call, const RowSet& set) const {
  const auto& verdicts = static_cast<const Verdicts&>(*call.data);
  // Of a copied node the scalar slot sees all; a batch only through its one node_info.
  if (slots().filter_batch != nullptr && (call.overlay == nullptr || slots().filter == nullptr)) {
    filter_batch(call, set, verdicts);
  } else {
    filter_each(call, set, verdicts);
  }
}

Status ForeignPlugin::filter_status(const FilterCall& call, uint32_t row) const {
  return static_cast<const Verdicts&>(*call.data).status(*r_, row);
}

void ForeignPlugin::filter_each(const FilterCall& call, const RowSet& set,
                                const Verdicts& verdicts) const {
  SlotCall asked(*r_, &call.state);
  uint32_t* const said = verdicts.said((set.first_word + set.words) * 64);
  set.for_each([&](uint32_t row) {
    const NodeInfo info{&call.view, row, call.overlay};
    asked.reset();
    Status status = asked.finish(
        slots().filter(self(), wrap(&call.state), wrap(&call.pod), wrap(&info), asked.status()));
    if (status.success()) return;
    if (status.rejected()) {
      set.reject(row);
    } else {
      set.reject_with_error(row);
    }
    said[row] = verdicts.of_status(std::move(status));
  });
}

void ForeignPlugin::filter_batch(const FilterCall& call, const RowSet& set,
                                 const Verdicts& verdicts) const {
  Scratch scratch;
  if (scratch->rows.size() < set.words * 64) scratch->rows.resize(set.words * 64);
  uint32_t* const rows = scratch->rows.data();
  size_t count = 0;
  for (size_t w = 0; w < set.words; ++w) {
    const auto base = static_cast<uint32_t>((set.first_word + w) * 64);
    if (set.alive[w] == ~uint64_t{0}) {
      for (uint32_t i = 0; i < 64; ++i) rows[count + i] = base + i;
      count += 64;
      continue;
    }
    for (uint64_t bits = set.alive[w]; bits != 0; bits &= bits - 1)
      rows[count++] = base + static_cast<uint32_t>(std::countr_zero(bits));
  }
  if (count == 0) return;
  scratch->codes.assign(count, LIBSCHED_SUCCESS);
  scratch->reasons.assign(count, 0);
  int8_t* const codes = scratch->codes.data();
  uint16_t* const reasons = scratch->reasons.data();
  const NodeSet nodes{&call.view, rows, count, call.overlay, {}};
  SlotCall asked(*r_, &call.state);
  const int32_t rc = slots().filter_batch(self(), wrap(&call.state), wrap(&call.pod), wrap(&nodes),
                                          codes, reasons, asked.status());
  Status whole = asked.finish(rc);
  uint32_t* const said = verdicts.said((set.first_word + set.words) * 64);
  if (!whole.success()) {
    if (whole.reasons.empty())
      whole = r_->nonsense("returned code " + std::to_string(rc) + " of filter_batch");
    whole.code = Code::kError;
    const uint32_t all = verdicts.of_status(std::move(whole));
    for (size_t i = 0; i < count; ++i) {
      set.reject_with_error(rows[i]);
      said[rows[i]] = all;
    }
    return;
  }
  // Reason 0 of a plugin without reasons is none.
  const size_t known = r_->reasons.empty() ? 1 : r_->reasons.size();
  size_t at = 0;
  for (size_t w = 0; w < set.words; ++w) {
    const uint64_t judged = set.alive[w];
    const auto here = static_cast<size_t>(std::popcount(judged));
    if (any(codes + at, here)) {  // no branches by row: verdicts follow no pattern
      Masks m = masks_of(codes + at, reasons + at, here, known);
      if (here == 64) {
        uint32_t* const block = said + (set.first_word + w) * 64;
        for (size_t i = 0; i < 64; ++i)
          block[i] = Verdicts::of_batch(codes[at + i], reasons[at + i]);
      } else {
        const Masks by_position = std::exchange(m, {});
        for (size_t i = 0; i < here; ++i) {
          const uint32_t row = rows[at + i];
          said[row] = Verdicts::of_batch(codes[at + i], reasons[at + i]);
          m.rejected |= (by_position.rejected >> i & 1) << (row % 64);
          m.errors |= (by_position.errors >> i & 1) << (row % 64);
        }
      }
      set.alive[w] = judged & ~m.rejected;
      set.errors[w] |= m.errors;
    }
    at += here;
  }
}

}  // namespace libsched::capi
