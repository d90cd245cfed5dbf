"""Texts that are nearly manifests or configurations, for the real decoders and for libsched.

A text is a valid text from below with one to three small changes: of a character, a token, a line,
the indentation, a value. Both sides say whether they accept it, and which pods and nodes it holds.
KNOWN lists the intended differences; any other difference is reported.
"""

import base64
import collections
import dataclasses
import json
import pathlib
import random
import re
import sys
import time

from .service import Service

_BLOCK = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
  labels: {app: web, "tier": 'front'}
  annotations:
    note: |
      two
      lines
    folded: >-
      one
      line
  creationTimestamp: 2026-01-02T03:04:05Z
spec:
  priority: 10
  hostNetwork: false
  nodeSelector:
    pool: a
  tolerations:
  - key: k
    operator: Exists
    tolerationSeconds: 30
  containers:
  - name: c   # a comment
    image: registry:5000/web:1
    args: ["--address=::", --port, "8080"]
    ports:
    - containerPort: 80
      hostPort: 8080
    resources:
      requests: {cpu: 100m, memory: 1.5Gi}
      limits:
        memory: "2Gi"
        example.com/gpu: 1
"""
_NODE = """\
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {zone: a, rank: "1"}}
spec:
  unschedulable: true
  taints:
  - {key: k, value: v, effect: NoSchedule}
status:
  allocatable: {cpu: 4, memory: 8Gi, pods: "110"}
  images:
  - names: [a/b:1, "a@sha256:0"]
    sizeBytes: 1000
"""
_ANCHORS = """\
apiVersion: v1
kind: Pod
metadata:
  name: anchors
  labels: &l
    app: web
    n: "1"
spec:
  nodeSelector:
    <<: *l
    pool: &p b
  schedulerName: *p
"""
_JSON = json.dumps({
    "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "j", "labels": {"a": "b\n\u00e9"}},
    "spec": {"nodeName": "n", "priority": 5, "containers": [
        {"name": "c", "resources": {"requests": {"cpu": "1", "memory": 1024}}}]}})
_LIST = json.dumps({"apiVersion": "v1", "kind": "List", "items": [
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "spec": {}},
    json.loads(_JSON)]}, indent=4)
_CONFIG = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: 4
leaderElection: {leaderElect: false}
profiles:
- schedulerName: one
  plugins:
    score:
      disabled: [{name: ImageLocality}]
      enabled:
      - name: NodeResourcesFit
        weight: 3
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources:
        - {name: cpu, weight: 2}
- schedulerName: "two"
"""

SEEDS = (("manifests", _BLOCK), ("manifests", _NODE), ("manifests", _ANCHORS),
         ("manifests", _JSON), ("manifests", _LIST),
         ("manifests", _JSON + "\n" + _JSON.replace('"j"', '"k"')),
         ("manifests", _NODE + "---\n" + _BLOCK), ("manifests", _JSON + "\n---\n" + _NODE),
         ("config", _CONFIG))

_CHARACTERS = "\t\n\r :,-?#&*!|>'\"%@`{}[]<=~\\/._0123456789aeExX\u00e9\u2028\u0085\x00\x07\x7f"
_VALUES = (
    "", "~", "null", "Null", "yes", "no", "on", "y", "n", "true", "True", "TRUE", "0", "-0", "+1", "007",
    "0o7", "0x1F", "0b11", "1_000", "1e3", "1.0", "1.", ".5", "-.5e-3", "1e400", ".inf", "-.Inf", ".nan",
    "9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551616",
    "1:30", "1:30:15", "2026-01-02", "2026-01-02T03:04:05Z", "2026-01-02 03:04:05", "=", "<<", "-", "--",
    "- -", "?", "? a", ":", "::", "a:", "a: b", "a:b", "a #b", "a#b", "#", "&a x", "*a", "*l", "&l", "!x y",
    "!!str 1", "!!int '3'", "!!int x", "!!float 1", "!!bool yes", "!!null x", "!!binary Zm9v", "!!seq []",
    "!!map {}", "!!set {a}", "!!timestamp 2026-01-02", "!local 5", "! 5", "|", ">", "|-", ">+2", "''", '""',
    "'it''s'", "'a\n b'", '"a\\\n  b"', '"\\x41\\u00e9\\U0001F600\\0\\e\\N\\_"', '"\\/"', '"\\q"',
    '"\\ud800"', "[]", "{}", "[a:]", "[a, b,]", "[,]", "[a b: c]", "{a}", "{a: b, }", "{a:}", "{a:b}",
    '{"a":b}', "{u: http://a/b?c}", "{? a : b}", "[? a : b]", "[a?b]", "{<<: {a: b}}",
    "{<<: [{a: b}, {a: c}]}",
    "[[[]]]", "100m", "1Gi", "1.5Gi", "1k", "1ki", "1E", "1e3Ki", "0.1m", "-1", "1 ", "+5Mi", ".5Gi", "5.Ki",
    "1e", "12e6", "12E6", "12e-3m", "1n", "0x10Ki",
    "999999999999999999999999", "@a", "`a", "%a", "a\tb", "\ta",
)
_LINES = ("---", "--- ", "--- # x", "--- x", "...", "# comment", "", " ", "\t", "%YAML 1.1", "%TAG ! x",
          "- a", "a: b", "? a", ": b", "<<: {a: b}", "kind: Pod", "status: {}", "}", "]", "{}", "null")


