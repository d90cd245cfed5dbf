// Tolerations and copies of pods.
#include "libsched/objects/pod.hpp"

#include <doctest/doctest.h>

namespace libsched::pod_test {

TEST_CASE("tolerates") {
  using Op = TolerationOp;
  using Effect = TaintEffect;
  struct Case {
    Toleration toleration;
    Str key, value;
    Effect effect;
    Str effect_text;
    bool want, want_compared;
  };
  const Effect all = Effect::kNone, no = Effect::kNoSchedule, odd = Effect::kOther;
  const Case cases[] = {
      {{"k", "v", Op::kEqual, no, ""}, "k", "v", no, "", true, true},
      {{"k", "v", Op::kEqual, all, ""}, "k", "v", Effect::kNoExecute, "", true, true},
      {{"k", "v", Op::kEqual, no, ""}, "k", "v", Effect::kPreferNoSchedule, "", false, false},
      {{"k", "v", Op::kEqual, no, ""}, "k", "w", no, "", false, false},
      {{"k", "v", Op::kEqual, no, ""}, "j", "v", no, "", false, false},
      {{"", "v", Op::kEqual, all, ""}, "k", "v", no, "", true, true},  // the key doesn't matter
      {{"", "", Op::kExists, all, ""}, "k", "v", no, "", true, true},
      {{"k", "other", Op::kExists, no, ""}, "k", "v", no, "", true, true},
      {{"k", "", Op::kExists, odd, "A"}, "k", "", odd, "A", true, true},
      {{"k", "", Op::kExists, odd, "A"}, "k", "", odd, "B", false, false},
      {{"k", "", Op::kExists, odd, "A"}, "k", "", no, "NoSchedule", false, false},
      {{"k", "", Op::kExists, no, ""}, "k", "", all, "", false, false},
      {{"k", "v", Op::kOther, all, ""}, "k", "v", no, "", false, false},
      {{"k", "10", Op::kLt, all, ""}, "k", "5", no, "", false, true},
      {{"k", "10", Op::kLt, all, ""}, "k", "10", no, "", false, false},
      {{"k", "-10", Op::kGt, all, ""}, "k", "-9", no, "", false, true},
      {{"k", "+10", Op::kLt, all, ""}, "k", "5", no, "", false, false},
      {{"k", "010", Op::kLt, all, ""}, "k", "5", no, "", false, false},
      {{"k", "10", Op::kLt, all, ""}, "k", "-0", no, "", false, false},
      {{"k", "10", Op::kLt, all, ""}, "k", "0", no, "", false, true},
      {{"k", "10", Op::kLt, all, ""}, "k", "", no, "", false, false},
      {{"k", "9223372036854775808", Op::kLt, all, ""}, "k", "1", no, "", false, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.toleration.value);
    CAPTURE(c.value);
    CHECK(tolerates(c.toleration, c.key, c.value, c.effect, c.effect_text, false) == c.want);
    CHECK(tolerates(c.toleration, c.key, c.value, c.effect, c.effect_text, true) ==
          c.want_compared);
  }
}

TEST_CASE("copy_pod renames, binds, shares the rest and outlives the original") {
  Ref<Pod> pod = make_ref<Pod>();
  Arena& arena = pod->arena;
  pod->meta.name = arena.copy("template");
  pod->meta.ns = arena.copy("default");
  pod->meta.uid = arena.copy("u0");
  pod->raw = arena.copy("{}");
  const std::vector<Label> labels = {make_label(arena.copy("app"), arena.copy("web"))};
  pod->meta.labels = arena.copy(labels);
  std::vector<Container> containers(1);
  containers[0].name = arena.copy("main");
  const std::vector<NamedQuantity> asked = {{arena.copy("a.com/x"), Quantity::from_int(3)},
                                            {arena.copy("cpu"), Quantity::from_milli(250)}};
  containers[0].requests = arena.copy(asked);
  const std::vector<ContainerPort> ports = {{80, 8080, arena.copy("10.0.0.1"), arena.copy("UDP")}};
  containers[0].ports = arena.copy(ports);
  pod->spec.containers = arena.copy(containers);
  std::vector<Volume> volumes(1);
  volumes[0].kind = VolumeKind::kPersistentVolumeClaim;
  volumes[0].id = arena.copy("claim");
  pod->spec.volumes = arena.copy(volumes);
  pod->spec.priority = 7;
  pod->status.phase = arena.copy("Pending");
  derive_pod(*pod);
  const uint64_t serial = pod->serial;

  Ref<Pod> first = copy_pod(*pod, "one", "team", "u1", "");
  pod = nullptr;
  // A patch of the copy: the next copy may not borrow from it.
  const std::vector<PodCondition> conditions = {
      {first->arena.copy("Ready"), {}, first->arena.copy("why"), first->arena.copy("text")}};
  first->status.conditions = first->arena.copy(conditions);
  first->status.nominated_node_name = first->arena.copy("nominated");
  const char* const patched = first->status.nominated_node_name.data();
  Ref<Pod> copy = copy_pod(*first, "two", "team", "u2", "node-1");
  CHECK(copy->origin == first->origin);  // no chain
  CHECK(first->meta.name == "one");
  CHECK(first->spec.node_name == "");
  CHECK(first->serial > serial);
  CHECK(copy->serial > first->serial);
  CHECK(copy->status.nominated_node_name.data() != patched);
  CHECK(copy->status.conditions.data() != first->status.conditions.data());
  CHECK(copy->status.conditions[0].reason.data() != first->status.conditions[0].reason.data());
  first = nullptr;

  CHECK(copy->status.nominated_node_name == "nominated");
  CHECK(copy->status.conditions[0].type == "Ready");
  CHECK(copy->status.conditions[0].message == "text");
  CHECK(copy->meta.name == "two");
  CHECK(copy->meta.ns == "team");
  CHECK(copy->meta.uid == "u2");
  CHECK(copy->meta.key_hash == object_key_hash("team", "two"));
  CHECK(copy->spec.node_name == "node-1");
  CHECK(copy->meta.labels[0].value == "web");
  CHECK(copy->raw == "{}");
  CHECK(copy->spec.containers[0].name == "main");
  CHECK(copy->spec.priority == 7);
  CHECK(copy->status.phase == "Pending");
  CHECK(copy->requests.milli_cpu == 250);
  CHECK(copy->requests.scalars[0].name == "a.com/x");
  CHECK(copy->occupied.scalars[0].value == 3);
  CHECK(copy->occupied_nonzero.memory == int64_t{200} << 20);
  CHECK(copy->host_ports[0].ip == "10.0.0.1");
  CHECK(copy->claim_names[0] == "claim");
}

}  // namespace libsched::pod_test
