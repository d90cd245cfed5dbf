"""Judges chunks of cases, from the generator or from recorded goldens, in parallel.

Each worker thread keeps one process of the command under test and one of the oracle for the whole run.
"""

import concurrent.futures
import dataclasses
import itertools
import json
import queue
import re
import subprocess
import threading

from . import goldens
from .comparison import Verdict, compare
from .cycles import compare_cycles
from .devices import compare_devices
from .expressions import compare_expressions
from .legitimate import compare_known
from .service import Crash, Service, ServiceError

DEFAULT_RELEASE = "1.36"  # of the oracle that makes cases, and of cases unless another one is chosen
CHUNK = 50
AGAIN = 30  # times that upstream is asked about a case that differs: timers of one moment run in either order
MUTATED = "mutated"  # the kind of recorded mutants
# Kinds whose cases name their mode themselves, and that mode.
ONE_MODE = {"trace": "trace", "queue": "queue", "schedule": "cycles", "podgroup": "cycles",
            "placement": "cycles", "workload": "cycles", "composite": "cycles", "evictions": "cycles", "resize": "cycles", "cel": "cel", "celany": "cel", "dra": "dra",
            "dra2": "dra", "drascore": "dra", "draclasses": "dra", "drastable": "dra", "draallocatable": "dra",
            "dragroups": "dra"}
# Kinds whose cases only newer releases take as they are meant.
SINCE = {"workload": "1.37", "composite": "1.37", "resize": "1.37"}
# ... and only older ones.
UNTIL = {"evictions": "1.36"}
# Kind drastable: the cases of dra2 with the gates for which upstream takes its stable allocator, whose order of pools
# is left to chance.
STABLE = {"DRAConsumableCapacity": False, "DRADeviceBindingConditions": False}
# The gates of all cases of a kind.
GATES = {"drastable": STABLE, "draallocatable": {"DRANodeAllocatableResources": True},
         "dragroups": {"GenericWorkload": True, "DRAWorkloadResourceClaims": True}}
# Of kinds dra2, drascore and draclasses, every third case has the first of these feature gates, and every third one some of the others.
TAINT_RULES = {"DRADeviceTaintRules": True}
DEVICE_GATES = (
    {"DRAExtendedResource": False}, {"DRAPrioritizedList": False}, {"DRAPartitionableDevices": False},
    {"DRADeviceTaints": False, "DRADeviceTaintRules": False}, {"DRADeviceBindingConditions": False},
    {"DRAConsumableCapacity": False},
    {"DRAResourceClaimDeviceStatus": False, "DRADeviceBindingConditions": False,
     "DRAResourceClaimGranularStatusAuthorization": False},
    {"DRASchedulerFilterTimeout": False}, {"DRAListTypeAttributes": True},
)
# Feature gates that cannot be set in a release, because they are locked or belong to another gate there.
GONE = {"1.37": {"GangScheduling", "DRAExtendedResource", "DRAPrioritizedList", "DRAResourceClaimDeviceStatus",
                 "WorkloadAwarePreemption"}}
# Steps of mode queue that call methods which a release no longer has.
GONE_STEPS = {"1.37": {"popSpecific", "assignedAdd", "assignedUpdate"}}
# Releases whose queue does not remember the cycle of the last move. Their oracles answer -1.
NO_MOVE_REQUEST = {"1.37"}
_MOVE_REQUEST = re.compile(r'("moveRequest": ?)-?\d+')


@dataclasses.dataclass(frozen=True)
class Generated:
    """Cases that the oracle's generator makes."""
    kind: str
    mode: str
    start: int
    count: int
    nasty: float
    defaults: bool = False  # every second case asks for the API server's defaults
    sizes: tuple = ()       # further arguments of the generator

    def arguments(self):
        mode = "evaluate" if self.kind in ONE_MODE and self.mode != "dra" else self.mode
        kind = "dra2" if self.kind == "drastable" else self.kind
        return ["gen", "-kind", kind, "-mode", mode, "-seed", str(self.start), "-count",
                str(self.count), "-nasty", f"{self.nasty:g}", *self.sizes]

    def chunks(self):
        for begin in range(0, self.count, CHUNK):
            yield dataclasses.replace(self, start=self.start + begin,
                                      count=min(CHUNK, self.count - begin))

    def cases(self, oracle):
        texts = ask_once([oracle, *self.arguments()]).splitlines()
        if self.kind in GATES:
            return [_with(text, "gates", GATES[self.kind]) for text in texts]
        if self.kind in ("dra2", "drascore", "draclasses"):
            return [_with_gates(text, self.start + i) for i, text in enumerate(texts)]
        if not self.defaults:
            return texts
        return [_with(text, "defaults", True) if (self.start + i) % 2 else text
                for i, text in enumerate(texts)]

    def compare(self, _case, golden, answer, fields):
        if self.mode == "cycles":
            return compare_cycles(self.kind, golden, answer, fields)
        if self.mode == "cel":
            return compare_expressions(golden, answer)
        if self.mode == "dra":
            return compare_devices(golden, answer)
        return compare(golden, answer, fields)


