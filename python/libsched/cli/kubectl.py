"""`kubectl libsched`: the commands of libsched about the cluster that kubectl talks to."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import needs
from .dump import DEVICE_RESOURCES, RESOURCES
from .ending import ended
from .parsing import nearest
from .progress import Progress
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
--server, --token, --as, --request-timeout. 'libsched COMMAND --help' tells more about a command.

The semantics are those of the cluster's release, by its kube-scheduler or else its API server; --semantics chooses
another.

Kinds that you may not list are left out with a warning. If the answer depends on them, there is none, and
the exit code is 2; --allow-missing answers without them."""

OF_KUBECTL = ("--context", "--kubeconfig", "--cluster", "--user", "--server", "-s", "--token", "--as",
               "--request-timeout")
NAMESPACE = ("-n", "--namespace")
ALLOW_MISSING = "--allow-missing"
VERBS = ("fit", "explain", "schedule", "capacity", "drain", "compare", "why", "simulate", "cel")
_AT_ONCE = 4  # calls of kubectl


class _Refused(Exception):
    """A text for the user."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns its exit code, or 2."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    return ended(lambda: _run(given))


def _run(given: list[str]) -> int | None:
    if not given or given[0] in ("-h", "--help", "help"):
        print(USAGE)
        return 0 if given else 2
    errors = Terminal(sys.stderr)
    try:
        asked = _parse(given)
        with tempfile.TemporaryDirectory(prefix="kubectl-libsched-") as folder:
            cluster = Path(folder) / "cluster.json"
            missing = _dump(asked, cluster, errors)
            words = _command(asked, str(cluster))
            from . import run as run_libsched
            return run_libsched(words, {} if asked.allow_missing else missing, _server_version(asked))
    except _Refused as refused:
        errors.line(f"kubectl libsched: {refused}")
        return 2


@dataclasses.dataclass
class _Asked:
    """The command line: a verb with its arguments, and what is for kubectl."""

    verb: str
    rest: list[str]
    options: list[str]
    namespace: str
    allow_missing: bool

    def space(self) -> str:
        """Returns the namespace that is given, or that of kubectl's context."""
        if not self.namespace:
            self.namespace = _current_namespace(self.options)
        return self.namespace


def _parse(given: list[str]) -> _Asked:
    """Takes the arguments apart."""
    rest: list[str] = []
    options: list[str] = []
    namespace = ""
    allow_missing = False
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
        elif given[i] == ALLOW_MISSING:
            allow_missing = True
        else:
            rest.append(given[i])
        i += 1
    if not rest or rest[0] not in VERBS:
        hint = nearest(rest[0], VERBS) if rest else ""
        raise _Refused(f"the commands are {', '.join(VERBS)}" + (f", not {rest[0]!r}{hint}" if rest else ""))
    return _Asked(rest[0], rest[1:], options, namespace, allow_missing)


def _command(asked: _Asked, cluster: str) -> list[str]:
    """Puts the dump where the verb takes it, and writes pods as libsched does."""
    def named(text: str) -> str:
        for kind in ("pod/", "pods/", "po/"):
            if text.startswith(kind):
                return f"{asked.space()}/{text.removeprefix(kind)}"
        return text

    verb = asked.verb
    if verb == "cel":
        return [verb, *asked.rest, "--slices", cluster]
    rest = [named(text) for text in asked.rest]
    first = 0
    if verb in ("why", "drain"):  # the pod, and the nodes, come first
        while first < len(rest) and not rest[first].startswith("-"):
            first += 1
        instead = ("--pod", "--pending") if verb == "why" else ("-l", "--selector")
        if first == 0 and not any(text.startswith(instead) for text in rest):
            raise _Refused("name the pod first" if verb == "why" else "name the nodes first")
        if verb == "why" and first and "/" not in rest[0] and not Path(rest[0]).exists():
            rest[0] = f"{asked.space()}/{rest[0]}"
    return [verb, *rest[:first], cluster, *rest[first:]]


