/* Reads documents while one allocation after the other fails (linked with --wrap=malloc): an
   exception in the library finds its handler, and the call returns NO_MEMORY, in the first thread
   and in another one. */
#define _GNU_SOURCE
#include <errno.h>
#include <libsched.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static __thread long left = -1; /* allocations before the one that fails; negative: none fails */

void* __real_malloc(size_t size);
void* __wrap_malloc(size_t size) {
  if (left == 0) errno = ENOMEM;
  return left >= 0 && left-- == 0 ? NULL : __real_malloc(size);
}

static const libsched_str document = LIBSCHED_STR(
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {app: web}}\n"
    "spec:\n  containers:\n  - {name: c, image: i, resources: {requests: {cpu: 100m}}}\n");

/* Returns how many calls failed before the first success, or -1 if one failed in another way. */
static long failures(void) {
  for (long n = 0;; ++n) {
    libsched_pod* pod = NULL;
    left = n;
    const libsched_rc rc = libsched_pod_parse(document, NULL, &pod, NULL);
    left = -1;
    libsched_pod_unref(pod);
    if (rc == LIBSCHED_OK) return n;
    if (rc != LIBSCHED_ERR_NO_MEMORY || pod != NULL) return -1;
  }
}

static void* in_thread(void* result) {
  *(long*)result = failures();
  return NULL;
}

int main(void) {
  /* simdjson finds the kernels for this processor at its first use, and ends the program if that
   * fails. */
  libsched_pod* first = NULL;
  if (libsched_pod_parse(document, NULL, &first, NULL)) return 1;
  libsched_pod_unref(first);
  const long here = failures();
  long there = 0;
  pthread_t thread;
  if (pthread_create(&thread, NULL, in_thread, &there)) return 1;
  pthread_join(thread, NULL);
  printf("%ld and %ld allocations failed\n", here, there);
  return here < 10 || there < 10;
}
