"""Compares libsched's HTTP extenders with upstream's, on fresh random cases and one scripted server.

    compare_extenders.py --oracle build/oracle/oracle --count 1000 --seed 7
    compare_extenders.py --oracle ... --count 40 --seed 9 --record tests/conformance/extenders.jsonl.gz

Each case goes to upstream's whole scheduler (oracle mode "extender") and to libsched; both call the same server.
The calls (method, path, body as a JSON value) and what becomes of the pods must be equal.
"""

import argparse
import gzip
import json
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from extender_server import ExtenderServer  # noqa: E402
from harness.work import DEFAULT_RELEASE  # noqa: E402

import libsched  # noqa: E402
from libsched.attempt import WriterQueue, schedule_one  # noqa: E402

API = "kubescheduler.config.k8s.io/v1"
RAW = ["", "{", "nonsense", "[]", '{"NodeNames":"a"}', '{"NodeNames":[1]}', '{"FailedNodes":{"a":2}}', "null",
       '{"Error":"no", "NodeNames":[]}', '"text"', '{"a":1}{"b"', '{"Nodes":[]}', '{"Error":5}', '{"Error":"x\\q"}']


class Cases:
    """Random cases; those of a seed are always the same."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, probability):
        return self.random.random() < probability

    def some(self, items, probability=0.3):
        return [item for item in items if self.chance(probability)]

    def node(self, index):
        name = f"n{index:02d}"
        return {"apiVersion": "v1", "kind": "Node",
                "metadata": {"name": name, "uid": f"node-{index}", "resourceVersion": "1", "labels": {
                    "kubernetes.io/hostname": name, "zone": self.random.choice("abc")}},
                "spec": {"taints": [{"key": "t", "effect": "PreferNoSchedule"}]} if self.chance(0.2) else {},
                "status": {"allocatable": {"cpu": str(self.random.randint(2, 9)), "pods": "20",
                                           "memory": f"{self.random.randint(8, 64)}Gi"},
                           **({"images": [{"names": ["app:1"], "sizeBytes": 500_000_000}]} if self.chance(0.5) else {})}}

    def pod(self, name, node=None, priority=None, milli=None):
        requests = {"cpu": f"{milli or self.random.randint(1, 30) * 101}m", "memory": f"{self.random.randint(1, 900)}Mi"}
        if node is None and self.chance(0.3):
            requests["example.com/gpu"] = "1"
        spec = {"containers": [{"name": "c", "image": "app:1", "resources": {
            "requests": requests, "limits": {"example.com/gpu": "1"} if "example.com/gpu" in requests else {}}}],
            "schedulerName": "default-scheduler"}
        if node:
            spec["nodeName"] = node
        if priority is not None:
            spec["priority"] = priority
        if self.chance(0.15) and node is None:
            spec["topologySpreadConstraints"] = [{
                "maxSkew": 1, "topologyKey": self.random.choice(["zone", "kubernetes.io/hostname"]),
                "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {"matchLabels": {"app": "x"}}}]
        if self.chance(0.1) and node is None:
            spec["affinity"] = {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 10, "podAffinityTerm": {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "x"}}}}]}}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {
            "name": name, "namespace": "default", "uid": f"uid-{name}", "resourceVersion": "1", "labels": {"app": self.random.choice("xy")}},
            "spec": spec, "status": {"startTime": f"2026-01-01T00:{self.random.randint(10, 59)}:00Z",
                                     "phase": "Running"} if node else {}}

    def rules(self, nodes, pods):
        script = self.rule_set(nodes)
        for pod in self.some(pods, 0.3):
            script.setdefault("pods", {})[pod] = self.rule_set(nodes)
        return script

    def rule_set(self, nodes):
        choose = self.random.choice
        rule = {"reject": {n: f"extender says no {self.random.randint(1, 2)}" for n in self.some(nodes, choose([0, 0.3, 0.6]))},
                "unresolvable": {n: "never here" for n in self.some(nodes, choose([0, 0, 0.3]))},
                "drop": self.some(nodes, choose([0, 0, 0.2])), "order": choose(["same", "reverse", "sorted"]),
                "lower": self.chance(0.3)}
        if self.chance(0.1):
            rule["extra"] = {choose([*nodes, "unknown-node"]): "named as well"}
        if self.chance(0.04):
            rule["error"] = "the extender is not well"
        if self.chance(0.04):
            rule["invented"] = ["unknown-node"]
        if self.chance(0.04):
            rule["answer"] = "nothing"
        if self.chance(0.06):
            rule["raw"] = choose(RAW)
        if self.chance(0.05):
            rule["status"] = choose([500, 404, 201, 400])
        scores = {n: 1000 * i for i, n in enumerate(self.random.sample(nodes, len(nodes)))}
        prioritize = {"scores": scores}
        if self.chance(0.1):
            prioritize["invented"] = ["unknown-node"]
        if self.chance(0.05):
            prioritize["raw"] = choose(['{"x":1}', "", "nonsense", '[{"Host":"n00","Score":1.5}]'])
        # The rule of a pod replaces all faults of the extender's: upstream reports one of several, by chance.
        preempt = {"drop": self.some(nodes, choose([0, 0.4])), "empty": [], "ghost": [], "invented": []}
        if self.chance(0.18):
            what = choose(["empty", "ghost", "invented"])
            preempt[what] = [choose(nodes) if what != "invented" else "unknown-node"]
        if self.chance(0.05):
            preempt["status"] = 500
        bind = {"error": "cannot bind"} if self.chance(0.1) else {"status": 503} if self.chance(0.05) else {}
        return {"filter": rule, "prioritize": prioritize, "preempt": preempt, "bind": bind}

    def case(self, number):
        nodes = [self.node(i) for i in range(self.random.randint(1, 8))]
        names = [node["metadata"]["name"] for node in nodes]
        full = self.chance(0.35)
        objects = list(nodes)
        for i, name in enumerate(names):
            if full:  # preemption may help; victims differ in importance
                objects.append(self.pod(f"low-{name}", name, priority=i + 1,
                                        milli=int(nodes[i]["status"]["allocatable"]["cpu"]) * 1000 - 50))
            else:
                objects += [self.pod(f"run-{name}-{k}", name, priority=k) for k in range(self.random.randint(0, 2))]
        # One priority, so that no pod is a victim that has no start time yet: upstream's order of these is chance.
        priority = 100 if self.chance(0.8) else None
        pods = [self.pod(f"p{i}", priority=priority,
                         milli=self.random.randint(1, 20) * 101) for i in range(self.random.randint(1, 4))]
        extenders, script = [], []
        for i in range(self.random.choice([1, 1, 2, 3])):
            e = {"urlPrefix": f"URL/{i}" + ("/" if self.chance(0.2) else ""), "weight": self.random.randint(1, 5)}
            for verb, probability in (("filter", 0.85), ("prioritize", 0.7), ("preempt", 0.6)):
                if self.chance(probability):
                    e[f"{verb}Verb"] = verb
            if self.chance(0.4) and not any("bindVerb" in other for other in extenders):
                e["bindVerb"] = "bind"
            e["nodeCacheCapable"] = self.chance(0.5)
            e["ignorable"] = self.chance(0.25)
            if i == 0 and self.chance(0.4):
                e["managedResources"] = [{"name": "example.com/gpu", "ignoredByScheduler": True}]
            extenders.append(e)
            script.append(self.rules(names, [pod["metadata"]["name"] for pod in pods]))
        return {"name": f"extender-{number}", "mode": "extender", "objects": objects, "pods": pods,
                "config": {"apiVersion": API, "kind": "KubeSchedulerConfiguration", "extenders": extenders},
                "script": script}


def at(case, url):
    """The case with the address of the server."""
    return json.loads(json.dumps(case).replace("URL/", f"{url}/"))


def ask_libsched(case, seed=0):
    """What becomes of the pods here, in the oracle's form; `seed` breaks ties."""
    cluster = libsched.Cluster()
    cluster.apply(libsched.Objects(json.dumps({"apiVersion": "v1", "kind": "List", "items": case["objects"]}),
                                   defaults=False, keep_raw=True))
    services = libsched.Services(libsched.Clock.system())
    try:
        framework = libsched.Framework(case["config"], services=services, semantics=DEFAULT_RELEASE)
    except libsched.Error as error:
        return {"refused": error.message}
    out = []
    for document in case["pods"]:
        pod = libsched.Pod(document, defaults=False, keep_raw=True)
        writer = WriterQueue()
        attempt = schedule_one(cluster, pod, [framework], writer, seed=seed)
        if attempt.stage == "assumed":
            attempt = attempt.bind()
        writer.apply(cluster)
        outcome = {"pod": f"default/{pod.name}"}
        if attempt.stage == "bound":
            outcome["node"] = attempt.node
        else:
            outcome["error"] = attempt.status.message
            nominated = attempt.nomination.node if attempt.nomination else ""
            if nominated:
                outcome["nominated"] = nominated
                outcome["victims"] = sorted(r["pod"] for r in services.requests if r["verb"] == "deletePod")
            if attempt.rejectors:
                outcome["rejectors"] = sorted(attempt.rejectors)
            services.remove_nomination(pod)
        services.deliver(cluster)
        out.append(outcome)
    return {"pods": out}


