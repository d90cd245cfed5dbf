// Calls of expressions that generate.py has no rule for, and their options.
#include "arguments.hpp"
#include "special.hpp"

namespace fuzz {

template <>
void fill(Turn& t, libsched_cel_options& o) {
  o.list_attributes = t.choose.one_in(3);
  o.any_result = t.choose.one_in(2);
  o.reserved[1] = t.choose.one_in(40);
  static constexpr const char* kSemantics[] = {"1.37", "1.35", "1.99"};
  if (t.choose.one_in(3)) o.semantics = libsched_str_from(t.choose.of(kSemantics));
  o.cost_limit = t.choose.one_in(4) ? t.choose.below(20) : 0;
}

void call_libsched_cel_match(Turn& t) {
  In<const libsched_cel> cel(t, "cel", kConst);
  String driver(t, "driver", Words::kKey);
  String name(t, "name", Words::kKey);
  String value(t, "value", Words::kResource);
  Filled<libsched_cel_answer> answer(t, "answer");
  Out<libsched_text> text(t, "text", kMayBeNull);
  Fault error(t, "error");
  const int64_t numbers[] = {1, 0};
  const libsched_str texts[] = {value.get(), LIBSCHED_STR("1.2.3")};
  const auto kind = static_cast<uint32_t>(t.choose.below(10));
  const libsched_cel_attribute attribute = {name.get(), kind, 0, 7, value.get(), numbers, texts, 2};
  const libsched_cel_capacity capacity = {name.get(),
                                          t.choose.one_in(2) ? LIBSCHED_STR("1Gi") : value.get()};
  libsched_cel_device device = LIBSCHED_CEL_DEVICE_INIT;
  device.reserved[2] = t.choose.one_in(40);
  device.driver = driver.get();
  device.attributes = &attribute;
  device.attribute_count = t.choose.below(2);
  device.capacity = &capacity;
  device.capacity_count = t.choose.below(2);
  t.begin("libsched_cel_match", Changes::kNothing, cel, driver, name, value, answer, text, error);
  const libsched_rc rc =
      libsched_cel_match(cel.get(), &device, answer.get(), text.get(), error.get());
  t.end_fallible(rc, cel, driver, name, value, answer, text, error);
}

}  // namespace fuzz
