// Foreign plugins at PreFilter, its extensions and Filter.
#include "batch_codes.hpp"
#include "foreign_plugin.hpp"
#include "scratch.hpp"
#include "verdicts.hpp"

namespace libsched::capi {

Result<Status> ForeignPlugin::pre_filter(const PreFilterCall& call, PreFilterResult* result) const {
  const Lent<PreFilterObject> narrowed;
  narrowed->ref();
  SlotCall asked(*r_, &call.state);
  Status status = asked.finish(slots().pre_filter(self(), wrap(&call.state), wrap(&call.pod),
                                                  wrap(narrowed.get()), asked.status()),
                               slot_codes::kPreFilter);
  if (narrowed->unique()) {
    narrowed->ref();
    return r_->nonsense("released a PreFilter result that it had borrowed");
  }
  if (narrowed->out_of_memory) return Status::from_error(std::string(kOutOfMemory));
  *result = std::move(narrowed->result);
  return status;
}

Status ForeignPlugin::changed(Change slot, const SlotCodes& may, const PodChange& change) const {
  const Lent<NodeInfo> info(change.node);
  SlotCall asked(*r_, &change.state);
  const Pod& other = change.view.as_bound(change.other);
  return asked.finish(slot(self(), wrap(&change.state), wrap(&change.pod), wrap(&other),
                           wrap(info.get()), asked.status()),
                      may);
}
Status ForeignPlugin::add_pod(const PodChange& change) const {
  return changed(slots().add_pod, slot_codes::kAddPod, change);
}
Status ForeignPlugin::remove_pod(const PodChange& change) const {
  return changed(slots().remove_pod, slot_codes::kRemovePod, change);
}

std::shared_ptr<PluginData> ForeignPlugin::prepare(const Call&, const Pod&) const {
  if (slots().filter == nullptr && slots().filter_batch == nullptr) return nullptr;
  return std::make_shared<Verdicts>();
}

void ForeignPlugin::filter(const FilterCall& call, const RowSet& set) const {
  const auto& verdicts = static_cast<const Verdicts&>(*call.data);
  // Copied nodes go to the scalar slot; a batch slot sees the copy only through node_info.
  const bool copy = call.single != nullptr && call.single->is_copy();
  if (slots().filter_batch != nullptr && (!copy || slots().filter == nullptr)) {
    filter_batch(call, set, verdicts);
  } else {
    filter_each(call, set, verdicts);
  }
}

void ForeignPlugin::filter_status(const FilterCall& call, uint32_t row, Status* out) const {
  *out = static_cast<const Verdicts&>(*call.data).status(*r_, row);
}

void ForeignPlugin::filter_each(const FilterCall& call, const RowSet& set,
                                const Verdicts& verdicts) const {
  SlotCall asked(*r_, &call.state);
  const Verdicts::Pass pass(verdicts);
  const size_t end = (set.first_word + set.words) * 64;
  const Lent<NodeInfo> info(NodeView(call.view, kNoId));
  uint32_t count = 0;
  bool ended = false;  // by the caller's limits, which end the whole call
  // Inlined in both loops of for_each(), so that what it needs stays in registers.
  set.for_each([&](uint32_t row) __attribute__((always_inline)) {
    if (++count % kLook == 0) ended = ended || call.exceeded();
    if (ended) return;
    info->node = call.node(row);
    asked.reset();
    const int32_t code = slots().filter(self(), wrap(&call.state), wrap(&call.pod),
                                        wrap(info.get()), asked.status());
    if (asked.succeeded(code)) return;
    Status status = asked.finish(code, slot_codes::kFilter);
    if (status.success()) return;
    if (status.rejected()) {
      set.reject(row);
    } else {
      set.reject_with_error(row);
    }
    verdicts.set(row, verdicts.add(std::move(status), end));
  });
}

namespace {

// How many rows the set has if these are 0, 1, 2 ...; SIZE_MAX: they are not.
size_t rows_from_zero(const RowSet& set) {
  if (set.first_word != 0) return SIZE_MAX;
  size_t w = 0;
  while (w < set.words && set.alive[w] == ~uint64_t{0}) ++w;
  if (w == set.words) return w * 64;
  const uint64_t last = set.alive[w];
  const size_t count = w * 64 + static_cast<size_t>(count_bits(last));
  uint64_t others = last & (last + 1);
  while (++w < set.words) others |= set.alive[w];
  return others == 0 ? count : SIZE_MAX;
}

// Lists the rows of the set, and returns their number. Mostly plugins are asked about all nodes:
// then the list is that of the call before.
size_t list_rows(const RowSet& set, Scratch& scratch) {
  if (scratch->rows.size() < set.words * 64) scratch->rows.resize(set.words * 64);
  uint32_t* const rows = scratch->rows.data();
  if (const size_t count = rows_from_zero(set); count != SIZE_MAX) {
    for (size_t& i = scratch->counted; i < count; ++i) rows[i] = static_cast<uint32_t>(i);
    return count;
  }
  scratch->counted = 0;
  size_t count = 0;
  for (size_t w = 0; w < set.words; ++w) {
    const size_t base = (set.first_word + w) * 64;
    if (set.alive[w] == ~uint64_t{0}) {
      for (size_t i = 0; i < 64; ++i) rows[count + i] = static_cast<uint32_t>(base + i);
      count += 64;
      continue;
    }
    for_each_bit(set.alive[w], base,
                 [&](size_t row) { rows[count++] = static_cast<uint32_t>(row); });
  }
  return count;
}

}  // namespace

void ForeignPlugin::filter_batch(const FilterCall& call, const RowSet& set,
                                 const Verdicts& verdicts) const {
  Scratch scratch;
  const size_t count = list_rows(set, scratch);
  const uint32_t* const rows = scratch->rows.data();
  if (count == 0) return;
  const size_t end = (set.first_word + set.words) * 64;
  Verdicts::Batch batch =
      verdicts.begin_batch(set.first_word, Span<uint64_t>(set.alive, set.words), count);
  const int8_t* const codes = batch.codes();
  const uint16_t* const reasons = batch.reasons();
  std::vector<NodeSet::Answer> answers;
  const Lent<NodeSet> nodes(&call.view, rows, count, call.single);
  nodes->answers = &answers;
  SlotCall asked(*r_, &call.state);
  const int32_t rc =
      slots().filter_batch(self(), wrap(&call.state), wrap(&call.pod), wrap(nodes.get()),
                           batch.codes(), batch.reasons(), asked.status());
  Status whole = asked.finish(rc);
  if (nodes->out_of_memory) whole = Status::from_error(std::string(kOutOfMemory));
  if (!whole.success()) {
    if (whole.reasons.empty())
      whole = r_->nonsense("returned code " + std::to_string(rc) + " of filter_batch");
    whole.code = Code::kError;
    const Verdicts::Pass pass(verdicts);
    const uint32_t all = verdicts.add(std::move(whole), end);
    for (size_t i = 0; i < count; ++i) {
      set.reject_with_error(rows[i]);
      verdicts.set(rows[i], all);
    }
    return;
  }
  for (NodeSet::Answer& answer : answers) {  // the last one about a position counts
    if (code_name(answer.status.code) == nullptr)
      answer.status = r_->nonsense("returned the unknown code " +
                                   std::to_string(static_cast<int32_t>(answer.status.code)));
    Registered::check(slot_codes::kFilterBatch, &answer.status);
    batch.codes()[answer.index] = static_cast<int8_t>(answer.status.code);
    batch.reasons()[answer.index] = 0;
  }
  // Plugins without reasons may use index 0, which means no reason.
  const size_t known = r_->reasons.empty() ? 1 : r_->reasons.size();
  size_t at = 0;
  for (size_t w = 0; w < set.words; ++w) {
    const uint64_t judged = set.alive[w];
    const auto here = static_cast<size_t>(count_bits(judged));
    const Masks m = masks_of(codes + at, reasons + at, here, known);
    if (m.rejected != 0) {
      set.alive[w] = judged & ~spread(m.rejected, judged);
      set.errors[w] |= spread(m.errors, judged);
    }
    at += here;
  }
  verdicts.keep(std::move(batch));
  if (answers.empty()) return;
  const Verdicts::Pass pass(verdicts);
  for (NodeSet::Answer& answer : answers)
    if (!answer.status.success())
      verdicts.set(rows[answer.index], verdicts.add(std::move(answer.status), end));
}

}  // namespace libsched::capi
