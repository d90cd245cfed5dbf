// Simulation: its results as tables and JSON.
#include "libsched/base/quote.hpp"
#include "libsched/scheduler/simulation/simulation.hpp"

namespace libsched {
namespace {

constexpr Str kTables[] = {"pods", "series", "resources", "pending", "preemptions", "volumes"};

std::string member(Str name, const std::string& value) { return json_quote(name) + ":" + value; }
std::string member(Str name, uint64_t value) { return member(name, std::to_string(value)); }

}  // namespace

TableRef Simulation::table(Str name) const {
  if (name == "pods") return recorder_.pods();
  if (name == "series") return recorder_.series();
  if (name == "resources") return recorder_.resources();
  if (name == "pending") return recorder_.pending();
  if (name == "preemptions") return recorder_.preemptions();
  if (name == "volumes") return recorder_.volumes();
  return {};
}

std::string Simulation::summary_json() const {
  const Recorder& r = recorder_;
  const Recorder::Waits waits = r.waits();
  std::string out = "{" + member("time", seconds_text(now_ns()));
  out += "," + member("quiet", quiet() ? "true" : "false");
  out += "," + member("pods", arrivals_.pod_count());
  out += "," + member("arrived", r.arrived_count());
  for (size_t i = 0; i < kPodStates; ++i) {
    const auto state = static_cast<PodState>(i);
    out += "," + member(word_of(state), r.count(state));
  }
  out += "," + member("bound", r.bound_count());
  out += "," + member("attempts", r.attempt_count());
  out += "," + member("preemptions", r.preemption_count());
  out += R"(,"wait":{)" + member("mean", seconds_text(static_cast<int64_t>(waits.mean_ns)));
  out += "," + member("median", seconds_text(waits.median_ns));
  out += "," + member("p90", seconds_text(waits.p90_ns));
  out += "," + member("p99", seconds_text(waits.p99_ns));
  out += "," + member("longest", seconds_text(waits.longest_ns)) + R"(},"pendingReasons":[)";
  for (const auto& [reason, pods] : r.pending_reasons()) {
    if (out.back() != '[') out += ",";
    out += "{" + member("reason", json_quote(reason)) + "," + member("pods", pods) + "}";
  }
  out += R"(],"ignoredSchedulers":[)";
  for (const auto& [name, pods] : ignored_) {
    if (out.back() != '[') out += ",";
    out += "{" + member("schedulerName", json_quote(name)) + "," + member("pods", pods) + "}";
  }
  out += R"(],"resources":[)";
  if (const std::vector<Fragmentation::Amount>* amounts = r.latest_amounts(); amounts != nullptr) {
    for (const Fragmentation::Amount& a : *amounts) {
      if (out.back() != '[') out += ",";
      out += "{" + member("resource", json_quote(a.resource)) + "," +
             member("allocatable", std::to_string(a.allocatable)) + "," +
             member("used", std::to_string(a.used)) + "," + member("free", std::to_string(a.free)) +
             "," + member("fragmented", double_text(a.fragmented)) + "," +
             member("utilisation", double_text(a.utilisation())) + "," +
             member("fragmentation", double_text(a.fragmentation())) + "}";
    }
  }
  return out + "]}";
}

Result<void> Simulation::write_json(const WriteText& write) const {
  const auto piece = [&](Str text) -> Result<void> {
    if (write(text)) return {};
    return Error{Rc::kCancelled, "writing was ended"};
  };
  LIBSCHED_TRY(piece(R"({"summary":)" + summary_json()));
  for (const Str name : kTables) {
    LIBSCHED_TRY(piece(",\n" + json_quote(name) + ":"));
    LIBSCHED_TRY(table(name)->write_json(write));
  }
  return piece("}\n");
}

}  // namespace libsched