def mutant(rng):
    """A reader's name and a text for it, as bytes."""
    reader, text = rng.choice(SEEDS)
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3))):
        text = rng.choice(_CHANGES)(rng, text)
    data = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.01:
        at = rng.randrange(len(data) + 1)
        data = data[:at] + bytes([rng.randrange(128, 256)]) + data[at:]
    return reader, data


def _character(rng, text):
    at = rng.randrange(len(text) + 1)
    what = rng.randrange(4)
    if what == 0:
        return text[:at] + text[at + 1:]
    if what == 1:
        return text[:at] + rng.choice(_CHARACTERS) + text[at:]
    if what == 2:
        return text[:at] + rng.choice(_CHARACTERS) + text[at + 1:]
    return text[:at] + text[at:at + 1] * 2 + text[at + 1:]


def _tokens(text):
    return re.findall(r"\w+|[ \t]+|\n|[^\w\s]", text) or [""]


def _token(rng, text):
    tokens = _tokens(text)
    return "".join(_edited(rng, tokens))


def _line(rng, text):
    return "".join(_edited(rng, text.splitlines(keepends=True) or [""]))


def _edited(rng, parts):
    at, other = rng.randrange(len(parts)), rng.randrange(len(parts))
    what = rng.randrange(4)
    if what == 0:
        del parts[at]
    elif what == 1:
        parts.insert(other, parts[at])
    elif what == 2:
        parts[at], parts[other] = parts[other], parts[at]
    else:
        parts.insert(at, parts[at])
    return parts


def _indentation(rng, text):
    lines = text.splitlines(keepends=True) or [""]
    begin = rng.randrange(len(lines))
    end = begin + rng.choice((1, 1, 1, 3))
    for index in range(begin, min(end, len(lines))):
        line = lines[index]
        lines[index] = rng.choice((" " + line, "  " + line, "\t" + line, line[1:], line.lstrip(" "),
                                   line.replace("  ", "\t", 1)))
    return "".join(lines)


def _value(rng, text):
    """Puts another value behind a colon or in place of a token."""
    value = rng.choice(_VALUES)
    places = [match for match in re.finditer(r"(?<=: )[^\n,}\]]*|(?<=- )[^\n:]*", text) if match[0]]
    if not places or rng.random() < 0.2:
        tokens = _tokens(text)
        tokens[rng.randrange(len(tokens))] = value
        return "".join(tokens)
    place = rng.choice(places)
    return text[:place.start()] + value + text[place.end():]


def _insert_line(rng, text):
    lines = text.splitlines(keepends=True) or [""]
    at = rng.randrange(len(lines) + 1)
    indent = re.match(r" *", lines[min(at, len(lines) - 1)])[0] if rng.random() < 0.5 else ""
    lines.insert(at, indent + rng.choice(_LINES) + "\n")
    return "".join(lines)


