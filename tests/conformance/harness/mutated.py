"""Mutants of generated and recorded cases, compared with upstream: conformance.py --mutate.

All chunks follow from one seed. Both sides must refuse the same mutants; the texts may differ, except
for configurations.
"""

import dataclasses
import gzip
import json
import pathlib
import random

from . import goldens, work
from .legitimate import compare_known
from .mutation import mutate

CHUNK = 50
PER_CASE = 5  # mutants of one case
ROOT = pathlib.Path(__file__).resolve().parents[3]
#: The modes and how many of ten chunks they have; kinds take turns.
MODES = ("evaluate", "schedule", "evaluate", "trace", "evaluate", "schedule", "config", "evaluate",
         "schedule", "evaluate")
_HEADER = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


@dataclasses.dataclass(frozen=True)
class Mutants:
    """Some mutants of cases of one kind and mode."""
    kind: str
    mode: str
    seed: int
    number: int  # of the chunk
    count: int
    recorded: str = ""  # the folder of goldens to take cases from; "": generate

    def cases(self, oracle):
        """The mutants as lines; they depend only on the fields above."""
        rng = random.Random(f"{self.seed} {self.number}")
        cases = self._bases(oracle, rng, -(-self.count // PER_CASE))
        if self.mode in ("evaluate", "schedule") and rng.random() < 0.3:
            for case, config in zip(cases, _configs(oracle, rng, len(cases))):
                case.setdefault("config", config)
        texts = []
        for index in range(self.count):
            case = mutate(cases[index // PER_CASE], rng)
            case["name"] = f"{self.kind}-{self.mode}-{self.seed}-{self.number}-{index}"
            texts.append(json.dumps(case, ensure_ascii=False, separators=(",", ":")))
        return texts

    def _bases(self, oracle, rng, count):
        if self.mode == "config":
            return [{"mode": "config", "config": config} for config in _configs(oracle, rng, count)]
        if self.recorded:
            pairs = _golden(self.recorded, self.kind, self.mode)
            return [json.loads(text) for text, _ in rng.sample(pairs, count)]
        return _generated(oracle, self.kind, self.mode, rng, count)

    def compare(self, case, golden, answer, fields):
        """Compares a case; a refusal by both is equal, and known and intended differences do not count."""
        return compare_known(case, golden, answer, fields)


def _generated(oracle, kind, mode, rng, count):
    sizes = rng.choice(((), ("-nodes", "4", "-existing", "6"),
                        ("-nodes", "3", "-existing", "4", "-pods", "2")))
    plan = work.Generated(kind, mode, rng.randrange(2**40), count, rng.choice((0.05, 0.05, 0.5)),
                          sizes=sizes)
    cases = [json.loads(text) for text in plan.cases(oracle)]
    for case in cases:
        if rng.random() < 0.2 and mode != "trace":
            case["defaults"] = True
    return cases


def _configs(oracle, rng, count):
    """Configurations from the generator, and from the recorded table with every default written out."""
    made = [case["config"] for case in _generated(oracle, "config", "evaluate", rng, count)]
    return [rng.choice((config, rng.choice(_table()), _HEADER)) for config in made]


_kept = {}


def _golden(folder, kind, mode):
    if (kind, mode) not in _kept:
        name = goldens.name(kind, mode)
        _kept[kind, mode] = list(goldens.read(pathlib.Path(folder) / work.DEFAULT_RELEASE / name))
    return _kept[kind, mode]


def _table():
    if "table" not in _kept:
        with gzip.open(ROOT / "tests/tables/config.json.gz") as file:
            entries = json.load(file)["cases"]
        _kept["table"] = [_written_out(entry) for entry in entries if "config" in entry]
    return _kept["table"]


def _written_out(entry):
    """The configuration that an entry of the table became."""
    profiles = []
    for profile in entry.get("profiles") or ():
        plugins = {point: {"enabled": names} for point, names in (profile.get("plugins") or {}).items()}
        plugins["multiPoint"] = {"disabled": [{"name": "*"}]}
        profiles.append({"schedulerName": profile["schedulerName"], "plugins": plugins,
                         "pluginConfig": profile["pluginConfig"] or []})
    return {**_HEADER, **entry["config"], "profiles": profiles}


def chunks(kinds, seed, total, folder=""):
    """The chunks of a run; kinds, modes and sources (the generator, goldens in a folder) take turns."""
    made, number = [], 0
    while total > 0:
        mode = MODES[number % len(MODES)]
        turn = number // len(MODES) * MODES.count(mode) + MODES[:number % len(MODES)].count(mode)
        kind = {"trace": "trace", "config": "configuration"}.get(mode) or kinds[turn % len(kinds)]
        recorded = folder if mode != "config" and turn // len(kinds) % 4 == 3 else ""
        made.append(Mutants(kind, mode, seed, number, min(CHUNK, total), recorded))
        total -= CHUNK
        number += 1
    return made
