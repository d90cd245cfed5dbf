// Expressions of the Common Expression Language.
#include <algorithm>

#include "given.hpp"
#include "handles.hpp"
#include "libsched/cel/question.hpp"
#include "libsched/config/selector_options.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

Result<cel::Options> cel_options(const libsched_cel_options* given) {
  const Result<libsched_cel_options> o = read_given(given);
  if (!o.ok()) return o.error();
  const Result<Release> release = parse_release(in(o->semantics));
  if (!release.ok()) return release.error();
  cel::Options options = selector_options(behaviours_of(*release), o->list_attributes);
  options.any_result = o->any_result;
  if (o->cost_limit != 0) options.cost_limit = o->cost_limit;
  return options;
}

// A device of a caller, and what it points to.
struct GivenDevice {
  std::vector<cel::Attribute> attributes;
  std::vector<cel::Capacity> capacity;
  std::vector<std::vector<Str>> texts;  // their items stay where they are when it grows
  cel::Device device;

  Result<void> read(const libsched_cel_device* given) {
    const Result<libsched_cel_device> d = read_given(given);
    if (!d.ok()) return d.error();
    if ((d->attributes == nullptr && d->attribute_count != 0) ||
        (d->capacity == nullptr && d->capacity_count != 0))
      return null_list("libsched_cel_device");
    attributes.reserve(d->attribute_count);
    capacity.reserve(d->capacity_count);
    for (size_t i = 0; i < d->attribute_count; ++i) LIBSCHED_TRY(attribute(d->attributes[i], i));
    for (size_t i = 0; i < d->capacity_count; ++i) {
      const libsched_cel_capacity& c = d->capacity[i];
      const auto quantity = Quantity::parse(in(c.value));
      if (!quantity.ok())
        return invalid("capacity[" + std::to_string(i) + "].value", quantity.error().message);
      capacity.push_back({in(c.name), *quantity, in(c.value)});
    }
    device = {in(d->driver), d->allow_multiple_allocations, attributes, capacity};
    return {};
  }

 private:
  static Error null_list(const char* name) {
    return {Rc::kMisuse, std::string(name) + ": a list with items is NULL"};
  }

  Result<void> attribute(const libsched_cel_attribute& a, size_t i) {
    if (a.kind > LIBSCHED_CEL_VERSIONS || a.reserved != 0)
      return Error{Rc::kUnsupported, "an unknown kind of attribute",
                   "attributes[" + std::to_string(i) + "]"};
    cel::Attribute out;
    out.name = in(a.name);
    out.kind = static_cast<cel::Attribute::Kind>(a.kind);
    out.number = a.number;
    out.text = in(a.text);
    const bool has_numbers = a.kind == LIBSCHED_CEL_INTS || a.kind == LIBSCHED_CEL_BOOLS;
    const bool has_texts = a.kind == LIBSCHED_CEL_STRINGS || a.kind == LIBSCHED_CEL_VERSIONS;
    if (a.count != 0 &&
        ((has_numbers && a.numbers == nullptr) || (has_texts && a.texts == nullptr)))
      return null_list("libsched_cel_attribute");
    if (has_numbers) out.numbers = {a.numbers, a.count};
    if (has_texts) out.texts = texts.emplace_back(all_in(a.texts, a.count));
    attributes.push_back(out);
    return {};
  }
};

}  // namespace

extern "C" {

libsched_rc libsched_cel_compile(libsched_str expression, const libsched_cel_options* options,
                                 libsched_cel** result, libsched_error** error) {
  LIBSCHED_REQUIRE(error, result != nullptr);
  LIBSCHED_REQUIRE(error, expression.ptr != nullptr || expression.len == 0);
  return hand_over(error, result, [&]() -> Result<Ref<const cel::Question>> {
    const Result<cel::Options> how = cel_options(options);
    if (!how.ok()) return how.error();
    return cel::Question::ask(in(expression), *how);
  });
}

libsched_str libsched_cel_type(const libsched_cel* cel) {
  return live(cel) ? out(unwrap(cel)->program().type()) : out(Str());
}

libsched_rc libsched_cel_match(const libsched_cel* cel, const libsched_cel_device* device,
                               libsched_cel_answer* answer, libsched_text** text,
                               libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cel);
  LIBSCHED_REQUIRE(error, device != nullptr);
  LIBSCHED_REQUIRE(error, answer != nullptr);
  return guarded(error, [&]() -> Result<void> {
    LIBSCHED_TRY(writable_struct(answer, "libsched_cel_answer"));
    GivenDevice given;
    LIBSCHED_TRY(given.read(device));
    cel::Scratch scratch;
    const cel::Question& question = *unwrap(cel);
    cel::MatchResult match;
    std::string said;
    if (question.options().any_result) {
      cel::Evaluation e = question.program().evaluate(given.device, scratch);
      match = std::move(e.match);
      said = std::move(e.ok ? e.value : e.error);
    } else {
      match = question.program().match(given.device, scratch);
      said = std::move(match.error);
    }
    libsched_text* const made =
        text == nullptr ? nullptr : own(make_ref<Text>(std::move(said)).release());
    write_struct(answer,
                 {sizeof(libsched_cel_answer), static_cast<uint32_t>(match.match), match.cost});
    if (text != nullptr) *text = made;
    return {};
  });
}

libsched_rc libsched_cel_devices_json(const libsched_cel* cel, const libsched_objects* objects,
                                      libsched_text** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cel, objects);
  LIBSCHED_REQUIRE(error, result != nullptr);
  return hand_over(error, result, [&] {
    std::vector<const ResourceSlice*> slices;
    for (const StoredObject& o : unwrap(objects)->set.stored)
      if (o.kind == StoredKind::kResourceSlice)
        slices.push_back(static_cast<const ResourceSlice*>(o.object.get()));
    return unwrap(cel)->devices_json(slices);
  });
}

}  // extern "C"
