"""The fakes of mode trace in a process of their own, as plugins behind a socket.

    python fake_server.py ADDRESS

Standard input has one JSON value a line, each answered by one on standard output: {"fakes": [...], "nodes":
[...]} begins a case, {} asks what the fakes have seen since.
"""

import json
import pathlib
import sys
import threading

from libsched_evaluate import trace_fake
from libsched_evaluate.trace_fake import Tracer, duration

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples" / "remote" / "python"))

import checked_messages  # noqa: E402
import plugin_server  # noqa: E402

# The points of the protocol that a point of a fake stands for.
METHODS = {
    "preEnqueue": ("pre_enqueue",), "queueSort": ("queue_sort",), "preFilter": ("pre_filter",),
    "filter": ("filter",), "postFilter": ("post_filter",), "preScore": ("pre_score",),
    "score": ("score",), "reserve": ("reserve", "unreserve"), "permit": ("permit",),
    "preBind": ("pre_bind_pre_flight", "pre_bind"), "bind": ("bind",), "postBind": ("post_bind",),
    "sign": ("sign",), "addRemovePod": ("add_pod", "remove_pod"), "normalize": ("normalize_score",),
}


class Pod:
    """What rules ask of a pod."""

    def __init__(self, document):
        meta = document["metadata"]
        self.name, self.key = meta["name"], f"{meta.get('namespace') or 'default'}/{meta['name']}"


def said(rule):
    """The status of a rule, as an answer has it."""
    return {key: rule[key] for key in ("code", "reasons", "error") if rule.get("code") and rule.get(key)}


class Fake(trace_fake._Rules):
    """The methods of all points; a fake has some of them."""

    wants = ["podKeys"]

    def on_pod(self, call, point, **details):
        rule = self._rule(point, Pod(call.pod))
        self.add(point, rule, **details)
        return rule, said(rule)

    def on_node(self, call, point):
        node = call.body["nodeName"]
        rule = self._rule(point, Pod(call.pod), node)
        self.add(point, rule, node=node)
        return rule, said(rule)

    def add(self, point, rule, **details):
        self._add(point, trace_fake.rule_status(rule), **details)

    def counter(self, call):
        return call.state.get(self.registered)

    def pre_enqueue(self, call):
        return self.on_pod(call, "preEnqueue")[1]

    def queue_sort(self, call):
        return {"key": []}

    def pre_filter(self, call):
        call.state[self.registered] = 0
        rule, status = self.on_pod(call, "preFilter", nodes=sorted(node["name"] for node in call.nodes))
        return {**status, **({"nodeNames": rule["nodeNames"]} if rule.get("nodeNames") is not None else {})}

    def change(self, call, point, by):
        node, other = call.nodes[0], Pod(call.other)
        rule = self._rule(point, Pod(call.pod), node["name"], other.name)
        if self.registered in call.state:
            call.state[self.registered] += by
        self.add(point, rule, node=node["name"], other=other.key, state=self.counter(call),
                 pods=sorted(node["podKeys"]))
        return said(rule)

    def add_pod(self, call):
        return self.change(call, "addPod", 1)

    def remove_pod(self, call):
        return self.change(call, "removePod", -1)

    def filter(self, call):
        pod, rejected = Pod(call.pod), {}
        for node in call.nodes:
            rule = self._rule("filter", pod, node["name"])
            self.add("filter", rule, node=node["name"], state=self.counter(call),
                     pods=sorted(node["podKeys"]))
            if said(rule) and rule["code"] != "Success":
                rejected[node["name"]] = said(rule)
        return {"rejected": rejected}

    def post_filter(self, call):
        codes = {node: call.body["statuses"][node]["code"] for node in self.tracer.nodes}
        rule, status = self.on_pod(call, "postFilter", statuses=codes)
        wish = rule.get("nominated")
        if wish is None:
            return status
        mode = "override" if wish.get("mode") == "override" else "noop"
        return {**status, "nominated": {"mode": mode, "node": wish.get("node", "")}}

    def pre_score(self, call):
        nodes = self.tracer.in_order(node["name"] for node in call.nodes)
        return self.on_pod(call, "preScore", nodes=nodes)[1]

    def score(self, call):
        pod, scores = Pod(call.pod), []
        for node in call.nodes:
            name = node["name"]
            rule = self._rule("score", pod, name)
            self.add("score", rule, node=name)
            score = int(rule.get("score", 0))
            self.tracer.raw[self.called, name] = score
            self.tracer.normalized[self.called, name] = score
            scores.append(score)
            if said(rule) and rule["code"] != "Success":
                return {"rejected": {name: said(rule)}}
        return {"scores": scores}

    def normalize_score(self, call):
        rule = self._rule("normalizeScore", Pod(call.pod))
        before = {node["name"]: score for node, score in zip(call.nodes, call.scores)}
        after = {name: (rule.get("normalized") or {}).get(name, score) for name, score in before.items()}
        self.tracer.normalized.update(((self.called, name), int(score)) for name, score in after.items())
        walked = self.tracer.in_order(before)
        self.add("normalizeScore", rule, nodes=walked, scores=[before[name] for name in walked])
        return {**said(rule), "scores": after}

    def reserve(self, call):
        return self.on_node(call, "reserve")[1]

    def unreserve(self, call):
        self._add("unreserve", None, node=call.body["nodeName"])

    def permit(self, call):
        rule, status = self.on_node(call, "permit")
        return {**status, "timeoutNs": duration(rule.get("timeout") or "0s")}

    def pre_bind_pre_flight(self, call):
        rule, status = self.on_node(call, "preBindPreFlight")
        return {**status, "allowParallel": bool(rule.get("allowParallel"))}

    def pre_bind(self, call):
        return self.on_node(call, "preBind")[1]

    def bind(self, call):
        return self.on_node(call, "bind")[1]

    def post_bind(self, call):
        self._add("postBind", None, node=call.body["nodeName"])

    def sign(self, call):
        rule, status = self.on_pod(call, "sign")
        return {**status, "fragments": rule.get("fragments") or {}}


