"""Mutants of scripts: cases of kind queue whose steps are removed, doubled, swapped and joined by others.

Both sides must be able to run a mutant, so every step names a pod that is there, and a queue starts and
closes once. A difference that upstream leaves to chance is found by asking again.
"""

import copy
import dataclasses
import json
import random

from . import work
from .comparison import compare
from .legitimate import without_known

CHUNK = 50
MOST = 25  # changes of one script
_TIMES = ("1ns", "999ms", "1s", "10s", "61s", "301s")
_PLUGINS = ([], ["FilterA"], ["PermitP"], ["FilterB", "NilHint"], ["NoExtensions"], ["NodeResourcesFit"],
            ["Nonesuch"])


@dataclasses.dataclass(frozen=True)
class ScriptMutants:
    """Some mutants, which follow from a seed and a number."""
    seed: int
    number: int
    count: int
    kind: str = "queue"
    mode: str = "queue"

    def cases(self, oracle):
        rng = random.Random(f"script {self.seed} {self.number}")
        plan = work.Generated(self.kind, self.mode, rng.randrange(2**32), self.count, rng.choice((0.05, 0.5)))
        mutants = []
        for index, text in enumerate(plan.cases(oracle)):
            case = json.loads(text)
            mutate(case["script"], rng)
            case["name"] = f"script-{self.seed}-{self.number}-{index}"
            mutants.append(json.dumps(case, ensure_ascii=False, separators=(",", ":")))
        return mutants

    def compare(self, case, golden, answer, fields):
        return without_known(compare(golden, answer, fields), case, golden, answer)


def chunks(seed, total):
    """The chunks of a run."""
    return [ScriptMutants(seed, number, min(CHUNK, total - number * CHUNK))
            for number in range((total + CHUNK - 1) // CHUNK)]


def mutate(script, rng):
    """Changes a script in place."""
    pods = sorted({key_of(step["pod"]) for step in script if step.get("pod")})
    for _ in range(rng.randrange(1, MOST)):
        at = rng.randrange(len(script) + 1)
        if script and rng.random() < 0.4:
            one, other = rng.randrange(len(script)), rng.randrange(len(script))
            change = rng.randrange(3)
            if change == 0:
                del script[one]
            elif change == 1:
                script.insert(at, copy.deepcopy(script[one]))
            else:
                script[one], script[other] = script[other], script[one]
        else:
            script.insert(at, _step(pods, rng))
    script[:] = _possible(script)


def key_of(pod):
    """namespace/name of a pod's document."""
    metadata = pod["metadata"]
    return f"{metadata.get('namespace', 'default')}/{metadata['name']}"


def _step(pods, rng):
    held = rng.randrange(5)
    steps = [{"do": "advance", "by": rng.choice(_TIMES)}, {"do": "pop", "wait": rng.random() < 0.2},
             {"do": "flushBackoff"}, {"do": "flushUnschedulable"}, {"do": "list"}, {"do": "run"},
             {"do": "done", "held": held}, {"do": "bound", "held": held, "node": "node-000"},
             {"do": "fail", "held": held, "unschedulable": rng.choice(_PLUGINS),
              "pending": rng.choice(([], ["PermitP"], ["FilterA"]))},
             {"do": "move", "resource": rng.choice(("*", "foos.v1.example.com")),
              "actions": rng.choice((["All"], ["Add"], ["Delete"]))}]
    if pods:
        name = rng.choice(pods)
        steps += [{"do": "activate", "names": [name]}, {"do": "popSpecific", "name": name},
                  {"do": "nominate", "name": name, "node": "node-001", "mode": "override"},
                  {"do": "deleteNominated", "name": name}]
    return rng.choice(steps)


def _possible(script):
    """The steps that can be run after those before them. An informer adds no pod that is there."""
    there, done = set(), set()
    for step in script:
        do = step["do"]
        if do in ("run", "close"):
            if do in done or "close" in done:
                continue
            done.add(do)
        if step.get("pod"):
            key = key_of(step["pod"])
            if do in ("update", "assignedUpdate") and key not in there and not step.get("old"):
                continue
            if do == "add" and key in there:
                continue
            there.add(key)
        names = [*step.get("names", ()), *([step["name"]] if step.get("name") else [])]
        if do != "done" and not there.issuperset(names):
            continue
        if do == "delete":
            there.discard(step["name"])
        yield step