def _style(rng, text):
    what = rng.randrange(7)
    if what == 0:
        return text.replace("\n", "\r\n")
    if what == 1 and "}\n{" not in text:  # behind the mark, upstream takes a stream of JSON for YAML
        return "\ufeff" + text.lstrip("\ufeff")
    if what == 2:
        return text.rstrip("\n")
    if what == 3:
        return text[:rng.randrange(len(text) + 1)]
    if what == 4:
        return text + rng.choice(_VALUES)
    if what == 5:
        return rng.choice((" ", "\n", "\t", "# c\n", "---\n", "\n\n  ")) + text.lstrip("\ufeff")
    return text + "\n" + rng.choice(_LINES) + "\n"


_CHANGES = (_character, _character, _token, _line, _indentation, _value, _value, _value, _insert_line,
            _style)


@dataclasses.dataclass(frozen=True)
class Known:
    """A class of intended difference: the side that accepts, the other side's error, and the reason."""

    accepts: str    # "upstream", "libsched", or "both", with other objects
    says: str       # a regular expression for the other's error
    why: str        # as in docs/documents.md
    example: str
    text: str = ""  # a regular expression for the text


_POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
_JSON_POD = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}'

KNOWN = (
    # Stricter than upstream.
    Known("upstream", "duplicate key", "a key that stands twice in a mapping", _POD + "spec: {}\nspec: {}\n"),
    # In text that starts like JSON the error is the first that JSON has.
    Known("upstream", "invalid character", "a key that stands twice in a mapping",
          '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "name": "p"}, "spec": {"nodeName": ~}}',
          text=r'"?(\w+)"?:[^{}\[\]]*,\s*"?\1"?:'),
    Known("upstream", "duplicate (Pod|Node) ", "an object that stands twice in a text",
          _POD + "---\n" + _POD),
    Known("upstream", "more content after the end of the document",
          "content behind the end of a YAML document", _POD + "...\nmore\n"),
    Known("upstream", "(did not find expected|control characters)",
          "content behind the end of a YAML document", _JSON_POD + "\n---\n%YAML 1.1\n",
          text=r"(?m)^(\.\.\.|%)|---"),
    Known("upstream", "no kind .* is registered for version", "a version that a kind does not have",
          _POD.replace("v1", "v9")),
    Known("upstream", "missing; an object needs kind and apiVersion",
          "kind and apiVersion in other case", _POD.replace("kind", "Kind")),
    Known("upstream", "invalid UTF-8", "bytes that are no UTF-8",
          _JSON_POD.replace('"p"', '"p", "uid": "\udcff"')),
    Known("upstream", "NUL (character|byte)", "NUL characters", _POD + 'spec: {nodeName: "\\0"}\n'),
    Known("upstream", "", "JSON behind a byte order mark",
          "\ufeff" + _JSON_POD + '{"a"', text="^\ufeff"),
    # More lenient than upstream.
    Known("libsched", "cannot unmarshal .* into Go|unable to parse|error decoding",
          "the types of fields that nobody reads", _POD + "spec: {dnsConfig: 1}\n"),
    Known("libsched", "", 'the escape "\\/"', _POD + 'spec: {nodeName: "\\/"}\n', text=r"\\/"),
    Known("libsched", "did not find expected|json: offset", "question marks in plain words in flow style",
          _POD + "spec: {nodeName: a?b}\n", text=r"\?"),
    Known("libsched", "did not find expected", "the tag ! before a comma", _POD + "status: {a: !, b: c}\n",
          text="!"),
    Known("both", "other objects", "the tag ! before a comma", _POD + "status: {a: [!, 0]}\n", text="!"),
    Known("libsched", "Object 'Kind' is missing", "two byte order marks", "\ufeff\ufeff" + _POD,
          text="^\ufeff\ufeff"),
)


def difference(want, have):
    """None if the answers agree, else the accepting side ("both": other objects) and the other side's error."""
    if "error" in want or "error" in have:
        if "error" in want and "error" in have:
            return None
        return ("libsched", want["error"]) if "error" in want else ("upstream", have["error"])
    theirs = [each for each in want.get("objects") or () if _is_read(each)]
    ours = have.get("objects") or []
    return None if _sorted(theirs) == _sorted(ours) else (
        "both", f"other objects, {len(theirs)} and {len(ours)}")


def _is_read(document):
    return (isinstance(document, dict) and document.get("apiVersion") == "v1"
            and document.get("kind") in ("Pod", "Node"))


def _sorted(documents):
    return sorted(json.dumps(each, sort_keys=True) for each in documents)


