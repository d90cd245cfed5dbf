// The text of metrics, line by line.
#include "metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <sstream>

namespace libsched::cycles {
namespace {

// As in tests/oracle/cycles/metrics.go.
constexpr std::array kLeftOut = {"plugin_execution_duration_seconds", "cache_size",
                                 "inflight_events", "queueing_hint_execution_duration_seconds"};
constexpr std::array kWhole = {"pod_scheduling_attempts", "preemption_victims"};

struct Line {
  std::string name, bound;
  std::optional<std::string> labels;
  double value = 0;
};

// `at` is behind the opening quote; afterwards behind the closing one.
std::string quoted(const std::string& text, size_t& at) {
  std::string out;
  for (; text.at(at) != '"'; ++at) {
    if (text[at] != '\\') {
      out += text[at];
      continue;
    }
    ++at;
    out += text.at(at) == 'n' ? '\n' : text[at];
  }
  ++at;
  return out;
}

Line parse(const std::string& text) {
  Line out;
  size_t at = text.find_first_of("{ ");
  out.name = text.substr(0, at);
  if (text.at(at) == '{') {
    while (text[at] != '}') {
      const size_t equals = text.find('=', at);
      const std::string label = text.substr(at + 1, equals - at - 1);
      at = equals + 2;
      const std::string value = quoted(text, at);
      if (label == "le")
        out.bound = value;
      else
        out.labels = out.labels ? *out.labels + "," + value : value;
    }
    ++at;
  }
  out.value = std::stod(text.substr(at));
  return out;
}

bool takes_end(std::string& name, const std::string& end) {
  if (!name.ends_with(end)) return false;
  name.resize(name.size() - end.size());
  return true;
}

}  // namespace

Json metrics_of(const std::string& text) {
  Json out = Json::object();
  std::istringstream lines(text);
  bool histogram = false;
  for (std::string each; std::getline(lines, each);) {
    if (each.starts_with("# TYPE")) histogram = each.ends_with(" histogram");
    if (each.starts_with('#')) continue;
    Line line = parse(each);
    line.name.erase(0, std::string("scheduler_").size());
    std::string end;
    if (histogram) {
      const bool sum = takes_end(line.name, "_sum");
      if (sum || takes_end(line.name, "_bucket")) {
        if (std::find(kWhole.begin(), kWhole.end(), line.name) == kWhole.end()) continue;
        if (line.bound == "+Inf") continue;
        end = sum ? " sum" : " le " + line.bound;
      } else {
        takes_end(line.name, "_count");
      }
    }
    if (line.value == 0 || std::find(kLeftOut.begin(), kLeftOut.end(), line.name) != kLeftOut.end())
      continue;
    const std::string key = (line.labels ? line.name + " " + *line.labels : line.name) + end;
    out[key] = std::trunc(line.value) == line.value ? Json(static_cast<int64_t>(line.value))
                                                    : Json(line.value);
  }
  return out;
}

}  // namespace libsched::cycles
