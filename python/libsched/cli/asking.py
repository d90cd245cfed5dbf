"""What commands that ask about pods share: their options, what is read, and who judges.

CLUSTER... and --pod are read once, into one cluster and a list of candidates; a pod's profile is
chosen here alone.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from typing import Any

from ..cluster import Cluster
from ..config import Config
from ..errors import Error, InvalidError, NotFoundError
from ..fit import FitResult
from ..framework import Framework
from ..objects import Objects, Pod
from . import reading
from .terminal import Terminal


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A pod to ask about and, if it is a workload's template, the workload."""

    pod: Pod
    kind: str = ""
    replicas: int = 0


@dataclasses.dataclass(frozen=True)
class Answer:
    """What is to be said about a candidate; `error` instead of a result if there is none."""

    candidate: Candidate
    notes: list[str]
    result: FitResult | None = None
    error: Error | None = None

    @property
    def code(self) -> int:
        """The exit code it asks for."""
        if self.result is None or self.result.error or self.result.score_error:
            return 2
        return 0 if self.result.fits else 1


def add_inputs(made: argparse.ArgumentParser, verb: str) -> None:
    """The options that every such command begins with; `verb` is what is done with the pods."""
    made.add_argument("cluster", nargs="+", metavar="CLUSTER",
                      help="manifests of nodes and running pods (YAML or JSON, gzip or not); "
                      "- is standard input; several are merged")
    made.add_argument("--pod", required=True, metavar="FILE",
                      help=f"manifest of the pods to {verb}; - is standard input")


def add_judging(made: argparse.ArgumentParser) -> None:
    """The options about configuration and reading that every such command ends with."""
    made.add_argument("--config", metavar="FILE", help="a KubeSchedulerConfiguration")
    made.add_argument("--profile", metavar="NAME",
                      help="the profile that judges (default: the pod's schedulerName)")
    made.add_argument("--no-defaults", dest="defaults", action="store_false",
                      help="take objects as they are, without the API server's defaults")
    made.add_argument("--strict", action="store_true",
                      help="refuse unknown kinds and fields instead of counting them")


def add_as_is(made: argparse.ArgumentParser) -> None:
    made.add_argument("--as-is", action="store_true",
                      help="keep a pod that runs already in the cluster, and its nodeName")


@dataclasses.dataclass(frozen=True)
class Question:
    """What was read: the cluster with its parts, and the pods."""

    parts: list[tuple[str, Objects]]
    cluster: Cluster
    pods: Objects
    candidates: list[Candidate]


def read_question(options: argparse.Namespace) -> Question:
    """Reads everything and, unless JSON is asked for, tells what is odd about it.

    Raises
    ------
    libsched.Error
        Something cannot be read, or there are no nodes or no pods.
    """
    errors = Terminal(sys.stderr)
    if [*options.cluster, options.pod].count("-") > 1:
        raise InvalidError("standard input (-) can be read only once")
    parts = [(name, reading.read(name, defaults=options.defaults, strict=options.strict))
             for name in options.cluster]
    cluster = Cluster()
    for _, objects in parts:
        cluster.apply(objects)
    pods = reading.read(options.pod, defaults=options.defaults, strict=options.strict,
                        classes=parts[-1][1] if len(parts) == 1 else _with_classes(parts))
    candidates = [Candidate(pod) for pod in pods.pods] + [
        Candidate(workload.pod, workload.kind, workload.replicas) for workload in pods.workloads]
    if not candidates:
        raise InvalidError(f"{options.pod}: there is no pod and no workload in it")
    if not options.json:
        for name, objects in parts:
            reading.tell(name, objects, errors, each_field=False)
        reading.tell(options.pod, pods, errors, each_field=True)
        if pods.nodes:
            errors.warn(f"{options.pod}: its nodes are not used; name the file as CLUSTER for that")
    if not len(cluster):
        raise InvalidError(f"there are no nodes in {', '.join(options.cluster)}")
    return Question(parts, cluster, pods, candidates)


