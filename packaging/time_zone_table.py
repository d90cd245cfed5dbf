"""Writes libsched/cel/lib/time_zone_table.inc, the rules of named time zones, from compiled zone files.

    .venv/bin/python packaging/time_zone_table.py [/usr/share/zoneinfo] > libsched/cel/lib/time_zone_table.inc

Each zone has an offset for all time before its first change, a list of changes, and a rule for
the time after the last one, if its clocks still change every year.
"""

import pathlib
import re
import struct
import sys
from datetime import date, timedelta

DEFAULT_FOLDER = "/usr/share/zoneinfo"
LEFT_OUT = {"posix", "right", "localtime", "posixrules", "Factory"}
RULE_DATE = re.compile(r"M(\d+)\.(\d)\.(\d)(?:/(-?)(\d+)(?::(\d+))?(?::(\d+))?)?$")
RULE = re.compile(r"(<[^>]+>|[A-Za-z]+)([-+0-9:]+)(?:(<[^>]+>|[A-Za-z]+)([-+0-9:]*),([^,]+),([^,]+))?$")
EPOCH = date(1970, 1, 1)


def seconds(text):
    """Seconds of "-3", "5:30" and the like."""
    sign = -1 if text.startswith("-") else 1
    parts = [int(part) for part in text.lstrip("+-").split(":")]
    return sign * sum(part * unit for part, unit in zip(parts, (3600, 60, 1)))


def rule_of(footer):
    """(standard offset, summer offset, month, week, day, second of the start, the same of the end), or None."""
    found = RULE.match(footer)
    if not found or not found[3]:
        return None
    standard = -seconds(found[2])
    summer = -seconds(found[4]) if found[4] else standard + 3600
    dates = []
    for text in (found[5], found[6]):
        month, week, day, sign, hour, minute, second = RULE_DATE.match(text).groups()
        time = 7200 if hour is None else int(hour) * 3600 + int(minute or 0) * 60 + int(second or 0)
        dates += [int(month), int(week), int(day), -time if sign else time]
    return (standard, summer, *dates)


def changes_of_year(rule, year):
    """[(moment, offset)] of both changes of a year."""
    found = []
    for at, before, after in ((2, rule[0], rule[1]), (6, rule[1], rule[0])):
        month, week, day, time = rule[at:at + 4]
        first = date(year, month, 1)
        when = first + timedelta((day - first.isoweekday() % 7) % 7 + 7 * (week - 1))
        while when.month != month:
            when -= timedelta(7)
        found.append(((when - EPOCH).days * 86400 + time - before, after))
    return sorted(found)


def read_block(data, at, width):
    """(offsets, is summer, [(moment, type)], end) of a block of a zone file with times of so many bytes."""
    isut, isstd, leap, times, types, chars = struct.unpack(">6l", data[at + 20:at + 44])
    at += 44
    moments = struct.unpack(f">{times}{'q' if width == 8 else 'l'}", data[at:at + times * width])
    at += times * width
    kinds = data[at:at + times]
    at += times
    infos = [struct.unpack(">lbb", data[at + 6 * i:at + 6 * i + 6]) for i in range(types)]
    at += 6 * types + chars + leap * (width + 4) + isstd + isut
    return [info[0] for info in infos], [info[1] for info in infos], list(zip(moments, kinds)), at


def first_type(summer, changes):
    """The type of all time before the first change, as Go chooses it."""
    if all(kind != 0 for _, kind in changes):
        return 0
    if changes and summer[changes[0][1]]:
        for kind in range(changes[0][1] - 1, -1, -1):
            if not summer[kind]:
                return kind
    return next((kind for kind, is_summer in enumerate(summer) if not is_summer), 0)


def read_zone(path):
    """(first offset, ((moment, offset), ...), rule) of a zone file; None if it is none."""
    data = path.read_bytes()
    if data[:4] != b"TZif" or data[4:5] < b"2":
        return None
    *_, end = read_block(data, 0, 4)
    offsets, summer, changes, end = read_block(data, end, 8)
    rule = rule_of(data[end:].decode().strip("\n"))
    first = offsets[first_type(summer, changes)]
    moves, offset = [], first
    for moment, kind in changes:
        if offsets[kind] != offset:
            offset = offsets[kind]
            moves.append((moment, offset))
    if rule:
        # The rule replaces the changes at the end that it makes itself; the last other one stays.
        made = sorted(change for year in range(1970, 2040) for change in changes_of_year(rule, year))
        before = dict(zip(made[1:], made))
        while len(moves) > 1 and before.get(moves[-1]) == moves[-2]:
            moves.pop()
    return first, tuple(moves), rule


def lines(values, width=100):
    line = " "
    for value in values:
        text = f" {value},"
        if len(line) + len(text) > width:
            yield line
            line = " "
        line += text
    yield line


def array(declaration, values):
    return [f"constexpr {declaration}[] = {{", *lines(values), "};"]


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else DEFAULT_FOLDER)
    zones, names = {}, []
    for path in sorted(folder.rglob("*"), key=lambda path: str(path.relative_to(folder))):
        name = path.relative_to(folder)
        if name.parts[0] in LEFT_OUT or not path.is_file():
            continue
        zone = read_zone(path)
        if zone:
            names.append((str(name), zones.setdefault(zone, len(zones))))
    rules = sorted({zone[2] for zone in zones if zone[2]})
    offsets = sorted({offset for first, moves, _ in zones for offset in (first, *(move[1] for move in moves))})
    moments, kinds, rows = [], [], []
    for first, moves, rule in zones:
        rows.append(f"{{{len(moments)}, {len(moves)}, {offsets.index(first)}, {rules.index(rule) if rule else -1}}}")
        moments += [move[0] for move in moves]
        kinds += [offsets.index(move[1]) for move in moves]
    version = (folder / "tzdata.zi").read_text().split("\n", 1)[0].removeprefix("# version ")
    print(f"// The IANA time zone database, version {version}. packaging/time_zone_table.py writes this file.")
    out = array("ZoneName kNames", (f'{{"{name}", {zone}}}' for name, zone in sorted(names)))
    out += array("Zone kZones", rows)
    out += array("YearRule kRules", ("{%d, %d, {%d, %d, %d, %d}, {%d, %d, %d, %d}}" % rule for rule in rules))
    out += array("int32_t kOffsets", offsets)
    out += array("int64_t kMoments", moments)
    out += array("uint16_t kOffsetBehind", kinds)
    print("\n".join(out))


if __name__ == "__main__":
    main()