@dataclasses.dataclass(frozen=True)
class Recorded:
    """Cases of a golden file."""
    kind: str
    mode: str
    pairs: tuple
    release: str = DEFAULT_RELEASE

    @property
    def count(self):
        return len(self.pairs)

    def compare(self, case, golden, answer, fields):
        if self.kind == MUTATED:
            return compare_known(case, golden, answer, fields)
        if self.mode == "cycles":
            return compare_cycles(self.kind, golden, answer, fields)
        if self.mode == "cel":
            return compare_expressions(golden, answer)
        if self.mode == "dra":
            return compare_devices(golden, answer)
        return compare(golden, answer, fields)


def ask_once(command):
    """What a command of an oracle prints."""
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        raise ServiceError(f"{command[0]}: {error.strerror}") from None
    if done.returncode:
        raise ServiceError(f"oracle {' '.join(command[1:])}: {done.stderr.decode().strip()}")
    return done.stdout.decode()


def _with_gates(text, seed):
    turn, kind = divmod(seed, 3)
    if kind == 2:
        return text
    return _with(text, "gates", TAINT_RULES if kind == 0 else DEVICE_GATES[turn % len(DEVICE_GATES)])


def recorded(folder, kinds=None, mode=None, first=None, release=None):
    """Chunks of the golden files of a folder, of each file its first cases or all, and the kinds of unwanted files."""
    chunks, others = [], []
    for kind, file_mode, path in goldens.files(folder, release or "*"):
        if (kinds and kind not in kinds) or (mode and file_mode != mode):
            others.append(f"{kind}.{file_mode}")
            continue
        pairs = list(itertools.islice(goldens.read(path), first))
        chunks += [Recorded(kind, file_mode, tuple(pairs[i:i + CHUNK]), path.parent.name)
                   for i in range(0, len(pairs), CHUNK)]
    return chunks, others


def _with(text, key, value):
    case = json.loads(text)
    case[key] = value
    return line(case)


def line(case):
    return json.dumps(case, ensure_ascii=False, separators=(",", ":"))


@dataclasses.dataclass
class Result:
    """One judged case."""
    chunk: object
    case: str
    golden: dict
    answer: object
    verdict: object


def judging(oracle, release):
    """The oracle that judges for a release, beside the one that makes the cases."""
    return f"{oracle}-{release}" if release and release != DEFAULT_RELEASE else oracle


def of_release(case, release):
    """A case with the release that it is about, which oracles ignore, and with gates that the release has."""
    case = {**case, "release": release}
    if GONE.get(release, set()) & set(case.get("gates") or ()):
        case["gates"] = {name: on for name, on in case["gates"].items() if name not in GONE[release]}
    if case.get("mode") == "queue" and release in GONE_STEPS:
        case["script"] = [step for step in case["script"] or () if step["do"] not in GONE_STEPS[release]]
    return case


def has_kind(release, kind):
    """Tells whether the cases of a kind are meant for a release."""
    first, here, last = (tuple(map(int, minor.split("."))) for minor in (
        SINCE.get(kind, "1.0"), release or DEFAULT_RELEASE, UNTIL.get(kind, "1.99")))
    return first <= here <= last


