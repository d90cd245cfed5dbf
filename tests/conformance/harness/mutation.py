"""Mutates cases: a few changes at random places, most of which keep the case plausible.

A mutant depends only on the case and the random generator.
"""

import copy

from . import edge_values as edge
from .shrinking import MISSING, at

# The number of changes of a mutant. Most mutants have few, so that they stay close to a known case.
_COUNTS = (1, 1, 1, 2, 2, 3, 4, 6)
_HEAD = {"apiVersion", "kind", "metadata"}
_TOP = {"objects": 5, "pods": 6, "config": 2, "changes": 3, "profile": 3, "fakes": 6, "steps": 4}


def mutate(case, rng):
    """Returns a mutant of a case and leaves the case unchanged."""
    mutant = copy.deepcopy(case)
    mutator = _Mutator(mutant, rng)
    for _ in range(rng.choice(_COUNTS)):
        mutator.change()
    return mutant


class _Mutator:
    def __init__(self, case, rng):
        self.case, self.rng = case, rng
        self.seen = None  # field -> values that the case has there

    def change(self):
        """Makes one change."""
        if self.rng.random() < 0.04:
            self._change_case()
            return
        tops = [key for key in _TOP if self.case.get(key) not in (None, [], {})]
        if not tops:
            return
        top = self.rng.choices(tops, [_TOP[key] for key in tops])[0]
        if top == "config":
            self._change_config()
            return
        if top == "profile":
            self._change_below((top,))
            return
        if not isinstance(self.case[top], list):
            return
        if self.rng.random() < 0.12:
            self._change_list((top,))
            return
        index = self.rng.randrange(len(self.case[top]))
        entry = self.case[top][index]
        if top == "objects" and isinstance(entry, dict):
            # Rare kinds are chosen as often as frequent kinds.
            kind = self.rng.choice(sorted({str(o.get("kind")) for o in self.case[top]
                                           if isinstance(o, dict)}))
            index = self.rng.choice([i for i, o in enumerate(self.case[top])
                                     if isinstance(o, dict) and str(o.get("kind")) == kind])
            entry = self.case[top][index]
        if top in ("objects", "pods") and self.rng.random() < 0.2:
            self._add_part(entry)
        else:
            self._change_below((top, index))

    def _change_case(self):
        """Changes the case as a whole: its mode, its defaults, the judged pods."""
        case, rng = self.case, self.rng
        what = rng.randrange(5)
        if what == 0 and case.get("mode") in ("evaluate", "schedule"):
            case["mode"] = "schedule" if case["mode"] == "evaluate" else "evaluate"
        elif what == 1 and case.get("mode") in ("evaluate", "schedule"):
            case["defaults"] = not case.get("defaults", False)
        elif what == 2 and case.get("pods") and isinstance(case.get("objects"), list):
            case["objects"].append(copy.deepcopy(rng.choice(case["pods"])))
        elif what == 3 and isinstance(case.get("objects"), list) and isinstance(case.get("pods"), list):
            case["pods"] += [copy.deepcopy(o) for o in case["objects"]
                             if isinstance(o, dict) and o.get("kind") == "Pod"][:2]
        elif "config" not in case and case.get("mode") in ("evaluate", "schedule"):
            case["config"] = {"apiVersion": "kubescheduler.config.k8s.io/v1",
                              "kind": "KubeSchedulerConfiguration", "profiles": [{}]}

    def _change_below(self, root):
        """Makes one change at some place below a root."""
        places = [path for path in _paths(at(self.case, root), root) if len(path) > len(root)]
        if not places:
            return
        # Most places are deep. Half of the time the choice is by the name of the field, and a quarter
        # of the time among the fields that decide the most.
        chance = self.rng.random()
        telling = [path for path in places if _telling(path)] if chance < 0.25 else []
        if telling:
            places = telling
        elif chance < 0.75:
            by_field = {}
            for path in places:
                by_field.setdefault(_field(path), []).append(path)
            places = by_field[self.rng.choice(sorted(by_field, key=str))]
        path = self.rng.choice(places)
        if path[-1] in _HEAD and self.rng.random() < 0.8:
            return  # a change here is nearly always refused
        if isinstance(at(self.case, path), list) and self.rng.random() < 0.7:
            self._change_list(path)
        else:
            self._change_value(path)

    def _change_list(self, path):
        """Removes, repeats or swaps entries, or adds an odd one."""
        entries, rng = at(self.case, path), self.rng
        what = rng.randrange(8)
        if not entries or what == 7:
            entries.append(copy.deepcopy(self._value(path + (len(entries),), None)))
        elif what < 3:
            del entries[rng.randrange(len(entries))]
        elif what < 5:
            entries.insert(rng.randrange(len(entries) + 1), copy.deepcopy(rng.choice(entries)))
            if path in (("objects",), ("pods",)) and rng.random() < 0.8:
                self._rename(rng.choice(entries))
        elif what == 5:
            a, b = rng.randrange(len(entries)), rng.randrange(len(entries))
            entries[a], entries[b] = entries[b], entries[a]
        else:
            entries.reverse()

    def _change_value(self, path):
        """Removes or replaces the value at a path, or its key."""
        parent, key, rng = at(self.case, path[:-1]), path[-1], self.rng
        chance = rng.random()
        if chance < 0.15:
            del parent[key]
        elif chance < 0.20 and isinstance(parent, dict):
            parent[self._key(path)] = parent.pop(key)
        elif chance < 0.25 and isinstance(parent, dict):
            parent[self._key(path)] = copy.deepcopy(parent[key])
        elif chance < 0.29:
            parent[key] = rng.choice((None, "", {}, [], 0, False))
        else:
            parent[key] = copy.deepcopy(self._value(path, parent[key]))

    def _key(self, path):
        """Returns another key for the map that a path ends in."""
        if _map_name(path) in edge.QUANTITY_MAPS:
            return self.rng.choice(edge.RESOURCES)
        if _map_name(path) in edge.LABEL_MAPS:
            return self.rng.choice(edge.LABELS)
        # Near misses, which a decoder must tell from the right name.
        key = str(path[-1])
        if path[0] in ("profile", "fakes", "steps", "changes"):
            return key + "x"  # Go's decoder of cases ignores capitals
        return self.rng.choice((key[:1].upper() + key[1:], key + "x", key.lower(), key[:-1], key))

    def _value(self, path, old):
        """Returns another value for a field."""
        rng, field = self.rng, _field(path)
        chance = rng.random()
        if chance < 0.3:
            values = self._values(field)
            if values:
                return rng.choice(values)
        if _map_name(path) in edge.QUANTITY_MAPS or field in edge.QUANTITY_FIELDS:
            return rng.choice(edge.QUANTITIES)
        if chance < 0.9:
            if field in edge.WORDS:
                return rng.choice(edge.WORDS[field])
            if field in edge.NUMBERS:
                return rng.choice(edge.NUMBERS[field])
            if field == "name" and path[0] in ("config", "profile"):
                # Mode trace tests the runtime, not the in-tree plugins.
                return rng.choice(edge.PLUGINS if path[0] == "config" else edge.TRACE_PLUGINS)
        if isinstance(old, bool):
            return not old if rng.random() < 0.9 else rng.choice(edge.TEXTS)
        if isinstance(old, (int, float)):
            return rng.choice((old + 1, old - 1, -old, rng.choice(edge.INTEGERS), rng.choice(edge.INTEGERS)))
        if isinstance(old, str):
            return rng.choice((old + "x", old[:-1], old.upper(), rng.choice(edge.TEXTS),
                               rng.choice(edge.LABELS), rng.choice(edge.INTEGERS)))
        if isinstance(old, (list, dict)) and chance < 0.97:
            return type(old)() if rng.random() < 0.5 else old
        return rng.choice((None, "", {}, [], 0, True, [None], {"": ""}))

    def _values(self, field):
        """The values that the case has in fields of this name."""
        if self.seen is None:
            self.seen = {}
            for path in _paths(self.case, ()):
                if path:
                    known = self.seen.setdefault(_field(path), [])
                    if len(known) < 40:
                        known.append(copy.deepcopy(at(self.case, path)))
        return self.seen.get(field)

    def _rename(self, entry):
        metadata = entry.get("metadata") if isinstance(entry, dict) else None
        if isinstance(metadata, dict) and isinstance(metadata.get("name"), str):
            metadata["name"] += self.rng.choice(("-a", "-b", "0"))
            metadata.pop("uid", None)

    def _add_part(self, entry):
        """Adds a part that the kind may have."""
        parts = edge.PARTS.get(str(entry.get("kind"))) if isinstance(entry, dict) else None
        if not parts:
            return
        path, value = self.rng.choice(parts)
        _put(entry, path, copy.deepcopy(value))

    def _change_config(self):
        config, rng = self.case["config"], self.rng
        if not isinstance(config, dict):
            return
        chance = rng.random()
        if chance < 0.08:
            key, value = rng.choice(edge.CONFIG_FIELDS)
            config[key] = copy.deepcopy(value)
            return
        if chance > 0.45:
            self._change_below(("config",))
            return
        profiles = config.setdefault("profiles", [])
        if not isinstance(profiles, list):
            return
        if not profiles or chance < 0.1:
            profiles.append({"schedulerName": rng.choice(("default-scheduler", "other", ""))})
        profile = rng.choice(profiles)
        if not isinstance(profile, dict):
            return
        if chance < 0.25:
            name = rng.choice(sorted(edge.ARGS))
            _put(profile, ("pluginConfig", "+"), {"name": name, "args": copy.deepcopy(edge.ARGS[name])})
        else:
            point = rng.choice(edge.POINTS[:12] + ("multiPoint",))
            entry = {"name": rng.choice(edge.PLUGINS)}
            if rng.random() < 0.3:
                entry["weight"] = rng.choice(edge.NUMBERS["weight"])
            _put(profile, ("plugins", point, rng.choice(("enabled", "disabled")), "+"), entry)


def _paths(value, path):
    """All paths below a value, its own first."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from _paths(value[key], (*path, key))
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from _paths(entry, (*path, index))


def _telling(path):
    return _field(path) in edge.WORDS or _field(path) in edge.NUMBERS or (
        _map_name(path) in edge.QUANTITY_MAPS)


def _field(path):
    """The name of the field: that of the list for an entry of a list."""
    return next((key for key in reversed(path) if isinstance(key, str)), "")


def _map_name(path):
    """The name of the map that a path ends in."""
    return path[-2] if len(path) > 1 and isinstance(path[-1], str) else None


def _put(value, path, part):
    """Puts a part at a path and makes missing parents; an existing value on the way stays."""
    for key, after in zip(path, path[1:]):
        below = at(value, (key,))
        if below is MISSING or below is None:
            if not isinstance(value, dict):
                return
            below = value[key] = [] if after == "+" else {}
        value = below
    if path[-1] == "+" and isinstance(value, list):
        value.append(part)
    elif path[-1] != "+" and isinstance(value, dict):
        value[path[-1]] = part
