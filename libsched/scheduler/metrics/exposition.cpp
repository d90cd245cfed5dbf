// Exposition: the text of metrics.
#include "libsched/scheduler/metrics/exposition.hpp"

#include <algorithm>

#include "libsched/base/go_float.hpp"

namespace libsched {
namespace {

void escape(Str text, bool quotes, std::string* out) {
  for (const char c : text) {
    if (c == '\n') {
      *out += "\\n";
      continue;
    }
    if (c == '\\' || (quotes && c == '"')) *out += '\\';
    *out += c;
  }
}

}  // namespace

void Exposition::begin(Metric metric) {
  end();
  family_ = metric_family(metric, gates_.release());
  if (family_ && family_->gate && !gates_.enabled(*family_->gate)) family_.reset();
}

void Exposition::end() {
  if (family_ && !series_.empty()) {
    static constexpr std::array<Str, 3> kTypes = {"counter", "gauge", "histogram"};
    text_.append("# HELP ").append(family_->name) += ' ';
    escape(family_->help, false, &text_);
    text_.append("\n# TYPE ").append(family_->name) += ' ';
    text_.append(kTypes[static_cast<size_t>(family_->type)]) += '\n';
    std::sort(series_.begin(), series_.end(),
              [](const Series& a, const Series& b) { return a.labels < b.labels; });
    for (const Series& s : series_) text_ += s.lines;
  }
  series_.clear();
}

void Exposition::line(Str suffix, Values labels, Str bound, double value, std::string* out) const {
  out->append(family_->name).append(suffix);
  char before = '{';
  size_t i = 0;
  for (const Str label : labels) {
    out->append(1, before).append(family_->labels[i++]) += "=\"";
    escape(label, true, out);
    *out += '"';
    before = ',';
  }
  if (!bound.empty()) {
    out->append(1, before).append("le=\"").append(bound) += '"';
    before = ',';
  }
  if (before == ',') *out += '}';
  out->append(" ").append(go_float(value)) += '\n';
}

void Exposition::keep(Values labels, std::string lines) {
  series_.push_back({{labels.begin(), labels.end()}, std::move(lines)});
}

void Exposition::number(Values labels, double value) {
  if (!family_) return;
  std::string lines;
  line("", labels, "", value, &lines);
  keep(labels, std::move(lines));
}

void Exposition::histogram(Values labels, Span<double> bounds, Span<uint64_t> counts, double sum) {
  if (!family_) return;
  std::string lines;
  uint64_t total = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    total += counts[i];
    line("_bucket", labels, i < bounds.size() ? go_float(bounds[i]) : "+Inf",
         static_cast<double>(total), &lines);
  }
  line("_sum", labels, "", sum, &lines);
  line("_count", labels, "", static_cast<double>(total), &lines);
  keep(labels, std::move(lines));
}

std::string Exposition::take() {
  end();
  family_.reset();
  return std::move(text_);
}

}  // namespace libsched
