// Finds the release of a cluster. Pods count by the image of the container that is named as they
// are, so that the images of sidecars do not.
#include "libsched/config/cluster_release.hpp"

#include <algorithm>

#include "libsched/ingest/write/json_text.hpp"

namespace libsched {
namespace {

using Source = ClusterRelease::Source;

// The tag of an image such as "registry:5000/kube-scheduler:v1.36.1@sha256:...", or "".
Str tag_of(Str image) {
  image = image.substr(0, image.find('@'));
  const size_t slash = image.rfind('/'), colon = image.rfind(':');
  if (colon == Str::npos || (slash != Str::npos && colon < slash)) return {};
  return image.substr(colon + 1);
}

bool is_component(const Pod& pod, Str component) {
  if (pod.meta.ns != "kube-system") return false;
  const Label* label = find_label(pod.meta.labels, "component");
  return pod.meta.name.starts_with(component) || (label != nullptr && label->value == component);
}

// Takes a version that is newer than what was found so far.
void offer(ClusterRelease& best, Str version, Source source, const ObjectMeta* where) {
  const std::optional<int> minor = minor_of_version(version);
  if (!minor || (best.source == source && *minor <= best.minor)) return;
  best.minor = *minor;
  best.version = version;
  best.source = source;
  best.where = where;
}

void offer_pod(ClusterRelease& best, const Pod& pod, Str component) {
  if (!is_component(pod, component)) return;
  for (const Container& container : pod.spec.containers)
    if (container.name == component) offer(best, tag_of(container.image), Source::kPod, &pod.meta);
}

ClusterRelease find(const View& view, Str server_version) {
  ClusterRelease scheduler, server, api_server, kubelet;
  offer(server, server_version, Source::kServer, nullptr);
  for (uint32_t r = 0; r < view.row_count(); ++r) {
    const View::Row& row = view.row(r);
    if (!row.node) continue;
    offer(kubelet, row.node->kubelet_version, Source::kKubelet, &row.node->meta);
    for (const uint32_t slot : row.pods) {
      const Pod& pod = *view.slot(slot).pod;
      offer_pod(scheduler, pod, "kube-scheduler");
      offer_pod(api_server, pod, "kube-apiserver");
    }
  }
  for (const ClusterRelease& found : {scheduler, server, api_server})
    if (found.source != Source::kNone) return found;
  return kubelet;
}

std::string source_text(const ClusterRelease& found) {
  switch (found.source) {
    case Source::kPod: return std::string(found.where->ns) + "/" + std::string(found.where->name);
    case Source::kServer: return "the API server";
    case Source::kKubelet: return "the kubelet on " + std::string(found.where->name);
    default: return {};
  }
}

std::string note_text(const ClusterRelease& found) {
  const int known = minor_of(found.release);
  if (found.minor == known) return {};
  return std::string(found.version) +
         (found.minor > known ? " is newer than " : " is older than ") +
         std::string(release_name(found.release)) + ", whose semantics apply";
}

}  // namespace

ClusterRelease cluster_release(const View& view, Str server_version) {
  ClusterRelease found = find(view, server_version);
  const int minor = std::clamp(found.minor, minor_of(kOldestRelease), minor_of(kNewestRelease));
  found.release = static_cast<Release>(minor - minor_of(kOldestRelease));
  return found;
}

std::string cluster_release_json(const ClusterRelease& found) {
  JsonText json;
  json.object([&] {
    json.field("name", release_name(found.release));
    json.field("version", found.version);
    json.field("source", source_text(found));
    json.field("note", note_text(found));
  });
  return json.take();
}

}  // namespace libsched
