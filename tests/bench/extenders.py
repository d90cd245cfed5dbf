"""Measures calls of an HTTP extender: libsched's and upstream's, beside the same server.

    tests/bench/extenders.py --oracle build/oracle/oracle [--nodes 1000] [--pods 30]

One extender with a filter verb, with and without nodeCacheCapable, answers at once: that all nodes pass. Upstream's
rate is that of its whole scheduler, from which the server's own time is taken in both.
"""

import argparse
import http.server
import json
import pathlib
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "conformance"))

import libsched  # noqa: E402

API = "kubescheduler.config.k8s.io/v1"


def node(index):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {
        "name": f"node-{index:05d}", "uid": f"node-{index}", "resourceVersion": "1", "labels": {
            "kubernetes.io/hostname": f"node-{index:05d}", "topology.kubernetes.io/zone": f"z{index % 3}",
            **{f"label-{i}": "value" for i in range(10)}}},
        "spec": {"providerID": f"cloud:///{index}"},
        "status": {"allocatable": {"cpu": "8", "memory": "64Gi", "pods": "110"}, "conditions": [
            {"type": kind, "status": "False", "lastHeartbeatTime": "2026-01-01T00:00:00Z", "reason": "Fine",
             "message": "the kubelet is fine"} for kind in ("MemoryPressure", "DiskPressure", "PIDPressure")],
            "images": [{"names": [f"registry.example/app-{i}:1"], "sizeBytes": 1000 + i} for i in range(10)]}}


def pod(index):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {
        "name": f"p{index}", "namespace": "default", "uid": f"p{index}", "resourceVersion": "1"},
        "spec": {"schedulerName": "default-scheduler",
                 "containers": [{"name": "c", "resources": {"requests": {"cpu": "100m"}}}]}}


class Server:
    """Answers that all nodes pass, with a body that is made once; notes its own time."""

    def __init__(self, body):
        outer = self
        self.calls, self.seconds, self.first, self.last = 0, 0.0, None, None

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = 1 << 20

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                now = time.perf_counter()
                outer.first = outer.first or now
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                self.wfile.flush()
                outer.last = time.perf_counter()
                outer.calls += 1

            def log_message(self, *arguments):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def rate(self):
        """Calls a second between the first and the last."""
        return (self.calls - 1) / (self.last - self.first)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", required=True)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--pods", type=int, default=30)
    options = parser.parse_args()
    nodes = [node(i) for i in range(options.nodes)]
    pods = [pod(i) for i in range(options.pods)]
    for capable in (True, False):
        answer = ({"NodeNames": [n["metadata"]["name"] for n in nodes]} if capable
                  else {"Nodes": {"metadata": {}, "items": nodes}})
        body = json.dumps(answer, separators=(",", ":")).encode()
        config = {"apiVersion": API, "kind": "KubeSchedulerConfiguration", "extenders": [
            {"urlPrefix": "URL", "filterVerb": "filter", "nodeCacheCapable": capable, "weight": 1, "httpTimeout": "30s"}]}
        rates = {}
        for name in ("upstream", "libsched"):
            server = Server(body)
            config["extenders"][0]["urlPrefix"] = server.url
            if name == "upstream":
                case = {"mode": "extender", "config": config, "objects": nodes, "pods": pods}
                subprocess.run([options.oracle, "run", "-compact"], input=json.dumps(case), text=True, check=True,
                               stdout=subprocess.DEVNULL)
            else:
                cluster = libsched.Cluster()
                cluster.apply(libsched.Objects(json.dumps({"apiVersion": "v1", "kind": "List", "items": nodes}),
                                               defaults=False, keep_raw=True))
                framework = libsched.Framework(config)
                framework.schedule(cluster, [libsched.Pod(p, defaults=False, keep_raw=True) for p in pods])
            rates[name] = server.rate()
        print(f"nodeCacheCapable {str(capable).lower():5}: upstream {rates['upstream']:.0f} calls/s, libsched "
              f"{rates['libsched']:.0f} calls/s, {rates['libsched'] / rates['upstream']:.1f}x")


if __name__ == "__main__":
    main()