def fake_class(spec, tracer):
    """A class with the methods of a fake's points; one with none has no points at all."""
    points = set(spec.get("points") or ())
    if "preFilter" not in points:
        points.discard("addRemovePod")
    if "score" not in points:
        points.discard("normalize")

    def init(self, _):
        tracer.initialized.append(spec["name"])
        if spec.get("factoryError"):
            raise ValueError(spec["factoryError"])

    members = {"__init__": init, "instance_name": spec.get("instanceName") or None, "state": True,
               "wants": Fake.wants, "registered": spec["name"], "tracer": tracer,
               "called": spec.get("instanceName") or spec["name"], "script": spec.get("script") or {}}
    for name in ("on_pod", "on_node", "add", "counter", "change"):
        members[name] = getattr(Fake, name)
    for point in points:
        members.update((method, getattr(Fake, method)) for method in METHODS[point])
    return type(spec["name"], (trace_fake._Rules,), members)


def main(address):
    tracer, makers = Tracer(), {}
    checked_messages.install()
    server = plugin_server.server_of(makers, address)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if "fakes" in asked:
            tracer.__init__()
            tracer.nodes = asked["nodes"]
            makers.clear()
            makers.update((fake["name"], fake_class(fake, tracer)) for fake in asked["fakes"])
        seen = {"messages": sorted(checked_messages.seen), "calls": tracer.take(), "initialized": tracer.initialized,
                "raw": [[*key, score] for key, score in tracer.raw.items()],
                "normalized": [[*key, score] for key, score in tracer.normalized.items()]}
        tracer.initialized, tracer.raw, tracer.normalized = [], {}, {}
        print(json.dumps(seen), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
