"""Serves plugins to libsched, in both forms of docs/plugin_protocol.md. Nothing but the standard library.

A plugin is a class, and a server has several of them if it is given a dict of classes by name. Its methods are the extension points, under the names of the protocol in Python's
spelling (``pre_filter``); each gets a `Call` and returns the answer as a dict, or None for a plain success.
`examples/remote/python/quiet_zones.py` is one::

    serve(QuietZones, "unix:/run/quiet.sock")   # a connection that stays open
    serve(QuietZones, "http+unix:/run/q.sock")  # an HTTP POST for each question
    serve(QuietZones, "http://127.0.0.1:9000")
"""

import array
import copy
import http.server
import json
import os
import re
import socket
import socketserver
import struct
import sys
import threading

POINTS = ("preEnqueue", "queueSort", "queueingHint", "preFilter", "addPod", "removePod", "filter",
          "postFilter", "preScore", "score", "normalizeScore", "reserve", "unreserve", "permit",
          "preBindPreFlight", "preBind", "bind", "postBind", "sign")
TYPES = {"int8": "b", "uint16": "H", "uint32": "I", "int64": "q"}
COLUMNS = {"codes": "int8", "reasonIndexes": "uint16", "scores": "int64"}


class Call:
    """A question: `pod`, `other`, `nodes` (records, or names in a call over HTTP without `wants`), `scores`,
    `state` (a dict that belongs to the state of the scheduling cycle), and `body`, everything else."""

    def __init__(self, body, state):
        self.body, self.state = body, state
        self.pod, self.other = body.get("pod"), body.get("other")
        self.nodes, self.scores = body.get("nodes"), body.get("scores")


def method_of(point):
    return re.sub("[A-Z]", lambda found: "_" + found[0].lower(), point)


def description(plugin):
    """What a plugin says of itself: its methods, and the attributes `reasons`, `wants`, `state`, `events`."""
    said = {"protocol": 1, "points": [point for point in POINTS if hasattr(plugin, method_of(point))]}
    for key in ("reasons", "wants", "state", "events"):
        if getattr(plugin, key, None) is not None:
            said[key] = getattr(plugin, key)
    if getattr(plugin, "instance_name", None):
        said["instanceName"] = plugin.instance_name
    return said


class States(dict):
    """The states of scheduling cycles by id; a plugin keeps what it likes in them."""

    def of(self, body):
        return self.setdefault(body["state"], {}) if "state" in body else None

    def clone(self, body):
        self[body["to"]] = copy.deepcopy(self.get(body["state"], {}))

    def drop(self, body):
        for state in body["states"]:
            self.pop(state, None)


def answer(plugin, point, body, states):
    """Asks the plugin. An exception is a status Error, as a plugin in the same process would give."""
    try:
        return getattr(plugin, method_of(point))(Call(body, states.of(body))) or {}
    except Exception as error:  # whatever a plugin does wrong
        return {"code": "Error", "reasons": [f"{type(error).__name__}: {error}"]}


def maker(makers, name):
    """The class of a plugin: the only one, or the one with that name."""
    return makers[name] if isinstance(makers, dict) else makers


def begun(make, args):
    """Makes an instance and describes it, or says why not."""
    try:
        made = make(args)
        return made, description(made)
    except ValueError as error:
        return None, {"code": "Error", "reasons": [str(error)]}


# --- the stream form ---

def read_exactly(stream, count):
    data = stream.read(count)
    if len(data) != count:
        raise EOFError
    return data


def read_frame(stream):
    header, columns = struct.unpack("<II", read_exactly(stream, 8))
    return json.loads(read_exactly(stream, header)), read_exactly(stream, columns)


def write_frame(stream, header, columns=b""):
    text = json.dumps(header, separators=(",", ":")).encode()
    stream.write(struct.pack("<II", len(text), len(columns)) + text + columns)
    stream.flush()


def padded(data):
    return data + bytes(-len(data) % 8)


def unpacked(entries, data):
    """The columns of a frame by name: lists of numbers, or the positions of the set bits of a bitmap."""
    columns, at = {}, 0
    for entry in entries:
        count = entry["count"]
        if entry["type"] == "bitmap":
            size = (count + 63) // 64 * 8
            bits = format(int.from_bytes(data[at:at + size], "little"), "b")[::-1]
            columns[entry["name"]] = [row for row, bit in enumerate(bits) if bit == "1"]
        else:
            numbers = array.array(TYPES[entry["type"]])
            size = count * numbers.itemsize
            numbers.frombytes(data[at:at + size])
            columns[entry["name"]] = numbers.tolist()
        at += size + -size % 8
    return columns


