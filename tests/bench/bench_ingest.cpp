// ingest/...: a List of 20,000 pods of 3 KB each, from memory to objects. Releasing them is a
// separate benchmark.
#include <benchmark/benchmark.h>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/workload.hpp"

namespace libsched_bench {
namespace {

constexpr size_t kPods = 20000;

const std::string& document() {
  static const std::string text = [] {
    ListDocument list;
    for (size_t i = 0; i < kPods; ++i) list.add(live_pod_document(i, kNodes));
    return list.take();
  }();
  return text;
}

// The same as `kubectl get -o json` prints it: indented by four spaces.
const std::string& indented_document() {
  static const std::string text = [] {
    std::string out, line = "\n";
    bool in_string = false, escaped = false;
    char before = '\0';
    for (const char c : document()) {
      const bool closes = !in_string && (c == '}' || c == ']');
      if (closes) line.resize(line.size() - 4);
      if (closes && before != '{' && before != '[') out += line;
      if (!closes && (before == '{' || before == '[')) out += line;
      out += c;
      before = in_string || c == '"' ? '"' : c;
      if (c == '"' && !escaped) in_string = !in_string;
      escaped = in_string && c == '\\' && !escaped;
      if (in_string || c == '"') continue;
      if (c == '{' || c == '[') line.append(4, ' ');
      if (c == ',') out += line;
      if (c == ':') out += ' ';
    }
    return out;
  }();
  return text;
}

void report(benchmark::State& state, const std::string& text = document()) {
  state.counters["objects"] = kPods;
  state.counters["bytes_per_pod"] = static_cast<double>(text.size()) / kPods;
}

void parse(benchmark::State& state, bool defaults, const std::string& text = document()) {
  for (auto _ : state) {
    Objects objects = parse_objects(text, defaults);
    state.PauseTiming();
    if (libsched_objects_pod_count(objects.get()) != kPods) fail("pods are missing", nullptr);
    objects.reset();
    state.ResumeTiming();
  }
  report(state, text);
}

void parse_and_release(benchmark::State& state) {
  document();
  for (auto _ : state) parse_objects(document());
  report(state);
}

}  // namespace

void add_ingest_benchmarks() {
  const auto add = [](const char* name, auto run) {
    benchmark::RegisterBenchmark(name, run)->MeasureProcessCPUTime();
  };
  add("ingest/parse", [](benchmark::State& state) { parse(state, false); });
  add("ingest/parse with defaults", [](benchmark::State& state) { parse(state, true); });
  add("ingest/parse indented",
      [](benchmark::State& state) { parse(state, false, indented_document()); });
  add("ingest/parse and release", parse_and_release);
}

}  // namespace libsched_bench