def known(found, data):
    """The Known that covers a difference between answers to a text, or None."""
    text = data.decode(errors="replace")
    return next((each for each in KNOWN
                 if each.accepts == found[0] and re.search(each.says, found[1])
                 and re.search(each.text, text)), None)


def question(reader, data):
    return json.dumps({"reader": reader, "text": base64.b64encode(data).decode()})


def shrink(reader, data, same):
    """Removes lines, then pieces of lines, as long as `same(data)` holds."""
    for pieces in (lambda d: d.splitlines(keepends=True), lambda d: re.findall(rb"\w+|\s+|.", d, re.S)):
        parts = pieces(data)
        size = max(1, len(parts) // 2)
        while size:
            at = 0
            while at < len(parts):
                fewer = parts[:at] + parts[at + size:]
                if same(b"".join(fewer)):
                    parts = fewer
                else:
                    at += size
            size //= 2
        data = b"".join(parts)
    return data


@dataclasses.dataclass
class Tally:
    compared: int = 0
    accepted: int = 0
    by_why: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    unknown: list = dataclasses.field(default_factory=list)  # (reader, data, difference)


def stale(ask_upstream, ask_libsched):
    """The classes of known differences whose examples do not differ as described."""
    lines = [question("manifests", each.example.encode("utf-8", "surrogateescape")) for each in KNOWN]
    answers = zip(KNOWN, ask_upstream(lines), ask_libsched(lines))
    found = [(each, difference(_parsed(want), _parsed(have))) for each, want, have in answers]
    return [each for each, differs in found
            if differs is None or differs[0] != each.accepts or not re.search(each.says, differs[1])]


def run(ask_upstream, ask_libsched, count, seed, batch=500):
    """Compares `count` mutants. The two functions take lines and give lines."""
    rng = random.Random(seed)
    tally = Tally()
    while tally.compared < count:
        texts = [mutant(rng) for _ in range(min(batch, count - tally.compared))]
        lines = [question(*each) for each in texts]
        for text, want, have in zip(texts, ask_upstream(lines), ask_libsched(lines)):
            tally.compared += 1
            want, have = _parsed(want), _parsed(have)
            tally.accepted += "error" not in want
            found = difference(want, have)
            if found is None:
                continue
            reason = known(found, text[1])
            if reason is not None:
                tally.by_why[reason.why] += 1
            else:
                tally.unknown.append((*text, found))
    return tally


def _parsed(answer):
    return json.loads(answer) if isinstance(answer, str) else {"error": str(answer)}


def compare(oracle, count, seed, timeout, folder):
    """`make conformance ARGS="--documents N"`: 0 if all differences are known ones."""
    seed = int(time.time()) if seed is None else seed
    print(f"{count:,} mutated documents (repeat with --documents {count} --start {seed})")
    reader = pathlib.Path(__file__).resolve().parent.parent / "read_documents.py"
    with (Service([oracle, "documents"], timeout) as upstream,
          Service([sys.executable, reader], timeout) as libsched):
        old = stale(upstream.ask, libsched.ask)
        for each in old:
            print(f"no difference any more, or another one: {each.why}: {each.example!r}")
        tally = run(upstream.ask, libsched.ask, count, seed)
        for number, (kind, data, found) in enumerate(tally.unknown[:20]):
            _show(upstream.ask, libsched.ask, kind, data, found,
                  pathlib.Path(folder) / f"document-{seed}-{number}.txt")
    for why, times in tally.by_why.most_common():
        print(f"{times:7,}  {why}")
    print(f"{tally.accepted:,} of {tally.compared:,} are accepted upstream; "
          f"{len(tally.unknown)} differ in other ways than docs/documents.md says")
    return 1 if old or tally.unknown else 0


def _show(upstream, libsched, reader, data, found, path):
    """Shrinks and prints a difference, and stores the text."""
    def same(text):
        lines = [question(reader, text)]
        now = difference(_parsed(upstream(lines)[0]), _parsed(libsched(lines)[0]))
        return now is not None and now[0] == found[0] and known(now, text) is None
    small = shrink(reader, data, same) if same(data) else data
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(small)
    who = "both accept" if found[0] == "both" else f"{found[0]} alone accepts"
    print(f"\n{reader}: {who} {small!r}\n    the other says: {found[1]}\n    kept in {path}")
