"""What compare_capacity.py and compare_drain.py share: the C API through ctypes, and the oracle's answers."""

import contextlib
import ctypes
import json
import subprocess

from harness.work import DEFAULT_RELEASE

CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
          "profiles": [{"schedulerName": "default-scheduler",
                        "plugins": {"postFilter": {"disabled": [{"name": "*"}]}}}]}
TIES_NAME = 1


class Str(ctypes.Structure):
    _fields_ = [("ptr", ctypes.c_char_p), ("len", ctypes.c_size_t)]

    def text(self):
        return ctypes.string_at(self.ptr, self.len).decode() if self.len else ""


def string(value):
    data = value if isinstance(value, bytes) else value.encode()
    return Str(data, len(data))


class ConfigOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("bools", ctypes.c_bool * 4), ("feature_gates", Str), ("semantics", Str)]


class Refused(Exception):
    """The library does not take a case."""


class Library:
    def __init__(self, path, strings=(), sizes=(), bools=()):
        self.c = ctypes.CDLL(path)
        for names, kind in (((*strings, "error_message"), Str), (sizes, ctypes.c_size_t),
                            (bools, ctypes.c_bool)):
            for name in names:
                getattr(self.c, f"libsched_{name}").restype = kind

    def made(self, function, *arguments):
        """The handle that a call makes."""
        out = ctypes.c_void_p()
        self.call(function, *arguments, ctypes.byref(out))
        return out

    def call(self, function, *arguments):
        error = ctypes.c_void_p()
        if getattr(self.c, f"libsched_{function}")(*arguments, ctypes.byref(error)) != 0:
            message = self.c.libsched_error_message(error).text()
            self.c.libsched_error_unref(error)
            raise Refused(f"{function}: {message}")

    @contextlib.contextmanager
    def evaluator(self, objects):
        """An evaluator on a cluster of these objects, and a function that releases a handle at the end."""
        handles = []

        def keep(kind, handle):
            handles.append((kind, handle))
            return handle

        try:
            listed = {"apiVersion": "v1", "kind": "List", "items": objects}
            cluster = keep("cluster", self.made("cluster_create", None))
            parsed = keep("objects", self.made("objects_parse", string(json.dumps(listed)), None))
            self.call("cluster_apply", cluster, parsed)
            options = ConfigOptions(ctypes.sizeof(ConfigOptions), semantics=string(DEFAULT_RELEASE))
            config = keep("config", self.made("config_parse", string(json.dumps(CONFIG)), ctypes.byref(options)))
            framework = keep("framework", self.made("framework_create", config, string(""), None, None))
            yield keep("evaluator", self.made("evaluator_create", framework, cluster, None)), keep
        finally:
            for kind, handle in reversed(handles):
                getattr(self.c, f"libsched_{kind}_unref")(handle)


def generated(oracle, kind, seed, count):
    """Cases that the oracle generates."""
    lines = subprocess.run(
        [oracle, "gen", "-kind", kind, "-seed", str(seed), "-count", str(count)],
        check=True, capture_output=True, text=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def placed_by(oracle, name, objects, pods):
    """What the oracle says of pods placed one after the other; None if it does not run the case."""
    asked = {"name": name, "mode": "schedule", "config": CONFIG, "objects": objects, "pods": pods}
    answer = oracle.ask([json.dumps(asked)])[0]
    return json.loads(answer).get("pods") if isinstance(answer, str) else None


def failure(pod):
    """Why the oracle has not placed a pod."""
    return pod.get("fitError") or pod.get("scoreError") or pod.get("error") or "?"
