"""Shrinks a case that differs, so that the cause is visible.

Parts are removed as long as the case stays interesting: first large groups of pods and objects, then
every remaining key and list entry, repeatedly until nothing more can be removed or the time is up.
"""

import copy
import json
import time

_LISTS = ("pods", "script", "objects", "changes", "fakes", "plugins", "steps")
# Every object needs these keys.
_FIXED = {"kind", "apiVersion"}


def shrink(case, interesting, seconds=60.0, clock=time.monotonic):
    """The smallest case found for which interesting(case) holds; it must hold for `case`."""
    shrinker = _Shrinker(copy.deepcopy(case), interesting, clock() + seconds, clock)
    before = None
    while before != size(shrinker.case) and not shrinker.late():
        before = size(shrinker.case)
        for key in _LISTS:
            shrinker.thin_list((key,))
        for key in ("defaults", "config", "gates", "options", "mode", "changes"):
            shrinker.drop((key,))
        for key in ("config", "profile", "gates", "options"):
            shrinker.thin_tree((key,))
        for key in _LISTS:
            for index in range(len(shrinker.case.get(key) or ())):
                shrinker.thin_tree((key, index))
    return shrinker.case


def size(case):
    return len(json.dumps(case))


class _Shrinker:
    def __init__(self, case, interesting, deadline, clock):
        self.case = case
        self.interesting = interesting
        self.deadline = deadline
        self.clock = clock

    def late(self):
        return self.clock() > self.deadline

    def attempt(self, candidate):
        if self.late() or candidate == self.case or not self.interesting(candidate):
            return False
        self.case = candidate
        return True

    def drop(self, path):
        """Tries to remove the part at a path."""
        candidate = copy.deepcopy(self.case)
        parent = at(candidate, path[:-1])
        if not isinstance(parent, (dict, list)) or at(candidate, path) is MISSING:
            return False
        del parent[path[-1]]
        return self.attempt(candidate)

    def thin_list(self, path):
        """Removes runs of entries from a list: halves first, single entries last."""
        entries = at(self.case, path)
        if not isinstance(entries, list):
            return
        step = len(entries)
        while step:
            index = 0
            while index < len(at(self.case, path)) and not self.late():
                candidate = copy.deepcopy(self.case)
                del at(candidate, path)[index:index + step]
                if not self.attempt(candidate):
                    index += step
            step //= 2

    def thin_tree(self, path):
        """Removes as much as possible below a path, the largest parts first."""
        value = at(self.case, path)
        if isinstance(value, dict):
            keys = sorted(value, key=lambda key: -len(json.dumps(value[key])))
            for key in keys:
                if key in _FIXED or path[-1:] == ("metadata",) and key == "name":
                    continue
                if not (key == "metadata" and len(path) == 2) and self.drop((*path, key)):
                    continue
                self.thin_tree((*path, key))
        elif isinstance(value, list):
            self.thin_list(path)
            for index in range(len(at(self.case, path))):
                self.thin_tree((*path, index))


MISSING = object()


def at(value, path):
    """The part at a path, or MISSING."""
    for key in path:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return MISSING
    return value
