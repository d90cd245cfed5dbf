"""A scripted extender: the HTTP server that the oracle and libsched call with the same cases.

A script is a list of extenders; each has rules by verb, and a rule may be overridden for single pods. The server
answers from the request and the rule alone, so both callers get the same answers. It records all calls.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def names_of(request):
    if request.get("NodeNames") is not None:
        return request["NodeNames"]
    return [item["metadata"]["name"] for item in (request.get("Nodes") or {}).get("items") or []]


def ordered(names, how):
    return list(reversed(names)) if how == "reverse" else sorted(names) if how == "sorted" else names


def filter_answer(rule, request):
    reject, unresolvable = rule.get("reject", {}), rule.get("unresolvable", {})
    gone = set(reject) | set(unresolvable) | set(rule.get("drop", []))
    kept = ordered([name for name in names_of(request) if name not in gone], rule.get("order"))
    answer = {}
    if rule.get("answer") != "nothing":
        if request.get("NodeNames") is not None:
            answer["NodeNames"] = kept + rule.get("invented", [])
        else:
            items = {item["metadata"]["name"]: item for item in request["Nodes"]["items"]}
            answer["Nodes"] = {"items": [items[name] for name in kept]}
    answer["FailedNodes"] = {**reject, **rule.get("extra", {})}
    answer["FailedAndUnresolvableNodes"] = unresolvable
    answer["Error"] = rule.get("error", "")
    if rule.get("lower"):
        answer = {key[0].lower() + key[1:]: value for key, value in answer.items()}
    return answer


def prioritize_answer(rule, request):
    scores = rule.get("scores", {})
    return [{"Host": name, "Score": scores[name]} for name in names_of(request) if name in scores] + [
        {"Host": name, "Score": 7} for name in rule.get("invented", [])]


def preempt_answer(rule, request):
    meta = request.get("NodeNameToMetaVictims")
    if meta is None:
        meta = {node: {"Pods": [{"UID": pod["metadata"]["uid"]} for pod in victims["Pods"]],
                       "NumPDBViolations": victims["NumPDBViolations"]}
                for node, victims in request["NodeNameToVictims"].items()}
    left = {}
    for node, victims in meta.items():
        if node in rule.get("drop", []):
            continue
        pods = victims["Pods"]
        if node in rule.get("empty", []):
            pods = []
        if node in rule.get("ghost", []):
            pods = [*pods, {"UID": "ghost"}]
        left[node] = {**victims, "Pods": pods}
    for node in rule.get("invented", []):
        left[node] = {"Pods": [{"UID": "ghost"}], "NumPDBViolations": 0}
    return {"NodeNameToMetaVictims": left}


ANSWERS = {"filter": filter_answer, "prioritize": prioritize_answer, "preempt": preempt_answer,
           "bind": lambda rule, request: {"Error": rule.get("error", "")}}


class ExtenderServer:
    """Serves paths /INDEX/VERB for the extender of that index in `script`."""

    def __init__(self):
        self.script = []
        self.calls = []
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = 65536

            def do_POST(self):
                outer._answer(self)

            def log_message(self, *arguments):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def begin(self, script):
        """Takes another script, and forgets the calls."""
        self.script, self.calls = script, []

    def _answer(self, handler):
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        request = json.loads(body)
        index, verb = handler.path.strip("/").split("/")
        with self._lock:
            self.calls.append([handler.command, handler.path, pruned(request)])
        pod = (request.get("Pod") or {}).get("metadata", {}).get("name") or request.get("PodName")
        rules = self.script[int(index)]
        rule = {**rules.get(verb, {}), **rules.get("pods", {}).get(pod, {}).get(verb, {})}
        status = rule.get("status", 200)
        text = rule["raw"] if "raw" in rule else json.dumps(ANSWERS[verb](rule, request))
        data = text.encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)
        handler.wfile.flush()


def pruned(value):
    """The value without nulls and empty objects: Go and the documents that it reads differ in these."""
    if isinstance(value, dict):
        members = {key: pruned(member) for key, member in value.items()}
        return {key: member for key, member in members.items() if member is not None and member != {}}
    if isinstance(value, list):
        return [pruned(item) for item in value]
    return value
