"""A plugin whose server does what the label "fault" of the pod says.

    python fault_server.py ADDRESS
"""

import os
import pathlib
import socket
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "remote" / "python"))

import checked_messages  # noqa: E402
import plugin_server  # noqa: E402

#: Longer than the plugin has for an answer.
SLOW = float(os.environ.get("FAULT_TIMEOUT", "0.3")) + 0.2


class Odd:
    """Rejects the node "n1"."""

    reasons = ["node is odd"]

    def __init__(self, args):
        if args == {"refuse": True}:
            raise ValueError("these arguments are refused")

    def filter(self, call):
        names = [node["name"] if isinstance(node, dict) else node for node in call.nodes]
        return {"codes": [2 if name == "n1" else 0 for name in names]}

    def score(self, call):
        return {"scores": [7 for _ in call.nodes]}



class Sorter:
    """Orders pods by rank, the highest first."""

    def __init__(self, args):
        pass

    def queue_sort(self, call):
        return {"key": [-int(call.pod["metadata"]["labels"]["rank"]), "x"]}


class Hinted:
    """Gates pods named "gated"; after a rejection, only the node "wanted" is worth another try."""

    events = [{"resource": "Node", "actions": ["Add"], "hint": True}]

    def __init__(self, args):
        pass

    def pre_enqueue(self, call):
        return {"code": "Unschedulable", "reasons": ["gated"]} if call.pod["metadata"]["name"] == "gated" else None

    def queueing_hint(self, call):
        change = call.body["change"]
        assert (call.body["event"], change["resource"], change["actions"]) == (0, "Node", ["Add"])
        return {"queue": change["after"]["metadata"]["name"] == "wanted"}

    def filter(self, call):
        return None


class Counter:
    """Lets a pod onto a node while at most one other pod of the node has counted: PreFilter counts none, its
    extensions follow the pods that come and go."""

    state = True
    wants = ["podKeys"]

    def __init__(self, args):
        pass

    def pre_filter(self, call):
        call.state["gone"] = []

    def add_pod(self, call):
        call.state["gone"].remove(call.other["metadata"]["name"])

    def remove_pod(self, call):
        call.state["gone"].append(call.other["metadata"]["name"])

    def filter(self, call):
        reasons = {"code": "Unschedulable", "reasons": ["nobody has left"]}
        left = call.state["gone"]
        return {"rejected": {} if left else {node["name"]: reasons for node in call.nodes}}


def fault_of(pod):
    return (pod or {}).get("metadata", {}).get("labels", {}).get("fault", "")


#: Wrong answers to Filter, for each form.
WRONG = {
    "count": lambda nodes: {"codes": [0] * (nodes + 3)},
    "code": lambda nodes: {"codes": [77] * nodes},
    "reason": lambda nodes: {"codes": [2] * nodes, "reasonIndexes": [9] * nodes},
    "rows": lambda nodes: {"rejected": {"nowhere": {"code": "Unschedulable"}}},
    "name": lambda nodes: {"rejected": {"n1": {"code": "Unwilling"}}},
    "type": lambda nodes: {"rejected": ["n1"]},
    "texts": lambda nodes: {"rejected": {"n1": {"code": "Unschedulable", "reasons": [3]}}},
    "status": lambda nodes: {"code": "Unschedulable", "reasons": ["no"]},
    "error": lambda nodes: {"code": "Error", "reasons": ["the plugin is ill"]},
}


class Stream(plugin_server.Stream):
    def reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise EOFError

    def raw(self, header, columns=b"", lengths=None):
        head, body = lengths or (len(header), len(columns))
        self.wfile.write(struct.pack("<II", head, body) + header + columns)
        self.wfile.flush()

    def ask(self, call, body, data):
        fault = fault_of(self.pods.get(body.get("pod"))) if call == "filter" else ""
        number = b'{"id":%d,"columns":[{"name":"codes","type":"int8","count":4}]' % body["id"]
        if fault in WRONG:
            said = WRONG[fault](len(plugin_server.unpacked(body["columns"], data)["rows"]))
            columns = plugin_server.packed(said)
            return plugin_server.write_frame(self.wfile, {"id": body["id"], **said}, columns)
        if fault == "forget" and not getattr(self, "forgotten", False):
            self.version, self.forgotten = -1, True
        elif fault in ("close", "reset"):
            raise EOFError if fault == "close" else self.reset()
        elif fault == "slow":
            time.sleep(SLOW)
        elif fault == "half":
            self.raw(number, lengths=(len(number) + 50, 8))
            raise EOFError
        elif fault == "stuck":
            self.raw(number, lengths=(len(number) + 50, 8))
            time.sleep(SLOW)
            raise EOFError
        elif fault in ("json", "list", "utf8", "deep"):
            return self.raw({"json": b"{nope}", "list": b"[1]", "utf8": b'{"id":"\xff"}', "deep": b"[" * 100000}[fault])
        elif fault == "long":
            return self.raw(b"", lengths=(0xffffffff, 0xffffffff))
        elif fault == "bytes":
            return self.raw(number + b"}", b"\0\0\0")
        elif fault == "extra":
            return self.raw(b'{"id":%d}' % body["id"], b"\0" * 8)
        elif fault == "column":
            return self.raw((number + b"}").replace(b"codes", b"cords"), b"\0" * 8)
        elif fault == "id":
            return plugin_server.write_frame(self.wfile, {"id": body["id"] + 5})
        elif fault == "need":
            return plugin_server.write_frame(self.wfile, {"id": body["id"], "need": "nodes"})
        return super().ask(call, body, data)


class Post(plugin_server.Post):
    def do_POST(self):
        if not self.path.endswith("/filter"):
            return super().do_POST()
        length = int(self.headers["Content-Length"])
        text = self.rfile.read(length)
        body = plugin_server.json.loads(text)
        fault = fault_of(body.get("pod"))
        if fault in WRONG:
            return self.answer(plugin_server.json.dumps(WRONG[fault](len(body["nodes"]))).encode())
        if fault in ("close", "reset"):
            if fault == "reset":
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            return None
        if fault in ("half", "stuck"):
            self.answer(b'{"codes":[0', 1000)
            if fault == "stuck":
                time.sleep(SLOW)
            self.close_connection = True
            return None
        if fault in ("json", "list", "utf8", "deep"):
            return self.answer({"json": b"{nope}", "list": b"[1]", "utf8": b'{"id":"\xff"}', "deep": b"[" * 100000}[fault])
        if fault == "long":
            self.answer(b"x" * 100000, 1 << 30)
            try:
                while True:
                    self.wfile.write(b"x" * (1 << 20))
            except OSError:
                self.close_connection = True
            return None
        if fault == "500":
            return self.answer(b"{}", status=500)
        if fault == "slow":
            time.sleep(SLOW)
        said = self.server.answer("filter", body)
        return self.answer(plugin_server.json.dumps(said).encode())

    def answer(self, text, length=None, status=200):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text) if length is None else length))
        self.end_headers()
        try:
            self.wfile.write(text)
            self.wfile.flush()
        except OSError:
            self.close_connection = True


if __name__ == "__main__":
    checked_messages.install()
    plugin_server.Stream, plugin_server.Post = Stream, Post
    plugin_server.serve({"Odd": Odd, "Sorter": Sorter, "Hinted": Hinted, "Counter": Counter}, sys.argv[1])
