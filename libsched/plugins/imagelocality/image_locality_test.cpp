// ImageLocality: names, sizes, spread, thresholds and image volumes.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::image_locality_test {

std::string node(const std::string& name, const std::string& images) {
  return "---\nkind: Node\nmetadata: {name: " + name + "}\nstatus: {images: [" + images + "]}\n";
}
std::string image(const std::string& name, int64_t mebibytes) {
  return "{names: ['" + name + "'], sizeBytes: " + std::to_string(mebibytes << 20) + "}";
}

TEST_CASE("size times spread, between the thresholds") {
  Trial t("ImageLocality", node("a", image("web:1", 500)) + node("b", image("web:1", 900)) +
                               node("c", image("db:latest", 250)) + node("d", ""));
  // 500 MiB on two of four nodes: 250 - 23 of 1000 - 23.
  CHECK(t.scores("{containers: [{name: c, image: 'web:1'}]}") == "a 23/23, b 23/23, c 0/0, d 0/0");
  CHECK(t.scores("{containers: [{name: c, image: 'web:2'}]}") == "a 0/0, b 0/0, c 0/0, d 0/0");
  // Without a tag the tag is latest; a colon before a slash is a port.
  CHECK(t.scores("{containers: [{name: c, image: db}]}") == "a 0/0, b 0/0, c 4/4, d 0/0");
  CHECK(t.scores("{containers: [{name: c, image: 'host:5000/db'}]}") ==
        "a 0/0, b 0/0, c 0/0, d 0/0");
  // Each container counts, even init containers and a repeated image.
  CHECK(t.scores("{initContainers: [{name: i, image: 'web:1'}], containers: [{name: c, image: "
                 "'web:1'}, {name: d, image: db}]}") == "a 16/16, b 16/16, c 1/1, d 0/0");
  // Image volumes add size, and raise the thresholds as containers do.
  CHECK(t.scores("{volumes: [{name: v, image: {reference: 'web:1'}}], containers: [{name: c, "
                 "image: 'web:1'}]}") == "a 24/24, b 24/24, c 0/0, d 0/0");
}

TEST_CASE("names with a port, and more than the most") {
  Trial t("ImageLocality", node("a", image("host:5000/db:latest", 5000)) +
                               node("b",
                                    "{names: ['x@sha256:1', 'host:5000/db:latest'], "
                                    "sizeBytes: 1}"));
  CHECK(t.scores("{containers: [{name: c, image: 'host:5000/db'}]}") == "a 100/100, b 100/100");
  CHECK(t.scores("{containers: [{name: c, image: 'x@sha256:1'}]}") == "a 0/0, b 0/0");
}

TEST_CASE("images that no node has") {
  Trial t("ImageLocality", node("a", "") + node("b", ""));
  CHECK(t.scores("{containers: [{name: c, image: web}]}") == "a 0/0, b 0/0");
  CHECK(t.scores("{}") == "a 0/0, b 0/0");
}

TEST_CASE("an unchanged node uses an older number of nodes") {
  Trial t("ImageLocality", node("a", image("web:1", 500)) + node("b", image("web:1", 500)));
  const std::string spec = "{containers: [{name: c, image: 'web:1'}]}";
  CHECK(t.scores(spec) == "a 48/48, b 48/48");
  t.apply(node("c", image("web:1", 500)) + node("d", ""));
  // a, b: 500 * 2 / 4; c: 500 * 3 / 4.
  CHECK(t.scores(spec) == "a 23/23, b 23/23, c 36/36, d 0/0");
  t.apply("kind: Pod\nmetadata: {name: q, namespace: d}\nspec: {nodeName: a}\n");
  CHECK(t.scores(spec) == "a 36/36, b 23/23, c 36/36, d 0/0");
}

TEST_CASE("images of volumes by release: not summed, summed, and counted as well") {
  const auto scores = [](Release release, const std::string& spec) {
    TrialOptions options;
    options.release = release;
    Trial t("ImageLocality",
            node("a", image("web:1", 500) + ", " + image("db:1", 500)) + node("b", ""), options);
    return t.scores(spec);
  };
  const std::string both =
      "{volumes: [{name: v, image: {reference: 'db:1'}}], containers: [{name: c, image: 'web:1'}]}";
  const std::string alone =
      "{volumes: [{name: v, image: {reference: 'db:1'}}], containers: [{name: c, image: x}]}";
  // 250 MiB each: 227 or 477 of 977, 477 of 1977.
  CHECK(scores(Release::k1_31, both) == "a 23/23, b 0/0");
  CHECK(scores(Release::k1_35, both) == "a 23/23, b 0/0");
  CHECK(scores(Release::k1_36, both) == "a 48/48, b 0/0");
  CHECK(scores(Release::k1_37, both) == "a 24/24, b 0/0");
  CHECK(scores(Release::k1_35, alone) == "a 0/0, b 0/0");
  CHECK(scores(Release::k1_36, alone) == "a 23/23, b 0/0");
  CHECK(scores(Release::k1_37, alone) == "a 11/11, b 0/0");
}

}  // namespace libsched::image_locality_test