def _kubectl(arguments: Sequence[str], out: Callable[[bytes], object]) -> str:
    """Runs kubectl; returns the error text, "" after success."""
    try:
        done = subprocess.run(["kubectl", *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except FileNotFoundError:
        raise _Refused("there is no kubectl on PATH; install it, or run its 'kubectl get' elsewhere and "
                       "libsched on the dump ('libsched kubectl-line' prints the command)") from None
    except OSError as error:
        raise _Refused(f"kubectl cannot be run: {error.strerror}") from None
    if done.returncode == 0 and done.stdout:
        out(done.stdout)
        return ""
    text = done.stderr.decode(errors="replace").strip()
    if text:
        return text.splitlines()[-1]
    if done.returncode == 0:
        return "kubectl has printed nothing"
    return (f"kubectl was ended by signal {-done.returncode}" if done.returncode < 0
            else f"kubectl ended with {done.returncode}")


def _kinds(verb: str) -> tuple[str, ...]:
    """Returns the kinds that a verb looks at, those that it cannot do without first."""
    if verb == "cel":
        return ("resourceslices",)
    first = (*needs.ALWAYS, *needs.OF_VERB.get(verb, ()))
    return (*first, *(kind for kind in (*RESOURCES, *DEVICE_RESOURCES, "devicetaintrules") if kind not in first))


def _dump(asked: _Asked, path: Path, errors: Terminal) -> dict[str, str]:
    """Writes all kinds to a file. Returns why the others cannot be listed, which are named and left out."""
    found: dict[str, bytes] = {}

    def get(kind: str) -> str:
        return _kubectl([*asked.options, "get", kind, "-A", "-o", "json"],
                        lambda document: found.__setitem__(kind, document))

    first, *others = _kinds(asked.verb)
    with Progress("asking kubectl"):
        failures = {first: get(first)}
        if failures[first]:  # nothing can be said without it, not even with --allow-missing
            raise _Refused(f"{first} cannot be listed: {failures[first]}")
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            failures |= dict(zip(others, pool.map(get, others), strict=True))
    missing = {}
    needed = (*needs.ALWAYS, *needs.OF_VERB.get(asked.verb, ()))
    for kind, failure in failures.items():
        known = "doesn't have a resource type" not in failure
        if failure and kind in needed and not asked.allow_missing:
            raise _Refused(needs.refusal(kind, failure))
        if failure and known:
            missing[kind] = failure
        if failure and (known or kind not in needs.DEVICES):  # there may be no such feature
            errors.warn(f"{kind} cannot be listed, and are left out: {failure}")
    with path.open("wb") as file:
        for kind in (first, *others):
            file.write(found.get(kind, b""))
    return missing


def _server_version(asked: _Asked) -> str:
    """Returns the version of the API server, if its release matters and kubectl tells it; otherwise "".

    The dump may tell the release as well.
    """
    if asked.verb == "cel" or any(text.partition("=")[0] == "--semantics" for text in asked.rest):
        return ""
    said: list[bytes] = []
    _kubectl([*asked.options, "version", "-o", "json"], said.append)
    try:
        version = json.loads(said[0])["serverVersion"]["gitVersion"]
    except (IndexError, KeyError, TypeError, ValueError):
        return ""
    return version if isinstance(version, str) else ""


def _current_namespace(options: list[str]) -> str:
    """Returns the namespace of kubectl's context. Without a context, as in a pod, there is none."""
    said: list[bytes] = []
    failure = _kubectl([*options, "config", "view", "--minify", "-o", "jsonpath={..namespace} "], said.append)
    if failure:
        raise _Refused(f"the namespace is not known, name it by -n: {failure}")
    name = said[0].strip()
    try:
        return name.decode() or "default"
    except UnicodeDecodeError:
        raise _Refused(f"the namespace that kubectl names is no text: {name!r}; name it by -n") from None
