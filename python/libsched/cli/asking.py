"""Options of the commands that judge pods, the choice of a profile, and the judging itself.

The input is read by `question`.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .._core import k8s_version
from ..cluster import Cluster
from ..config import MOST_BYTES, Config
from ..daemons import with_tolerations
from ..errors import Error, FileError, NotFoundError
from ..fit import FitResult
from ..framework import Framework
from ..objects import Pod
from ..plugins import registry_of
from . import configs, releases, semantics, what_if
from .candidate import Candidate
from .digits import whole
from .terminal import Terminal


CLUSTER_HELP = ("manifests of nodes and running pods (YAML or JSON, plain, gzip, xz or zstd); "
                "- is standard input")


@dataclasses.dataclass(frozen=True)
class Answer:
    """The answer about a candidate: a result, or an error if there is none."""

    candidate: Candidate
    notes: list[str]
    result: FitResult | None = None
    error: Error | None = None

    @property
    def code(self) -> int:
        """The exit code for this answer."""
        if self.result is None or self.result.error or self.result.score_error:
            return 2
        return 0 if self.result.fits else 1


def add_inputs(made: argparse.ArgumentParser, verb: str) -> None:
    """Adds the options for the input; `verb` describes the work on the pods in the help text."""
    made.add_argument("cluster", nargs="+", metavar="CLUSTER",
                      help=f"{CLUSTER_HELP}; several are merged")
    made.add_argument("--pod", action="append", default=[], metavar="FILE",
                      help=f"manifest of the pods to {verb}, or NAMESPACE/NAME of a pod of CLUSTER; "
                      "- is standard input; may be repeated. Other objects in it, such as claims, "
                      "are taken to be in the cluster")
    made.add_argument("--pending", action="store_true",
                      help=f"{verb} all pods of CLUSTER that have no node")


def _releases() -> str:
    oldest, newest = releases.ends()
    return f'"{oldest}" to "{newest}"'


def add_semantics(made: argparse.ArgumentParser) -> None:
    """Adds the option for the release of Kubernetes."""
    made.add_argument("--semantics", metavar="RELEASE", default="",
                      help=f'whose semantics: {_releases()} (default: "{k8s_version()}"); also a version such as '
                           '"v1.31.9-eks-1"')


def add_judging(made: argparse.ArgumentParser, configs: int = 1) -> None:
    """Adds the options for the configuration, for reading, and for what-ifs.

    With two `configs` the option is a list.
    """
    if configs == 1:
        made.add_argument("--config", type=nonempty, metavar="FILE", help="a KubeSchedulerConfiguration")
    else:
        made.add_argument("--config", action="append", type=nonempty, metavar="FILE",
                          help="a KubeSchedulerConfiguration; a second one is that of the second "
                          "side")
    made.add_argument("--profile", type=nonempty, metavar="NAME",
                      help="the profile that judges (default: the pod's schedulerName)")
    made.add_argument("--semantics", metavar="RELEASE" if configs == 1 else "RELEASE|A..B", default=semantics.AUTO,
                      help=f'whose semantics: {_releases()}, also a version such as "v1.31.9-eks-1" (default: '
                           'auto, the release of the cluster by its kube-scheduler, API server or newest kubelet; '
                           f'{k8s_version()} if it does not tell)')
    made.add_argument("--feature-gates", metavar="A=true,B=false", default="",
                      help="kube-scheduler's feature gates (default: those of the release of --semantics)")
    made.add_argument("--plugin", action="append", default=[], metavar="FILE.so|MODULE:CLASS|NAME=ADDRESS",
                      help="a further plugin: a shared object, a Python class, or one in another process "
                      "(NAME=unix:/path, NAME=http://...; docs/plugin_protocol.md); may be repeated")
    made.add_argument("--skip-unknown-plugins", action="store_true",
                      help="leave out plugins of the configuration that are not there, with a "
                      "warning, instead of the error")
    made.add_argument("--no-defaults", dest="defaults", action="store_false",
                      help="take objects as they are, without the API server's defaults and "
                      "admission")
    made.add_argument("--strict", action="store_true",
                      help="refuse unknown kinds and fields instead of counting them, and what "
                      "the API server would refuse instead of warning of it")
    what_if.add(made)


def add_claims(made: argparse.ArgumentParser) -> None:
    """Adds the option to leave out the claims that controllers make for the pods."""
    made.add_argument("--no-claims-from-templates", dest="claims", action="store_false",
                      help="make no claims from volumeClaimTemplates, for generic ephemeral volumes "
                      "and from ResourceClaimTemplates, as controllers do, for the pods that are "
                      "asked about")


def add_choice(made: argparse.ArgumentParser) -> None:
    """Adds the options for the choice among equal nodes."""
    made.add_argument("--ties", choices=("upstream", "name", "random"), default="upstream",
                      help="which of several best nodes: the first in upstream's order (default), "
                      "the smallest name, or any, by --seed")
    made.add_argument("--seed", type=whole(0, (1 << 64) - 1, "number of at most 64 bits"), default=0, metavar="N",
                      help="of --ties random (default: 0)")


def add_as_is(made: argparse.ArgumentParser) -> None:
    """Adds the option to keep the nodeName of a pod, and the pod itself where it runs already."""
    made.add_argument("--as-is", action="store_true",
                      help="keep a pod that runs already in the cluster, and its nodeName")


def add_extender_calls(made: argparse.ArgumentParser) -> None:
    """Adds the option for the calls of extenders that overlap."""
    made.add_argument("--extender-calls", type=whole(1, 1024, "number from 1 to 1024"), default=8, metavar="N",
                      help="ask HTTP extenders of the configuration about at most N pods at once "
                      "(default: 8)")


def nonempty(text: str) -> str:
    """Returns an argument that must not be empty."""
    if not text:
        raise argparse.ArgumentTypeError("the value is empty; is a variable of the shell not set?")
    return text


def _tried(option: str, make: Callable[[], object]) -> None:
    """Makes something; an error names the option."""
    try:
        make()
    except Error as error:
        if option not in error.message:
            error.message = f"{option}: {error.message}"
        raise


class Profiles:
    """Finds the profile of a pod, and makes each framework once."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._wanted: str | None = options.profile
        self._file: str = options.config or ""
        self._semantics: str = options.semantics
        self._gates: str = options.feature_gates
        self._plugins: list[str] = options.plugin
        self._skip: bool = options.skip_unknown_plugins
        # Refusals of these options are no fault of the configuration.
        _tried("--semantics", lambda: Framework(semantics=self._semantics))
        if self._gates:
            _tried("--feature-gates", lambda: Framework(semantics=self._semantics,
                                                        feature_gates=self._gates))
        if self._plugins:
            if os.getcwd() not in sys.path:
                sys.path.append(os.getcwd())  # where modules may be
            _tried("--plugin", lambda: registry_of(self._plugins))
        try:
            self._config = Config(configs.source(self._file) if self._file else None,
                                  feature_gates=self._gates, semantics=self._semantics)
        except Error as error:
            if self._file and not isinstance(error, FileError):
                with contextlib.suppress(OSError), open(self._file, "rb") as file:
                    hint = configs.hint(error, file.read(MOST_BYTES))
                    error.message += f"; {hint}" if hint else ""
            raise self._told(error) from None
        self._frameworks: dict[str, Framework] = {}

    @property
    def names(self) -> list[str]:
        """The profiles of the configuration."""
        return list(self._config.profiles)

    def of(self, pod: Pod, notes: list[str]) -> Framework:
        """Returns the framework for a pod, and adds remarks about the choice to `notes`.

        Raises
        ------
        NotFoundError
            There is no such profile.
        Error
            The framework cannot be made. The error names the file of the configuration.
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
        return self.framework(name)

    def framework(self, name: str) -> Framework:
        """Returns the framework of a profile, which is made once.

        Raises
        ------
        Error
            The framework cannot be made. The error names the file of the configuration.
        """
        if name not in self._frameworks:
            try:
                made = Framework(self._config, profile=name, semantics=self._semantics,
                                 feature_gates=self._gates, plugins=self._plugins,
                                 skip_unknown_plugins=self._skip)
            except Error as error:
                raise self._told(error, f'profile "{name}"') from None
            if made.skipped_plugins:
                Terminal(sys.stderr).warn(f'profile "{name}": left out, because there are no such '
                                          f"plugins: {', '.join(made.skipped_plugins)}")
            self._frameworks[name] = made
        return self._frameworks[name]

    def first(self) -> Framework:
        """Returns the framework of the profile that is asked for, or of the first."""
        names = self._config.profiles
        return self.framework(self._wanted if self._wanted in names else names[0])

    def _told(self, error: Error, what: str = "") -> Error:
        """Adds the file and the profile to an error."""
        place = ": ".join(part for part in (self._file, what, error.path) if part)
        if place and self._file not in error.message:
            error.message, error.path = f"{place}: {error.message}", ""
        return error


_TOGETHER = 64  # answers come in pieces, so that the first ones need not wait for all


@dataclasses.dataclass(frozen=True)
class _Asked:
    """A candidate with the pod to judge; `absent`: as if it were not in the cluster."""

    candidate: Candidate
    framework: Framework
    pod: Pod
    notes: list[str]
    absent: bool

    def joins(self, first: _Asked) -> bool:
        """Whether it can be asked about together with `first`."""
        return (self.framework is first.framework and self.framework._extended
                and not any(asked.absent or asked.candidate.error is not None
                            for asked in (self, first)))


class Judge:
    """Judges pods by their profiles, without changing the cluster."""

    def __init__(self, options: argparse.Namespace, cluster: Cluster, score: bool = False,
                 facts: bool = False) -> None:
        self._as_is: bool = options.as_is
        self._cluster = cluster
        self._profiles = Profiles(options)
        self._score = score
        self._facts = facts
        self._calls: int = options.extender_calls

    def answers(self, candidates: Iterable[Candidate]) -> Iterator[Answer]:
        """Judges candidates in their order; errors become part of the answers.

        Pods of one profile that nothing has to be taken away for are asked about together, because
        then the calls of its extenders overlap.
        """
        together: list[_Asked] = []
        for candidate in candidates:
            try:
                asked = self._prepare(candidate)
            except Error:
                yield from self._answer_all(together)
                raise
            if together and (not asked.joins(together[0]) or len(together) == _TOGETHER):
                yield from self._answer_all(together)
                together = []
            together.append(asked)
        yield from self._answer_all(together)

    def _prepare(self, candidate: Candidate) -> _Asked:
        notes = candidate.said
        framework = self._profiles.of(candidate.pod, notes)
        pod = candidate.pod
        absent = False
        if candidate.error is not None:
            pass
        elif candidate.kind == "DaemonSet":
            notes.append(f"DaemonSet {pod.key}: judged by its pod template with the tolerations that "
                         "its controller adds")
            pod = with_tolerations(pod)
        elif candidate.kind:
            notes.append(f"{candidate.kind} {pod.key}: judged by its pod template, "
                         f"{candidate.replicas:,} replica{'s' * (candidate.replicas != 1)}")
        elif pod.key in self._cluster.pods and not self._as_is:
            where = (self._cluster.node_of(pod)
                     or f"{self._cluster.pods[pod.key].node_name}, which is no node here")
            notes.append(f"{pod.key} runs on {where}; judged as if it were not there "
                         "(--as-is keeps it)")
            pod, absent = pod.copy(node_name=""), True
        elif pod.node_name:
            notes.append(f"{pod.key} has the nodeName {pod.node_name}, so only that node can "
                         "take it")
        return _Asked(candidate, framework, pod, notes, absent)

    def _answer_all(self, together: list[_Asked]) -> Iterator[Answer]:
        results: list[FitResult] = []
        if len(together) > 1:
            with contextlib.suppress(Error):  # each is then asked about alone, which shows the error
                results = together[0].framework.fit_each(
                    self._cluster, [asked.pod for asked in together], score=self._score,
                    facts=self._facts, extender_calls=self._calls)
        if results:
            for asked, result in zip(together, results, strict=True):
                yield _answered(asked, result)
        else:
            for asked in together:
                yield self._answer(asked)

    def _answer(self, asked: _Asked) -> Answer:
        candidate, notes = asked.candidate, asked.notes
        if candidate.error is not None:
            return Answer(candidate, notes, error=candidate.error)
        ask = asked.framework.score if self._score else asked.framework.fit
        try:
            if not asked.absent:
                return _answered(asked, ask(self._cluster, asked.pod, facts=self._facts))
            with self._cluster.fork():
                self._cluster.remove_pod(asked.pod.key)
                return _answered(asked, ask(self._cluster, asked.pod, facts=self._facts))
        except NotFoundError:
            raise
        except Error as error:
            return Answer(candidate, notes, error=error)


def _answered(asked: _Asked, result: FitResult) -> Answer:
    """Makes an answer, with notes on extenders whose failures count as no answer."""
    failed: list[dict[str, str]] = (result.to_dict().get("extenderFailures", [])
                                    if asked.framework._extended else [])
    lack = {"filter": "rejects no node", "prioritize": "gives no scores"}
    notes = [f'the extender {one["extender"]} {lack[one["verb"]]}: {one["error"]}' for one in failed]
    return Answer(asked.candidate, [*asked.notes, *notes], result)


def about(pod: Pod, text: str) -> str:
    """Adds the pod's name to a text, unless it is there already."""
    return text if pod.key in text else f"{pod.key}: {text}"
