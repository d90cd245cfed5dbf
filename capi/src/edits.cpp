// Edits of clusters.
#include "libsched/scheduler/what_if/edits.hpp"
#include "libsched/scheduler/what_if/chosen_nodes.hpp"

#include "handles.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

static_assert(LIBSCHED_NEW_POD == AskedPod::kNew);

extern "C" {

libsched_rc libsched_cluster_edit(libsched_cluster* cluster, const libsched_str* edits,
                                  size_t edit_count, const libsched_pod* const* pods,
                                  const libsched_str* kinds, const size_t* replicas, size_t count,
                                  libsched_edited** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cluster);
  LIBSCHED_REQUIRE(error, edits != nullptr || edit_count == 0);
  LIBSCHED_REQUIRE_EACH(error, pods, count);
  LIBSCHED_REQUIRE(error, result != nullptr);
  return hand_over(error, result, [&]() -> Result<Ref<EditedObject>> {
    const std::vector<Str> texts = all_in(edits, edit_count);
    std::vector<AskedPod> asked;
    for (size_t i = 0; i < count; ++i) {
      asked.push_back({PodRef::share(unwrap(pods[i])),
                       std::string(kinds == nullptr ? Str() : in(kinds[i])),
                       replicas == nullptr ? 1 : replicas[i], i});
    }
    Ref<EditedObject> edited = make_ref<EditedObject>();
    edited->pods = std::move(asked);
    LIBSCHED_TRY(apply_edits(*unwrap(cluster), texts, &edited->pods, &edited->notes));
    return edited;
  });
}
libsched_rc libsched_view_choose_nodes(const libsched_view* view, libsched_str nodes,
                                       libsched_text** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, view, result);
  return hand_over(error, result, [&]() -> Result<std::string> {
    const Result<std::vector<std::string>> names = chosen_nodes(*unwrap(view), in(nodes));
    if (!names.ok()) return names.error();
    std::string lines;
    for (const std::string& name : *names) lines += (lines.empty() ? "" : "\n") + name;
    return lines;
  });
}

size_t libsched_edited_pod_count(const libsched_edited* edited) {
  return live(edited) ? unwrap(edited)->pods.size() : 0;
}
const libsched_pod* libsched_edited_pod(const libsched_edited* edited, size_t index, size_t* origin,
                                        size_t* replicas) {
  if (!live(edited) || index >= unwrap(edited)->pods.size()) return nullptr;
  const AskedPod& pod = unwrap(edited)->pods[index];
  if (origin != nullptr) *origin = pod.origin;
  if (replicas != nullptr) *replicas = pod.replicas;
  return wrap(pod.pod.get());
}
size_t libsched_edited_note_count(const libsched_edited* edited) {
  return live(edited) ? unwrap(edited)->notes.size() : 0;
}
libsched_str libsched_edited_note(const libsched_edited* edited, size_t index) {
  return index < libsched_edited_note_count(edited) ? out(unwrap(edited)->notes[index])
                                                    : out(Str());
}

}  // extern "C"