class Judges:
    """The processes of all worker threads.

    The oracle makes the cases. If a release is given, its own oracle judges them, and libsched is asked with
    the semantics of that release.
    """

    def __init__(self, libsched, oracle=None, fields=(), timeout=120.0, release=None):
        self.libsched, self.oracle, self.release = libsched, oracle, release
        self.judging = judging(oracle, release)
        self.fields, self.timeout = fields, timeout
        self._local = threading.local()
        self._all = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for service in self._all:
            service.close()

    def _service(self, name, command):
        service = getattr(self._local, name, None)
        if service is None:
            service = Service(command, self.timeout)
            setattr(self._local, name, service)
            self._all.append(service)
        return service

    def ask_oracle(self, texts):
        return self._service("oracle", [self.judging, "run", "-compact", "-keep-going", "-j", "2"]
                             ).ask(texts)

    def ask_libsched(self, texts):
        return self._service("libsched", self.libsched).ask(texts)

    def judge(self, chunk):
        """The results of a chunk; upstream and libsched work on it at the same time."""
        if isinstance(chunk, Recorded):
            texts, truths = [pair[0] for pair in chunk.pairs], [pair[1] for pair in chunk.pairs]
            answers = [remembered(answer, chunk.release) for answer in self.ask_libsched(texts)]
        else:
            texts = chunk.cases(self.oracle)
            if self.release:
                texts = [line(self.of_release(json.loads(text))) for text in texts]
            answers = self.ask_both(texts)
            truths, answers = answers
        results = []
        for text, truth, answer in zip(texts, truths, answers):
            golden = parsed_golden(truth)
            verdict = chunk.compare(text, golden, answer, self.fields)
            if verdict.differences and self.oracle and self.varies(text, truth):
                verdict = Verdict(pods=verdict.pods, legitimate="varies")
            results.append(Result(chunk, text, golden, answer, verdict))
        return results

    def of_release(self, case):
        return of_release(case, self.release) if self.release else case

    def modes(self):
        """The modes that the oracle of the release answers."""
        return ask_once([self.judging, "modes"]).split()

    def check_release(self):
        """Raises ServiceError if libsched does not have the semantics of the release."""
        case = {"name": "release", "mode": "schedule", "release": self.release, "objects": [], "pods": [], "script": []}
        answer, = self.ask_libsched([json.dumps(case)])
        refusal = str(answer) if isinstance(answer, Crash) else json.loads(answer).get("error")
        if refusal:
            raise ServiceError(f"libsched does not answer for {self.release}: {refusal}")

    def varies(self, text, truth):
        """Tells whether upstream answers differently when asked again."""
        return isinstance(truth, str) and any(again != truth for again in self.ask_oracle([text] * AGAIN))

    def ask_both(self, texts):
        """(goldens, answers)."""
        answers, failure = [], []
        service = self._service("libsched", self.libsched)

        def ask():
            try:
                answers.extend(remembered(answer, self.release) for answer in service.ask(texts))
            except ServiceError as error:
                failure.append(error)
        thread = threading.Thread(target=ask)
        thread.start()
        truths = self.ask_oracle(texts)
        thread.join()
        if failure:
            raise failure[0]
        return truths, answers

    def differences(self, case, chunk):
        """The differences of one case of a chunk, given as an object; for the shrinker."""
        text = line(self.of_release(case))
        truths, answers = self.ask_both([text])
        golden = parsed_golden(truths[0])
        return golden, answers[0], chunk.compare(text, golden, answers[0], self.fields).differences


def remembered(answer, release):
    """An answer of libsched without what the release does not remember."""
    if release in NO_MOVE_REQUEST and isinstance(answer, str):
        return _MOVE_REQUEST.sub(r"\g<1>-1", answer)
    return answer


def parsed_golden(truth):
    """A golden as an object; an error if the oracle itself died."""
    if isinstance(truth, Crash):
        return {"error": f"the oracle died: {truth}"}
    return json.loads(truth)


def run(judges, chunks, jobs, each):
    """Judges all chunks with some threads and calls each(result), in the order of the chunks.

    At most a few judged chunks wait, so memory does not grow with the number of cases.
    """
    waiting = queue.Queue(maxsize=2 * jobs)
    stop = threading.Event()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        def feed():
            for chunk in chunks:
                if stop.is_set():
                    break
                waiting.put(pool.submit(judges.judge, chunk))
            waiting.put(None)
        feeder = threading.Thread(target=feed, daemon=True)
        feeder.start()
        try:
            while (future := waiting.get()) is not None:
                for result in future.result():
                    each(result)
        finally:
            stop.set()
            while feeder.is_alive():
                try:
                    waiting.get(timeout=0.1)
                except queue.Empty:
                    pass