def _with_classes(parts: list[tuple[str, Objects]]) -> Objects | None:
    """The input that holds the PriorityClasses; only one may."""
    found = [(name, objects) for name, objects in parts if objects.priority_classes() is not None]
    if len(found) > 1:
        raise InvalidError(f"{found[0][0]} and {found[1][0]} both hold PriorityClasses; put them "
                           "into one file")
    return found[0][1] if found else None


class Profiles:
    """Finds the profile for a pod, and makes its framework once."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._wanted: str | None = options.profile
        self._config = Config(reading.path(options.config)) if options.config else Config()
        self._frameworks: dict[str, Framework] = {}

    def of(self, pod: Pod, notes: list[str]) -> Framework:
        """The framework; what is odd about the choice is added to `notes`.

        Raises
        ------
        NotFoundError
            There is no such profile.
        """
        names = self._config.profiles
        name = self._wanted or pod.scheduler_name
        if name not in names:
            if self._wanted or len(names) > 1:
                raise NotFoundError(f'{pod.key}: there is no profile "{name}"; there are: '
                                    f"{', '.join(names)} (--profile chooses)")
            notes.append(f'{pod.key} asks for the scheduler "{name}"; judged by the profile '
                         f'"{names[0]}"')
            name = names[0]
        if name not in self._frameworks:
            self._frameworks[name] = Framework(self._config, profile=name)
        return self._frameworks[name]


class Judge:
    """Asks a pod's profile about it; the cluster stays as it is."""

    def __init__(self, options: argparse.Namespace, cluster: Cluster, score: bool = False) -> None:
        self._as_is: bool = options.as_is
        self._cluster = cluster
        self._profiles = Profiles(options)
        self._score = score

    def answer(self, candidate: Candidate) -> Answer:
        """Judges one candidate; errors become part of the answer."""
        notes: list[str] = []
        try:
            framework = self._profiles.of(candidate.pod, notes)
            return Answer(candidate, notes, self._ask(framework, candidate, notes))
        except NotFoundError:
            raise
        except Error as error:
            return Answer(candidate, notes, error=error)

    def _ask(self, framework: Framework, candidate: Candidate, notes: list[str]) -> FitResult:
        pod = candidate.pod
        cluster = self._cluster
        ask = framework.score if self._score else framework.fit
        if candidate.kind:
            notes.append(f"{candidate.kind} {pod.key}: judged by its pod template, "
                         f"{candidate.replicas:,} replica{'s' * (candidate.replicas != 1)}")
        elif pod.key in cluster.pods and not self._as_is:
            where = cluster.node_of(pod) or cluster.pods[pod.key].node_name
            notes.append(f"{pod.key} runs on {where}; judged as if it were not there "
                         "(--as-is keeps it)")
            with cluster.fork():
                cluster.remove_pod(pod.key)
                return ask(cluster, pod.copy(node_name=""))
        elif pod.node_name:
            notes.append(f"{pod.key} has the nodeName {pod.node_name}, so only that node can "
                         "take it")
        return ask(cluster, pod)


def about_input(options: argparse.Namespace, question: Question) -> dict[str, Any]:
    """What JSON says of the input beside each answer."""
    everything = [objects for _, objects in question.parts] + [question.pods]
    return {
        "cluster": {
            "nodes": len(question.cluster),
            "pods": len(question.cluster.pods),
            "skipped": [entry for objects in everything for entry in objects.skipped],
            "unknownFields": sum(objects.unknown_fields for objects in everything),
        },
        "warnings": [{"file": name, **warning}
                     for name, objects in [*question.parts, (options.pod, question.pods)]
                     for warning in objects.warnings],
    }


def about(pod: Pod, text: str) -> str:
    """A text that names the pod."""
    return text if pod.key in text else f"{pod.key}: {text}"