class Oracle:
    def __init__(self, path):
        self._process = subprocess.Popen([path, "run", "-compact", "-keep-going", "-j", "1"], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True)

    def ask(self, case):
        self._process.stdin.write(json.dumps(case) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self):
        self._process.stdin.close()
        self._process.wait()


def sorted_prioritize(calls):
    """Upstream asks for scores of several extenders at once, so the order of neighbouring calls may differ."""
    out, run = [], []
    for call in [*calls, None]:
        if call is not None and call[1].endswith("/prioritize"):
            run.append(call)
            continue
        out += sorted(run, key=lambda c: json.dumps(c, sort_keys=True))
        run = []
        if call is not None:
            out.append(call)
    return json.loads(json.dumps(out).replace("MEMBERS", "MEMBERS"))


def in_order(text):
    """Errors of several nodes are in the order of a map of upstream's."""
    return re.sub(r"\[(expected at least[^\]]*)\]", lambda m: f"[{', '.join(sorted(m[1].split(', ')))}]", text)


def normal(result):
    for outcome in result.get("pods") or []:
        if "error" in outcome:
            outcome["error"] = in_order(outcome["error"])
    return {key: value for key, value in result.items() if key in ("pods", "refused", "error") and value}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--record")
    parser.add_argument("--show", type=int, default=3, help="differences to show")
    options = parser.parse_args()
    server, oracle = ExtenderServer(), Oracle(options.oracle)
    cases, different, chance, calls_made, recorded = Cases(options.seed), 0, 0, 0, []
    for number in range(options.count):
        case = cases.case(number)
        here = at(case, server.url)
        script = here.pop("script")
        server.begin(script)
        expected, theirs = normal(oracle.ask(here)), sorted_prioritize(server.calls)
        server.begin(script)
        found, ours = normal(ask_libsched(here)), sorted_prioritize(server.calls)
        calls_made += len(theirs)
        recorded.append({"case": case, "golden": {
            "result": json.loads(json.dumps(expected).replace(server.url, "URL")), "calls": theirs}})
        if expected == found and theirs == ours:
            continue
        # Upstream breaks ties among the nodes that an extender has scored at random, libsched by the seed.
        for seed in range(1, 17):
            server.begin(script)
            if normal(ask_libsched(here, seed)) == expected and sorted_prioritize(server.calls) == theirs:
                chance += 1
                break
        else:
            different += 1
            if different <= options.show:
                show(case, expected, found, theirs, ours)
    server.close()
    oracle.close()
    print(f"seed {options.seed}: {options.count} cases, {calls_made} calls, {different} differences, {chance} with another of "
          "several best nodes")
    if options.record:
        with gzip.GzipFile(options.record, "wb", mtime=0) as file:
            for line in recorded:
                file.write((json.dumps(line, sort_keys=True) + "\n").encode())
    return 1 if different else 0


def show(case, expected, found, theirs, ours):
    print("---", case["name"])
    if expected != found:
        print(" upstream:", json.dumps(expected)[:1500])
        print(" libsched:", json.dumps(found)[:1500])
    for i in range(max(len(theirs), len(ours))):
        a, b = (list(calls)[i] if i < len(calls) else None for calls in (theirs, ours))
        if a != b:
            print(f" call {i}:", json.dumps(a)[:1500])
            print("    here:", json.dumps(b)[:1500])
            break


if __name__ == "__main__":
    sys.exit(main())
