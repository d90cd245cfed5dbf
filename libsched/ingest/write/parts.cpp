// See parts.hpp.
#include "libsched/ingest/write/parts.hpp"

#include <chrono>
#include <cstdio>

namespace libsched {
namespace {

std::string time_text(int64_t ns) {
  using namespace std::chrono;  // NOLINT(google-build-using-namespace)
  constexpr int64_t kSecond = 1'000'000'000;
  int64_t part = ns % kSecond;
  if (part < 0) part += kSecond;
  // Whole seconds first: the beginning of the earliest day is no number of nanoseconds.
  const sys_seconds at{seconds(ns / kSecond - (ns % kSecond < 0 ? 1 : 0))};
  const auto day = floor<days>(at);
  const year_month_day date(day);
  const hh_mm_ss<seconds> time(at - day);
  char text[64];
  int size = std::snprintf(
      text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
      static_cast<int>(time.seconds().count()));
  std::string out(text, static_cast<size_t>(size));
  if (part != 0) {
    size = std::snprintf(text, sizeof text, ".%09lld", static_cast<long long>(part));
    out.append(text, static_cast<size_t>(size));
  }
  return out + "Z";
}

void write_requirements(JsonText& json, Str name, Span<Requirement> requirements) {
  json.objects_if(name, requirements, [&](const Requirement& r) {
    json.field("key", r.key);
    json.field("operator", r.op_text);
    if (r.values_present || !r.values.empty())
      json.list("values", r.values, [&](Str value) { json.string(value); });
  });
}

}  // namespace

void write_time_if(JsonText& json, Str name, const Time& time) {
  if (time.present) json.field(name, time_text(time.ns));
}

void write_head(JsonText& json, Str api_version, Str kind, const ObjectMeta& meta, Str more,
                Span<Str> finalizers, Str generate_name) {
  json.field("apiVersion", api_version);
  json.field("kind", kind);
  json.object("metadata", [&] {
    if (generate_name.empty()) {
      json.field("name", meta.name);
      json.field_if("uid", meta.uid);
    } else {
      json.field("generateName", generate_name);
    }
    json.field_if("namespace", meta.ns);
    json.field_if("resourceVersion", meta.resource_version);
    write_time_if(json, "creationTimestamp", meta.created);
    write_time_if(json, "deletionTimestamp", meta.deleted);
    if (!meta.labels.empty()) json.labels("labels", meta.labels);
    if (!meta.annotations.empty() || !more.empty())
      json.object("annotations", [&] {
        for (const KeyValue& a : meta.annotations) json.field(a.key, a.value);
        if (!more.empty() && find_annotation(meta, more) == nullptr) json.field(more, "");
      });
    json.objects_if("ownerReferences", meta.owners, [&](const OwnerReference& o) {
      json.field_if("apiVersion", o.api_version);
      json.field_if("kind", o.kind);
      json.field_if("name", o.name);
      json.field_if("uid", o.uid);
      json.true_if("controller", o.controller);
    });
    json.strings_if("finalizers", finalizers);
  });
}

void write_label_selector(JsonText& json, Str name, const LabelSelector& selector) {
  if (!selector.present) return;
  json.object(name, [&] {
    if (!selector.match_labels.empty()) json.labels("matchLabels", selector.match_labels);
    write_requirements(json, "matchExpressions", selector.match_expressions);
  });
}

void write_node_selector_term(JsonText& json, const NodeSelectorTerm& term) {
  write_requirements(json, "matchExpressions", term.match_expressions);
  write_requirements(json, "matchFields", term.match_fields);
}

void write_node_selector(JsonText& json, Str name, const NodeSelector& selector) {
  if (!selector.present) return;
  json.object(name, [&] {
    json.objects("nodeSelectorTerms", selector.terms,
                 [&](const NodeSelectorTerm& term) { write_node_selector_term(json, term); });
  });
}

void write_tolerations_if(JsonText& json, Span<Toleration> tolerations) {
  json.objects_if("tolerations", tolerations, [&](const Toleration& t) {
    json.field_if("key", t.key);
    json.field_if("operator", t.op_text);
    json.field_if("value", t.value);
    json.field_if("effect", t.effect_text);
    json.number_if("tolerationSeconds", t.seconds);
  });
}

}  // namespace libsched
