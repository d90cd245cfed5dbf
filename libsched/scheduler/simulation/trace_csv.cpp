// See trace_csv.hpp.
#include "libsched/scheduler/simulation/trace_csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libsched/base/quote.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/objects/selector.hpp"
#include "libsched/scheduler/simulation/csv.hpp"

namespace libsched {
namespace {

enum Column : uint8_t {
  kName,
  kCpuMilli,
  kMemoryMib,
  kNumGpu,
  kGpuMilli,
  kGpuSpec,
  kQos,
  kPodPhase,
  kCreationTime,
  kDeletionTime,
  kScheduledTime,
};
constexpr Str kColumns[] = {"name",          "cpu_milli",     "memory_mib",    "num_gpu",
                            "gpu_milli",     "gpu_spec",      "qos",           "pod_phase",
                            "creation_time", "deletion_time", "scheduled_time"};
constexpr size_t kColumnCount = std::size(kColumns);
constexpr size_t kRequired = 3;
constexpr Str kPhases[] = {"Pending", "Running", "Succeeded", "Failed", "Unknown"};
constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kMostMib = int64_t{1} << 40;
constexpr int64_t kMostMilli = int64_t{1} << 50;
constexpr int64_t kMostGpus = 1'000'000;

class TraceReader {
 public:
  TraceReader(TimedWorkload* workload, Str csv, Str file, const TraceOptions& options)
      : csv_(csv), file_(file), options_(options), addition_(workload) {}

  Result<void> read() {
    LIBSCHED_TRY(read_header());
    for (size_t rows = 0;; ++rows) {
      if (rows % 1024 == 0 && options_.interrupt()) return interrupted();
      const Result<bool> more = csv_.next(&fields_);
      if (!more.ok()) return at_line(more.error());
      if (!*more) break;
      LIBSCHED_TRY(read_row());
    }
    addition_.commit();
    return {};
  }

 private:
  Error at_line(Error error) const {
    error.path = std::string(file_) + ":" + std::to_string(csv_.line());
    return error;
  }
  Error wrong(Str column, std::string message, Rc rc = Rc::kInvalid) const {
    Error error{rc, std::move(message)};
    error.path = at_line({}).path + ": " + std::string(column);
    return error;
  }
  Error wrong(Column column, std::string message) const {
    return wrong(kColumns[column], std::move(message));
  }

  Result<void> read_header() {
    const Result<bool> any = csv_.next(&fields_);
    if (!any.ok()) return at_line(any.error());
    if (!*any) return at_line(invalid({}, "there is no header"));
    width_ = fields_.size();
    at_.fill(width_);
    for (size_t i = 0; i < width_; ++i) {
      const auto* const known = std::find(std::begin(kColumns), std::end(kColumns), fields_[i]);
      if (known == std::end(kColumns))
        return at_line(invalid({}, "unknown column " + go_quote(fields_[i])));
      size_t& at = at_[static_cast<size_t>(known - kColumns)];
      if (at != width_) return wrong(*known, "the column is there twice");
      at = i;
    }
    for (size_t c = 0; c < kRequired; ++c)
      if (at_[c] == width_) return wrong(kColumns[c], "the column is missing");
    return {};
  }

  Str field(Column c) const { return at_[c] == width_ ? Str() : fields_[at_[c]]; }

  // A whole number; `missing` if the field is empty.
  Result<int64_t> number(Column c, int64_t most, std::optional<int64_t> missing) const {
    const Str text = field(c);
    if (text.empty() && missing) return *missing;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::invalid_argument || end != text.data() + text.size())
      return wrong(c, go_quote(text) + " is not a whole number");
    if (value < 0) return wrong(c, "must not be negative");
    if (error != std::errc() || value > most)
      return wrong(c, "must be at most " + std::to_string(most));
    return value;
  }

  // Seconds with up to nine decimals, as nanoseconds; absent if the field is empty.
  Result<std::optional<int64_t>> seconds(Column c) const {
    const Str text = field(c);
    if (text.empty()) return std::optional<int64_t>();
    const size_t dot = std::min(text.find('.'), text.size());
    int64_t whole = 0, nanos = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + dot, whole);
    const Str decimals = dot == text.size() ? Str("0") : text.substr(dot + 1);
    if (error == std::errc::invalid_argument || end != text.data() + dot || decimals.empty() ||
        decimals.size() > 9 ||
        !std::all_of(decimals.begin(), decimals.end(), [](char d) { return d >= '0' && d <= '9'; }))
      return wrong(c, go_quote(text) + " is not a number of seconds");
    if (text.front() == '-') return wrong(c, "must not be negative");
    if (error != std::errc() || whole >= kLatestNs / kSecondNs)
      return wrong(c, "must be less than " + std::to_string(kLatestNs / kSecondNs));
    for (size_t i = 0; i < 9; ++i)
      nanos = nanos * 10 + (i < decimals.size() ? decimals[i] - '0' : 0);
    return std::optional(whole * kSecondNs + nanos);
  }

