"""`kubectl libsched`: the commands of libsched about the cluster that kubectl talks to."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .dump import DEVICE_RESOURCES, RESOURCES
from .terminal import Terminal

USAGE = """\
usage: kubectl libsched COMMAND [ARGUMENTS] [--context NAME] [--kubeconfig FILE] [-n NAMESPACE]

Runs a command of libsched on a dump of the cluster that kubectl talks to. CLUSTER is left out, and
pod/NAME stands for NAMESPACE/NAME:

  kubectl libsched why pod/web-7 -n shop
  kubectl libsched fit --pod web.yaml
  kubectl libsched drain node-a node-b --delete-emptydir-data
  kubectl libsched capacity --pod web.yaml -o json
  kubectl libsched cel 'device.driver == "gpu.example.com"'

The options of kubectl that choose a cluster are handed on to it: --context, --kubeconfig, --cluster, --user,
--server, --token, --as, --request-timeout. 'libsched COMMAND --help' tells more about a command."""

OF_KUBECTL = ("--context", "--kubeconfig", "--cluster", "--user", "--server", "-s", "--token", "--as",
               "--request-timeout")
NAMESPACE = ("-n", "--namespace")
VERBS = ("fit", "explain", "schedule", "capacity", "drain", "compare", "why", "simulate", "cel")
_AT_ONCE = 4  # calls of kubectl


class _Refused(Exception):
    """A text for the user."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns its exit code, or 2."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("-h", "--help", "help"):
        print(USAGE)
        return 0 if given else 2
    errors = Terminal(sys.stderr)
    try:
        verb, rest, options, namespace = _parse(given)
        with tempfile.TemporaryDirectory(prefix="kubectl-libsched-") as folder:
            cluster = Path(folder) / "cluster.json"
            _dump(options, cluster, errors)
            space = namespace or _current_namespace(options)
            from . import main as libsched_main
            return libsched_main(_command(verb, rest, str(cluster), space))
    except _Refused as refused:
        errors.line(f"kubectl libsched: {refused}")
        return 2


def _parse(given: list[str]) -> tuple[str, list[str], list[str], str]:
    """Returns the verb, its arguments, the options for kubectl, and the namespace."""
    rest: list[str] = []
    options: list[str] = []
    namespace = ""
    i = 0
    while i < len(given):
        name, equals, value = given[i].partition("=")
        if name in OF_KUBECTL or name in NAMESPACE:
            if not equals:
                i += 1
                if i == len(given):
                    raise _Refused(f"{name} needs a value")
                value = given[i]
            if name in NAMESPACE:
                namespace = value
            else:
                options += [name, value]
        else:
            rest.append(given[i])
        i += 1
    if not rest or rest[0] not in VERBS:
        raise _Refused(f"the commands are {', '.join(VERBS)}" + (f", not {rest[0]!r}" if rest else ""))
    return rest[0], rest[1:], options, namespace


def _command(verb: str, rest: list[str], cluster: str, namespace: str) -> list[str]:
    """Puts the dump where the verb takes it, and writes pods as libsched does."""
    def named(text: str) -> str:
        for kind in ("pod/", "pods/", "po/"):
            if text.startswith(kind):
                return f"{namespace}/{text.removeprefix(kind)}"
        return text

    if verb == "cel":
        return [verb, *rest, "--slices", cluster]
    rest = [named(text) for text in rest]
    first = 0
    if verb in ("why", "drain"):  # the pod, and the nodes, come first
        while first < len(rest) and not rest[first].startswith("-"):
            first += 1
        if first == 0:
            raise _Refused("name the pod first" if verb == "why" else "name the nodes first")
        if verb == "why" and "/" not in rest[0] and not Path(rest[0]).exists():
            rest[0] = f"{namespace}/{rest[0]}"
    return [verb, *rest[:first], cluster, *rest[first:]]


def _kubectl(arguments: Sequence[str], out: Callable[[bytes], object]) -> str:
    """Runs kubectl; returns the error text, "" after success."""
    try:
        done = subprocess.run(["kubectl", *arguments], capture_output=True, check=False)
    except FileNotFoundError:
        raise _Refused("there is no kubectl on PATH; install it, or run its 'kubectl get' elsewhere and "
                       "libsched on the dump ('libsched kubectl-line' prints the command)") from None
    if done.returncode == 0:
        out(done.stdout)
        return ""
    text = done.stderr.decode(errors="replace").strip()
    return text.splitlines()[-1] if text else f"kubectl ended with {done.returncode}"


def _dump(options: list[str], path: Path, errors: Terminal) -> None:
    """Writes all kinds to a file. Kinds that cannot be listed are named, and left out."""
    found: dict[str, bytes] = {}

    def get(kind: str) -> str:
        return _kubectl([*options, "get", kind, "-A", "-o", "json"],
                        lambda document: found.__setitem__(kind, document))

    failure = get("nodes")  # without it nothing can be said
    if failure:
        raise _Refused(f"nodes cannot be listed: {failure}")
    of_devices = (*DEVICE_RESOURCES, "devicetaintrules")
    others = [kind for kind in (*RESOURCES, *of_devices) if kind != "nodes"]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        failures = dict(zip(others, pool.map(get, others), strict=True))
    for kind, failure in failures.items():
        # Without the feature there are no such objects.
        if failure and not (kind in of_devices and "doesn't have a resource type" in failure):
            errors.warn(f"{kind} cannot be listed, and are left out: {failure}")
    with path.open("wb") as file:
        for kind in ("nodes", *others):
            file.write(found.get(kind, b""))


def _current_namespace(options: list[str]) -> str:
    said: list[bytes] = []
    _kubectl([*options, "config", "view", "--minify", "-o", "jsonpath={..namespace}"], said.append)
    return (said[0].decode() if said else "") or "default"
