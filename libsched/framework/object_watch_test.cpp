// ObjectWatch: its initial objects, and changes.
#include "libsched/framework/object_watch.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "libsched/ingest/ingest.hpp"
#include "libsched/objects/storage.hpp"

namespace libsched::object_watch_test {

constexpr StoredKind kVolume = StoredKind::kPersistentVolume;
constexpr StoredKind kClaim = StoredKind::kPersistentVolumeClaim;

void put(Cluster& cluster, const std::string& objects) {
  const Result<ObjectSet> set = parse_objects(objects, {});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  REQUIRE(cluster.apply(*set).ok());
}

std::string node(const std::string& labels) {
  return "---\napiVersion: v1\nkind: Node\nmetadata: {name: 'n', labels: {" + labels + "}}\n";
}
std::string pod(const std::string& name) {
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         ", namespace: d}\nspec: {nodeName: 'n'}\n";
}
std::string claim(const std::string& volume) {
  return "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c, namespace: d}\n"
         "spec: {volumeName: '" +
         volume + "'}\n";
}
std::string volume(const std::string& storage_class) {
  return "---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\nspec: "
         "{storageClassName: " +
         storage_class + "}\n";
}

std::string volume_of(const ObjectWatch& watch) {
  const auto claim = watch.find<PersistentVolumeClaim>("d", "c");
  return claim ? std::string(claim->volume_name) : "-";
}
std::string class_of(const ObjectWatch& watch) {
  const auto pv = watch.find<PersistentVolume>({}, "v");
  return pv ? std::string(pv->storage_class()) : "-";
}

TEST_CASE("watched objects have their initial state, then follow the cluster's changes") {
  const Ref<Cluster> cluster = make_ref<Cluster>();
  put(*cluster, node("a: b") + pod("p") + claim(""));
  const std::shared_ptr<ObjectWatch> watch = ObjectWatch::on(*cluster);
  watch->add_node("n");
  watch->add_pod("d", "p");
  watch->add_pod("d", "q");
  watch->add(kClaim, "d", "c");
  CHECK(watch->node("n")->meta.labels.size() == 1);
  CHECK(watch->pod("d", "p"));
  CHECK_FALSE(watch->pod("d", "q"));
  CHECK(volume_of(*watch).empty());
  put(*cluster, node("a: b, c: d") + pod("q") + claim("v") + pod("other"));
  CHECK(watch->node("n")->meta.labels.size() == 2);
  CHECK(watch->pod("d", "q"));
  CHECK(volume_of(*watch) == "v");
  CHECK_FALSE(watch->pod("d", "other"));  // it is not watched
  REQUIRE(cluster->remove_pod("d", "p").ok());
  REQUIRE(cluster->remove_node("n").ok());
  REQUIRE(cluster->remove_object(kClaim, "d", "c").ok());
  CHECK_FALSE(watch->pod("d", "p"));
  CHECK_FALSE(watch->node("n"));
  CHECK(volume_of(*watch) == "-");
}

TEST_CASE("with a claim its volume is watched, whichever is added first") {
  const Ref<Cluster> cluster = make_ref<Cluster>();
  put(*cluster, claim(""));
  const std::shared_ptr<ObjectWatch> watch = ObjectWatch::on(*cluster);
  watch->add(kClaim, "d", "c");
  put(*cluster, volume("x"));
  CHECK(class_of(*watch) == "-");
  put(*cluster, claim("v"));
  CHECK(class_of(*watch) == "x");
  put(*cluster, volume("yy"));
  CHECK(class_of(*watch) == "yy");
  const std::shared_ptr<ObjectWatch> later = ObjectWatch::on(*cluster);
  later->add(kClaim, "d", "c");
  CHECK(class_of(*later) == "yy");
}

TEST_CASE("a watch ignores assumed objects and changes in a fork") {
  const Ref<Cluster> cluster = make_ref<Cluster>();
  put(*cluster, volume("x"));
  const std::shared_ptr<ObjectWatch> watch = ObjectWatch::on(*cluster);
  watch->add(kVolume, {}, "v");
  const Result<ObjectSet> y = parse_objects(volume("yy"), {});
  REQUIRE(cluster->assume_object(kVolume, y->stored[0].object).ok());
  CHECK(class_of(*watch) == "x");
  REQUIRE(cluster->fork().ok());
  put(*cluster, volume("z"));
  CHECK(class_of(*watch) == "x");
  REQUIRE(cluster->revert().ok());
  CHECK(class_of(*watch) == "x");
  REQUIRE(cluster->fork().ok());
  put(*cluster, volume("z"));
  REQUIRE(cluster->commit().ok());
  CHECK(class_of(*watch) == "z");
}

TEST_CASE("watches share what they watch, and each ends alone") {
  const Ref<Cluster> cluster = make_ref<Cluster>();
  std::vector<std::shared_ptr<ObjectWatch>> all;
  const auto named = [](int i, const std::string& volume) {
    const std::string name = std::to_string(i);
    return "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c" + name +
           ", namespace: d}\nspec: {volumeName: '" + volume + "'}\n";
  };
  for (int i = 0; i < 200; ++i) {
    put(*cluster, named(i, i % 2 == 0 ? "v" : ""));
    all.push_back(ObjectWatch::on(*cluster));
    all.back()->add_node("n");
    all.back()->add(kClaim, "d", "c" + std::to_string(i));
  }
  put(*cluster, node("a: b") + volume("x"));
  CHECK(class_of(*all[198]) == "x");
  CHECK(class_of(*all[199]) == "-");
  for (int i = 0; i < 200; i += 2) {
    put(*cluster, named(i, "w"));  // another volume
    put(*cluster, named(i + 1, "v"));
  }
  put(*cluster, volume("yy"));
  CHECK(class_of(*all[198]) == "-");
  CHECK(class_of(*all[199]) == "yy");
  CHECK(all[0]->node("n"));
  for (int i = 0; i < 199; ++i) all[static_cast<size_t>(i)] = nullptr;
  put(*cluster, node("") + volume("z"));
  CHECK(class_of(*all[199]) == "z");
  CHECK(all[199]->node("n")->meta.labels.empty());
  all.clear();
  put(*cluster, volume("x"));
  const std::shared_ptr<ObjectWatch> again = ObjectWatch::on(*cluster);
  again->add(kClaim, "d", "c1");
  CHECK(class_of(*again) == "x");
}

TEST_CASE("another thread reads what the writer changes") {
  const Ref<Cluster> cluster = make_ref<Cluster>();
  put(*cluster, claim("") + volume("first"));
  const std::shared_ptr<ObjectWatch> watch = ObjectWatch::on(*cluster);
  watch->add(kClaim, "d", "c");
  std::thread reader([&] {
    while (class_of(*watch) != "last") std::this_thread::yield();
  });
  for (int i = 0; i < 100; ++i) put(*cluster, volume("c" + std::to_string(i)));
  put(*cluster, claim("v"));
  put(*cluster, volume("last"));
  reader.join();
  CHECK(volume_of(*watch) == "v");
}

}  // namespace libsched::object_watch_test