  Result<Timing> timing() const {
    const auto created = seconds(kCreationTime), deleted = seconds(kDeletionTime),
               scheduled = seconds(kScheduledTime);
    for (const auto* time : {&created, &deleted, &scheduled})
      if (!time->ok()) return time->error();
    Timing out;
    out.arrival_ns = created->value_or(0);
    if (*scheduled && **scheduled < out.arrival_ns)
      return wrong(kScheduledTime, std::string(field(kScheduledTime)) + " is before creation_time");
    if (!*deleted) return out;
    if (**deleted < out.arrival_ns)
      return wrong(kDeletionTime, std::string(field(kDeletionTime)) + " is before creation_time");
    const int64_t begin = scheduled->value_or(out.arrival_ns);
    if (**deleted < begin)
      return wrong(kDeletionTime, std::string(field(kDeletionTime)) + " is before scheduled_time");
    out.duration_ns = **deleted - begin;
    return out;
  }

  Result<void> read_row() {
    if (fields_.size() != width_)
      return at_line(invalid({}, std::to_string(fields_.size()) + " fields, the header has " +
                                     std::to_string(width_)));
    const Str name = field(kName);
    if (!is_dns1123_subdomain(name)) return wrong(kName, go_quote(name) + " is no name of a pod");
    const Result<PodRef> pod = pod_of_row();
    if (!pod.ok()) return pod.error();
    const Result<Timing> when = timing();
    if (!when.ok()) return when.error();
    Result<void> added = addition_.add({*pod, name, 1, false, *when});
    if (added.ok()) return {};
    return wrong(kColumns[kName], std::move(added.error().message), added.error().rc);
  }

  // The template that the row shares with those that request the same.
  Result<PodRef> pod_of_row() {
    key_.clear();
    for (const Column c : {kCpuMilli, kMemoryMib, kNumGpu, kGpuMilli, kGpuSpec, kQos, kPodPhase}) {
      const Str text = field(c);
      key_ += std::to_string(text.size());
      key_ += ':';
      key_ += text;
    }
    if (const auto found = templates_.find(key_); found != templates_.end()) return found->second;
    Result<PodRef> made = make_template();
    if (made.ok()) templates_.emplace(key_, *made);
    return made;
  }

  Result<PodRef> make_template() const {
    const Result<int64_t> cpu = number(kCpuMilli, kMostMilli, {});
    if (!cpu.ok()) return cpu.error();
    const Result<int64_t> memory = number(kMemoryMib, kMostMib, {});
    if (!memory.ok()) return memory.error();
    const Result<int64_t> gpus = number(kNumGpu, kMostGpus, 0);
    if (!gpus.ok()) return gpus.error();
    const Result<int64_t> milli = number(kGpuMilli, 1000, *gpus > 0 ? 1000 : 0);
    if (!milli.ok()) return milli.error();
    if (*gpus > 0 && *milli == 0) return wrong(kGpuMilli, "is 0, but num_gpu is not");
    if (*gpus > 1 && *milli < 1000) return wrong(kGpuMilli, "only a single GPU can be shared");
    const Str phase = field(kPodPhase);
    if (!phase.empty() &&
        std::find(std::begin(kPhases), std::end(kPhases), phase) == std::end(kPhases))
      return wrong(kPodPhase, go_quote(phase) + " is no phase of a pod");

    std::string json = R"({"metadata":{"name":"trace","namespace":)" + json_quote(options_.ns);
    if (const Str qos = field(kQos); !qos.empty()) {
      if (!is_label_value(qos)) return wrong(kQos, go_quote(qos) + " is no value of a label");
      json += R"(,"labels":{)" + json_quote(options_.qos_label) + ":" + json_quote(qos) + "}";
    }
    json += R"(},"spec":{)";
    if (!options_.scheduler_name.empty())
      json += R"("schedulerName":)" + json_quote(options_.scheduler_name) + ",";
    if (const Str spec = field(kGpuSpec); !spec.empty()) {
      std::string models;
      for (size_t at = 0; at <= spec.size();) {
        const size_t end = std::min(spec.find('|', at), spec.size());
        const Str model = spec.substr(at, end - at);
        if (model.empty() || !is_label_value(model))
          return wrong(kGpuSpec, go_quote(spec) + R"( is not a list "TYPE|TYPE")");
        models += (models.empty() ? "" : ",") + json_quote(model);
        at = end + 1;
      }
      json += R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
              R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":)" +
              json_quote(options_.gpu_model_label) + R"(,"operator":"In","values":[)" + models +
              "]}]}]}}},";
    }
    json += R"("containers":[{"name":"main","resources":{"requests":{"cpu":")" +
            std::to_string(*cpu) + R"(m","memory":")" + std::to_string(*memory) + "Mi\"";
    if (*gpus > 0)
      json += "," + json_quote(options_.gpu_resource) + ":" + std::to_string(*gpus * *milli);
    json += "}}}]}}";
    ParseOptions parsing;
    parsing.format = Format::kJson;
    parsing.defaults = true;
    Result<PodRef> pod = parse_pod(json, parsing);
    if (!pod.ok()) return at_line(std::move(pod.error()));
    return pod;
  }

  CsvReader csv_;
  Str file_;
  const TraceOptions& options_;
  TimedWorkload::Addition addition_;
  std::vector<Str> fields_;
  size_t width_ = 0;
  std::array<size_t, kColumnCount> at_{};  // of each column; width_: missing
  std::string key_;
  std::unordered_map<std::string, PodRef> templates_;
};

}  // namespace

Result<void> add_trace(TimedWorkload* workload, Str csv, Str file, const TraceOptions& options) {
  return TraceReader(workload, csv, file, options).read();
}

}  // namespace libsched
