"""The hashes of a process depend on a secret; what the library says does not.

The secret is the system's random numbers, so the test puts its own getrandom() before the system's.
"""

import os
import shutil
import subprocess
import sys

import pytest

GETRANDOM = r"""
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

ssize_t getrandom(void *out, size_t size, unsigned int flags) {
  (void)flags;
  const char *seed = getenv("TEST_SEED");
  if (size == 16 && write(2, "drawn\n", 6) != 6) abort();
  if (strcmp(seed, "none") == 0) {
    errno = ENOSYS;
    return -1;
  }
  memset(out, atoi(seed), size);
  return (ssize_t)size;
}
"""

SAYS = r"""
import json, random, sys
import libsched

choose = random.Random(1)
zones = ["a", "b", "c"]
nodes = [{"apiVersion": "v1", "kind": "Node",
          "metadata": {"name": f"n{i}", "labels": {
              "kubernetes.io/hostname": f"n{i}", "topology.kubernetes.io/zone": choose.choice(zones),
              f"key{i % 17}": f"value{i % 5}"}},
          "spec": {"taints": [{"key": f"t{i % 4}", "effect": "PreferNoSchedule"}]},
          "status": {"allocatable": {"cpu": str(1 + i % 7), "memory": "16Gi", "pods": "20",
                                     f"example.com/r{i % 9}": "3"},
                     "images": [{"names": [f"image{i % 6}"], "sizeBytes": 500000000 + i}]}}
         for i in range(150)]

def pod(i):
    app = f"app{i % 8}"
    chosen = {"matchLabels": {"app": app}}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"p{i}", "labels": {"app": app, "tier": str(i % 3)}},
            "spec": {"containers": [{"name": "c", "image": f"image{i % 6}", "resources": {
                         "requests": {"cpu": "300m", f"example.com/r{i % 9}": "1"}}}],
                     "affinity": {
                         "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
                             {"weight": 5, "podAffinityTerm": {
                                 "labelSelector": chosen, "topologyKey": "kubernetes.io/hostname"}}]},
                         "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
                             {"weight": 1 + j, "preference": {"matchExpressions": [
                                 {"key": f"key{j}", "operator": "Exists"}]}} for j in range(9)]}},
                     "topologySpreadConstraints": [
                         {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
                          "whenUnsatisfiable": "DoNotSchedule", "labelSelector": chosen}]}}

cluster = libsched.Cluster(nodes)
scheduler = libsched.Framework()
for i in range(120):
    result = scheduler.fit(cluster, pod(i))
    print(json.dumps(result.to_dict()), result.explain())
    if result.nodes:
        cluster.add_pods(pod(i), result.nodes[i % len(result.nodes)])
    if i % 10 == 9:
        cluster.remove_node(f"n{i}")
print(list(cluster.nodes), list(cluster.pods))
for text in ("{apiVersion: v1, kind: Pod, b: 1, a: 2, metadata: {name: x, z: 1, y: 2}}",
             "{apiVersion: v1, kind: Node, metadata: {name: n}, spec: {taints: [{key: k}, {key: k}]}}"):
    try:
        print(libsched.Objects(text, strict=True))
    except libsched.Error as error:
        print(error)
"""


@pytest.mark.skipif(sys.platform != "linux" or shutil.which("cc") is None
                    or "LD_PRELOAD" in os.environ, reason="needs Linux and a C compiler")
def test_no_output_depends_on_the_secret(tmp_path):
    source, library = tmp_path / "getrandom.c", tmp_path / "getrandom.so"
    source.write_text(GETRANDOM)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    said = {}
    for seed in ("1", "2", "200", "none"):
        ran = subprocess.run(
            [sys.executable, "-c", SAYS], check=True, capture_output=True,
            env={**os.environ, "LD_PRELOAD": str(library), "TEST_SEED": seed,
                 "PYTHONHASHSEED": "0"})
        assert b"drawn" in ran.stderr, "the library draws its secret by getrandom()"
        said[seed] = ran.stdout
    assert len(said["1"]) > 10_000
    assert len(set(said.values())) == 1
