// libsched/catalog.h over Catalog.
#include "libsched/scheduler/sim/catalog.hpp"
#include "given.hpp"
#include "handles.hpp"
#include "libsched/scheduler/sim/errors.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace libsched::capi {
namespace {

// Gives pages that are free back to the system. glibc keeps them in one arena a thread, so a
// program whose loops run on any of many threads, as Go's do, would grow for hours.
void give_back_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

struct Adding {
  DocumentOptions how;
  bool placed;
  std::vector<Str> extras;
  const Str* extras_or_null() const { return extras.empty() ? nullptr : extras.data(); }
};

Result<Adding> adding(const libsched_catalog_options* given, size_t count) {
  const Result<libsched_catalog_options> o = read_given(given);
  if (!o.ok()) return o.error();
  if (o->form > LIBSCHED_FORM_FLAT)
    return Error{Rc::kUnsupported,
                 "libsched_catalog_options.form: unknown form " + std::to_string(o->form)};
  return Adding{{static_cast<DocumentForm>(o->form), o->defaults},
                o->placed,
                all_in(o->extras, o->extras == nullptr ? 0 : count)};
}

}  // namespace
}  // namespace libsched::capi

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

libsched_rc libsched_catalog_create(libsched_catalog** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return hand_over(error, result, [&] { return new Catalog(); });
}

libsched_rc libsched_catalog_add_pods(libsched_catalog* catalog, const libsched_str* documents,
                                      size_t count, const libsched_catalog_options* options,
                                      uint64_t* refs, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, catalog);
  LIBSCHED_REQUIRE(error, documents != nullptr || count == 0);
  LIBSCHED_REQUIRE(error, refs != nullptr || count == 0);
  return guarded(error, [&]() -> Result<void> {
    const Result<Adding> how = adding(options, count);
    if (!how.ok()) return how.error();
    return unwrap(catalog)->parse_pods(all_in(documents, count), how->how, how->placed,
                                       how->extras_or_null(), refs);
  });
}

libsched_rc libsched_catalog_add_nodes(libsched_catalog* catalog, const libsched_str* documents,
                                       size_t count, const libsched_catalog_options* options,
                                       uint64_t* refs, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, catalog);
  LIBSCHED_REQUIRE(error, documents != nullptr || count == 0);
  LIBSCHED_REQUIRE(error, refs != nullptr || count == 0);
  return guarded(error, [&]() -> Result<void> {
    const Result<Adding> how = adding(options, count);
    if (!how.ok()) return how.error();
    return unwrap(catalog)->parse_nodes(all_in(documents, count), how->how, how->extras_or_null(),
                                        refs);
  });
}

libsched_rc libsched_catalog_add_pod(libsched_catalog* catalog, const libsched_pod* pod,
                                     const libsched_catalog_options* options, uint64_t* ref,
                                     libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, catalog, pod, ref);
  return guarded(error, [&]() -> Result<void> {
    const Result<Adding> how = adding(options, 1);
    if (!how.ok()) return how.error();
    const Pod* const one = unwrap(pod);
    return unwrap(catalog)->add({&one, 1}, how->placed, how->extras_or_null(), ref);
  });
}

libsched_rc libsched_catalog_add_node(libsched_catalog* catalog, const libsched_node* node,
                                      const libsched_catalog_options* options, uint64_t* ref,
                                      libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, catalog, node, ref);
  return guarded(error, [&]() -> Result<void> {
    const Result<Adding> how = adding(options, 1);
    if (!how.ok()) return how.error();
    const Node* const one = unwrap(node);
    return unwrap(catalog)->add({&one, 1}, how->extras_or_null(), ref);
  });
}

size_t libsched_catalog_pod_count(const libsched_catalog* catalog) {
  return !live(catalog) ? 0 : unwrap(catalog)->pods().size();
}
size_t libsched_catalog_node_count(const libsched_catalog* catalog) {
  return !live(catalog) ? 0 : unwrap(catalog)->nodes().size();
}
bool libsched_catalog_has_pod(const libsched_catalog* catalog, uint64_t ref) {
  return live(catalog) && unwrap(catalog)->pods().has(ref);
}
bool libsched_catalog_has_node(const libsched_catalog* catalog, uint64_t ref) {
  return live(catalog) && unwrap(catalog)->nodes().has(ref);
}
libsched_rc libsched_catalog_pod(const libsched_catalog* catalog, uint64_t ref,
                                 libsched_pod** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, catalog, result);
  return hand_over(error, result, [&]() -> Result<Ref<Pod>> {
    const Ref<const PodContent> content = unwrap(catalog)->pods().get(ref);
    if (!content) return stale_pod_ref();
    const Pod& p = *content->pod;
    return copy_pod(p, p.meta.name, p.meta.ns, p.meta.uid, p.spec.node_name);
  });
}
void libsched_catalog_touch_pods(libsched_catalog* catalog, const uint64_t* refs, size_t count) {
  if (live(catalog) && refs != nullptr) unwrap(catalog)->touch_pods({refs, count});
}
void libsched_catalog_touch_nodes(libsched_catalog* catalog, const uint64_t* refs, size_t count) {
  if (live(catalog) && refs != nullptr) unwrap(catalog)->touch_nodes({refs, count});
}
size_t libsched_catalog_age(libsched_catalog* catalog, uint32_t keep) {
  if (!live(catalog)) return 0;
  const size_t forgotten = quietly(size_t{0}, [&] { return unwrap(catalog)->age(keep); });
  if (forgotten != 0) give_back_memory();
  return forgotten;
}

}  // extern "C"
