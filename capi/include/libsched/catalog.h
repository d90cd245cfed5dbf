/* Contents of pods and nodes, kept once and named by numbers. Include <libsched.h>.

   A libsched_catalog keeps one parsed object for all pods, or nodes, that no plugin can tell apart, and
   gives it a reference: a number. Equal contents have equal references, so a reference is the name of an
   equivalence group. Names, uids and what no filter reads (such as environment variables, or volumes other
   than claims and disks) are no part of a content; a pod with an ephemeral volume keeps its name, by
   which its claim is found. Any number of threads may use a
   catalog. Any number of simulated clusters (sim.h) may share it. */
#ifndef LIBSCHED_CATALOG_H
#define LIBSCHED_CATALOG_H

#include <libsched/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The contents; any thread. References are numbers with a generation: 0 is none, and a reference to a
   content that has been forgotten is never given to another one. */
typedef struct libsched_catalog libsched_catalog;
libsched_rc libsched_catalog_create(LIBSCHED_OWN libsched_catalog **out, LIBSCHED_OWN libsched_error **error);
libsched_catalog *libsched_catalog_ref(libsched_catalog *catalog);
void libsched_catalog_unref(LIBSCHED_OWN libsched_catalog *catalog);

/* The form of a document. */
enum {
  LIBSCHED_FORM_TEXT = 0,     /* JSON or YAML */
  LIBSCHED_FORM_PROTOBUF = 1, /* Kubernetes protobuf, in its envelope or as a bare message */
  LIBSCHED_FORM_FLAT = 2      /* the flat form, see docs/flat.md */
};
/* How contents are added. Zero everywhere is the default. */
typedef struct libsched_catalog_options {
  uint32_t struct_size; /* sizeof(libsched_catalog_options) */
  uint32_t form;        /* LIBSCHED_FORM_* of the documents */
  /* Of pods: leave out spec.nodeName and status.nominatedNodeName, so that all pods of a workload have
     one reference wherever they run. For pods that are put onto nodes, and for pods that move. */
  bool placed;
  bool defaults;    /* API defaulting of documents, as in libsched_parse_options */
  bool reserved[6]; /* false */
  /* Further bytes of each content, as many as documents: what plugins of the caller's read beside the
     fields that libsched keeps. Contents with different bytes are different. NULL: none. */
  const libsched_str *extras;
} libsched_catalog_options;
#define LIBSCHED_CATALOG_OPTIONS_INIT \
  {sizeof(libsched_catalog_options), 0, false, false, {false, false, false, false, false, false}, LIBSCHED_NULL}

/* Write the references of as many pods, or nodes, to `refs`; all are added, or none. A node's name is no
   part of its content, nor is the label kubernetes.io/hostname if it is equal to the name: it follows
   the name of each node that is made of the content. `options` may be NULL.
   Errors: INVALID with the place, which begins with the document's index, LIMIT, UNSUPPORTED (an option).
     libsched_catalog_add_pods(catalog, &document, 1, NULL, &web, &error); */
libsched_rc libsched_catalog_add_pods(libsched_catalog *catalog, const libsched_str *documents, size_t count,
                                      const libsched_catalog_options *options, uint64_t *refs, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_catalog_add_nodes(libsched_catalog *catalog, const libsched_str *documents, size_t count,
                                       const libsched_catalog_options *options, uint64_t *refs, LIBSCHED_OWN libsched_error **error);
/* The same for a parsed object. `options` may be NULL; its form is not used, and `extras` is one string.
   Errors: UNSUPPORTED (an option). */
libsched_rc libsched_catalog_add_pod(libsched_catalog *catalog, const libsched_pod *pod, const libsched_catalog_options *options,
                                     uint64_t *ref, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_catalog_add_node(libsched_catalog *catalog, const libsched_node *node, const libsched_catalog_options *options,
                                      uint64_t *ref, LIBSCHED_OWN libsched_error **error);

/* The number of different contents. */
size_t libsched_catalog_pod_count(const libsched_catalog *catalog);
size_t libsched_catalog_node_count(const libsched_catalog *catalog);
/* Whether the reference names a content of pods, or of nodes. */
bool libsched_catalog_has_pod(const libsched_catalog *catalog, uint64_t ref);
bool libsched_catalog_has_node(const libsched_catalog *catalog, uint64_t ref);
/* A content as a pod, whose fields tell what it is: libsched_pod_resource() its requests. It has no name, unless
   that is a part of the content, and stays when the content is forgotten. Errors: STALE.
     libsched_catalog_pod(catalog, web, &pod, &error); */
libsched_rc libsched_catalog_pod(const libsched_catalog *catalog, uint64_t ref, LIBSCHED_OWN libsched_pod **out,
                                 LIBSCHED_OWN libsched_error **error);

/* Count contents as returned in this age, for callers that keep references; those that are not valid are
   passed over. */
void libsched_catalog_touch_pods(libsched_catalog *catalog, const uint64_t *refs, size_t count);
void libsched_catalog_touch_nodes(libsched_catalog *catalog, const uint64_t *refs, size_t count);
/* Begins a new age, and forgets the contents that no function above has returned in the latest `keep`
   ages; 0 stands for this one alone. A content of which a simulated cluster has a pod or a node, or that
   a revert may bring back, is kept, and so may be one that it was asked about since its last reset but one.
   Returns the number of contents forgotten; if there are some, memory that the process does not need goes back
   to the system, which takes a millisecond or a few. Call it once in a loop. */
size_t libsched_catalog_age(libsched_catalog *catalog, uint32_t keep);

#ifdef __cplusplus
}
#endif
#endif
