// Exposition: metrics as text in Prometheus' exposition format 0.0.4, byte for byte as upstream's
// gatherer and encoder write it: series sorted by the values of their labels, numbers as Go's 'g'.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "libsched/base/histogram.hpp"
#include "libsched/scheduler/metrics/metric_families.hpp"

namespace libsched {

class Exposition {
 public:
  explicit Exposition(const FeatureGates& gates) : gates_(gates) {}

  // Begins the next family and ends the one before. A family without series leaves no text, and so
  // does one whose gate is off or that the gates' release lacks.
  void begin(Metric metric);
  // A series of the family; the values of the labels are in the labels' order.
  using Values = std::initializer_list<Str>;
  void number(Values labels, double value);
  void histogram(Values labels, Span<double> bounds, Span<uint64_t> counts, double sum);
  template <const auto& kBounds>
  void histogram(Values labels, const Histogram<kBounds>& h) {
    const auto counts = h.counts();
    histogram(labels, {kBounds.data(), kBounds.size()}, {counts.data(), counts.size()}, h.sum());
  }
  // A series of a family with labels exists from its first observation on.
  template <const auto& kBounds>
  void histogram_if_observed(Values labels, const Histogram<kBounds>& h) {
    if (h.count() != 0) histogram(labels, h);
  }
  std::string take();  // ends the last family

 private:
  struct Series {
    std::vector<std::string> labels;
    std::string lines;
  };
  void end();
  void line(Str suffix, Values labels, Str bound, double value, std::string* out) const;
  void keep(Values labels, std::string lines);

  const FeatureGates& gates_;
  std::optional<MetricFamily> family_;
  std::vector<Series> series_;
  std::string text_;
};

}  // namespace libsched