def packed(said):
    """Moves the lists of an answer to columns."""
    entries, data = [], b""
    for name, kind in COLUMNS.items():
        if isinstance(said.get(name), list):
            numbers = said.pop(name)
            entries.append({"name": name, "type": kind, "count": len(numbers)})
            data += padded(array.array(TYPES[kind], numbers).tobytes())
    if entries:
        said["columns"] = entries
    return data


class Stream(socketserver.StreamRequestHandler):
    """A connection: an instance of the plugin, and what libsched has told on it."""

    wbufsize = -1

    def handle(self):
        try:
            self.talk()
        except (EOFError, ConnectionError):
            pass

    def talk(self):
        self.pods, self.records, self.version, self.states = {}, {}, 0, States()
        while True:
            body, data = read_frame(self.rfile)
            call = body["call"]
            if call == "hello":
                self.plugin = maker(self.server.makers, body["plugin"])
                said = description(self.plugin)
                if "args" in body:
                    self.plugin, said = begun(self.plugin, body["args"])
                write_frame(self.wfile, {"id": body["id"], **said})
            elif call == "ping":
                write_frame(self.wfile, {"id": body["id"]})
            elif call == "pod":
                self.pods[body["slot"]] = body["pod"]
            elif call == "nodes":
                self.learn(body)
            elif call in ("clone", "drop"):
                getattr(self.states, call)(body)
            elif call != "cancel":  # the answer has been sent already, and is thrown away
                self.ask(call, body, data)

    def learn(self, body):
        if body["base"] == 0:
            self.records.clear()
        elif body["base"] != self.version:
            self.version = -1  # a message is missing: ask for all
            return
        self.version = body["version"]
        self.records.update((record["row"], record) for record in body["records"])
        for row in body["removed"]:
            self.records.pop(row, None)

    def ask(self, call, body, data):
        said = {}
        if body.get("nodes", self.version) != self.version:
            said = {"need": "nodes"}
        else:
            columns = unpacked(body.get("columns", ()), data)
            body["pod"], body["other"] = self.pods.get(body.get("pod")), self.pods.get(body.get("other"))
            body["scores"] = columns.get("scores")
            if "rows" in columns:
                copied = body.get("copy")
                body["nodes"] = [copied] if copied else [self.records[row] for row in columns["rows"]]
            said = dict(answer(self.plugin, call, body, self.states))
        columns = packed(said)
        write_frame(self.wfile, {"id": body["id"], **said}, columns)


# --- the form of plain JSON ---

class Post(http.server.BaseHTTPRequestHandler):
    """A question over HTTP, which holds everything that it is about."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        point = self.path.rsplit("/", 1)[1]
        said = self.server.answer(point, body)
        text = json.dumps({"code": "Error", "reasons": ["no such call"]} if said is None else said).encode()
        self.send_response(404 if said is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def address_string(self):
        return "libsched"

    def log_message(self, *_):
        pass


class Posts:
    """The instances of plugins by their arguments, and their states, for all requests."""

    def __init__(self, makers):
        self.makers, self.lock, self.instances, self.states = makers, threading.Lock(), {}, States()

    def answer(self, point, body):
        with self.lock:
            if point == "health":
                return {}
            if point in ("clone", "drop"):
                getattr(self.states, point)(body)
                return {}
            make = maker(self.makers, body["plugin"])
            if "args" not in body:
                return description(make) if point == "describe" else None
            key = body["plugin"], json.dumps(body["args"], sort_keys=True)
            if point == "describe" or key not in self.instances:
                made, said = begun(make, body["args"])
                if made is None:
                    return said
                self.instances[key] = made
            if point == "describe":
                return description(self.instances[key])
            return answer(self.instances[key], point, body, self.states) if point in POINTS else None


# --- listening ---

class UnixServer(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    request_queue_size = 64

    def server_bind(self):
        if os.path.exists(self.server_address):
            os.unlink(self.server_address)
        before = os.umask(0o177)  # nobody else may connect, at no time
        try:
            self.socket.bind(self.server_address)
        finally:
            os.umask(before)


class TcpServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True




def server_of(makers, address):
    """A server that listens at an address of a plugin; `serve_forever()` runs it."""
    scheme, _, rest = address.partition(":")
    if scheme in ("unix", "http+unix"):
        server = UnixServer(rest, Stream if scheme == "unix" else Post)
    else:
        host, _, port = rest.removeprefix("//").partition("/")[0].rpartition(":")
        server = TcpServer((host, int(port)), Stream if scheme == "tcp" else Post)
        server.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    server.makers = makers
    server.answer = Posts(makers).answer
    return server


def serve(makers, address):
    """Serves a plugin, or several, until the process ends."""
    with server_of(makers, address) as server:
        print(f"listening at {address}", file=sys.stderr, flush=True)
        server.serve_forever()
