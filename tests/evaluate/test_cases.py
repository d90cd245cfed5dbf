"""Reading streams of cases: texts that are cases or not, and where reading continues."""

import gzip
import io
import json

import pytest

from libsched_evaluate.case_text import BadCase
from libsched_evaluate.cases import Case, open_cases, read_cases


def read(text):
    return list(read_cases(io.BytesIO(text if isinstance(text, bytes) else text.encode())))


def names(text):
    return [f"bad: {case}" if isinstance(case, BadCase) else case.name for case in read(text)]


def test_one_line_each():
    assert names('{"name": "a"}\n\n{"name": "b"}\n{"name": "c"}') == ["a", "b", "c"]


def test_several_on_a_line_and_over_many():
    assert names('{"name": "a"} {"name": "b"}{\n "name"\n:\n"c"\n}\n') == ["a", "b", "c"]
    pretty = json.dumps({"name": "p", "objects": [{"kind": "Node", "x": '}{"\\'}], "pods": []},
                        indent=1)
    assert names(pretty + pretty + "\n" + pretty) == ["p", "p", "p"]


def test_the_texts_are_kept():
    text = ('{"objects": [ {"n": 1.0e3, "s": "\\u0041é\\ud800", "d": 1, "d": 2} ], '
            '"pods": [{"kind": "Pod"}], "defaults": true, "config": {"a": 1e400}}')
    case, = read(text)
    assert isinstance(case, Case)
    assert case.objects.decode() == ('{"apiVersion":"v1","kind":"List","items":'
                                     '[ {"n": 1.0e3, "s": "\\u0041é\\ud800", "d": 1, "d": 2} ]}')
    assert case.config == b'{"a": 1e400}'
    assert case.defaults is True and case.mode == "evaluate"
    assert case.pod_values == [{"kind": "Pod"}]


def test_releases_without_devices_leave_out_their_objects():
    objects = ('{"apiVersion": "resource.k8s.io/v1", "kind": 1}, {"apiVersion": "v1", "kind": "Node",'
               ' "metadata": {"name": "n"}}, 7')
    kept = {release: read(f'{{"release": "{release}", "objects": [{objects}]}}\n')[0].objects
            for release in ("1.33", "1.34")}
    assert b"resource.k8s.io" not in kept["1.33"] and b"resource.k8s.io" in kept["1.34"]
    assert all(b'"Node/n"' in text and text.endswith(b"7]}") for text in kept.values())


def test_invalid_utf8_is_kept_for_the_library_to_judge():
    case, = read(b'{"name": "\xff", "objects": ["\xff\xfe"], "pods": []}')
    assert b'["\xff\xfe"]' in case.objects and case.name == "\ufffd"


def test_configurations_as_text():
    case, = read('{"config": "kind: X\\nname: \\u00fc\\n", "name": "n\\u00fc-ü"}')
    assert case.config == "kind: X\nname: ü\n".encode() and case.name == "nü-ü"
    assert read('{"config": null}')[0].config is None
    assert read("{}")[0].config is None


@pytest.mark.parametrize("line, text", [
    ("[1]", "JSON object"), ("3", "JSON object"), ('{"name": "x" "y"}', "comma"), ("{3: 4}", "member"),
    ('{"name": "x", }', "wrong"), ("nonsense", "JSON object"), ("}", "JSON object"),
    ('{"name": 3}', "name: expected a text"), ('{"mode": []}', "mode: expected a text"),
    ('{"defaults": "yes"}', "defaults: expected true or false"),
    ('{"pods": {}}', "pods: expected a list"), ('{"objects": 1}', "objects: expected a list"),
    ('{"changes": [{"delete": ["Node/a", 3]}]}', "changes[0].delete: expected a list of texts"),
    ('{"a": nope}', "wrong"), ('{"objects": ' + "[" * 200000 + "]" * 200000 + "}", "deeply")])
def test_no_cases(line, text):
    cases = read(f'{line}\n{{"name": "next", "pods": []}}\n')
    assert isinstance(cases[0], BadCase) and text in str(cases[0])
    assert cases[-1].name == "next"


def test_the_name_of_a_bad_case_is_kept():
    assert read('{"name": "x", "pods": 3}')[0].name == "x"
    assert read('{"name": "x", "pods": nope}')[0].name == "x"


def test_a_cut_off_case():
    assert names('{"name": "a", "pods": [') == ["bad: the JSON ends in the middle"]
    assert names('{"name": "a", "pods": [\n{"name": "b", "pods": []}\n') == [
        "bad: the JSON ends in the middle", "b"]


def test_files(tmp_path):
    plain, packed = tmp_path / "a.json", tmp_path / "a.json.gz"
    plain.write_text('{"name": "a"}')
    packed.write_bytes(gzip.compress(b'{"name": "a"}\n') + gzip.compress(b'{"name": "b"}\n'))
    with open_cases(plain) as stream:
        assert [case.name for case in read_cases(stream)] == ["a"]
    with open_cases(packed) as stream:
        assert [case.name for case in read_cases(stream)] == ["a", "b"]
    packed.write_bytes(gzip.compress(b'{"name": "a"}\n' * 10000)[:-20])
    with open_cases(packed) as stream:
        *_, last = read_cases(stream)
    assert isinstance(last, BadCase) and "cannot be read" in str(last)


def test_progress_is_told():
    sizes = []
    list(read_cases(io.BytesIO(b'{}\n{}\n'), sizes.append))
    assert sizes == [3, 3]


@pytest.mark.parametrize("before, after", [
    ('{"kind":"Pod","metadata":{"name":"p"}}', '{"kind":"Pod","metadata":{"uid":"Pod/default/p","name":"p"}}'),
    ('{"metadata":{"namespace":"é","name":"\\u00fc"},"kind":"Pod"}',
     '{"metadata":{"uid":"Pod/é/\\u00fc","namespace":"é","name":"\\u00fc"},"kind":"Pod"}'),
    ('{"kind":"Node","metadata":{ "uid" : "" , "name":"n"}}',
     '{"kind":"Node","metadata":{ "uid" : "Node/n" , "name":"n"}}'),
    ('{"kind":"PersistentVolume","metadata":{"uid":null,"namespace":"x","name":"n"}}',
     '{"kind":"PersistentVolume","metadata":{"uid":"PersistentVolume/n","namespace":"x","name":"n"}}'),
    ('{"kind":"Pod","metadata":{}}', '{"kind":"Pod","metadata":{"uid":"Pod/default/"}}')])
def test_objects_get_a_uid(before, after):
    for count in (1, 2):
        case, = read(f'{{"objects": [ {" , ".join([before] * count)} ], "pods": []}}')
        assert case.objects.decode() == ('{"apiVersion":"v1","kind":"List","items":'
                                         f'[ {" , ".join([after] * count)} ]}}')


@pytest.mark.parametrize("text", [
    '{"kind":"Pod","metadata":{"name":"p","uid":"u"}}', "3", "[]", "null", "{}", '{"kind":"Pod"}',
    '{"kind":3,"metadata":{}}', '{"kind":"Pod","metadata":[]}', '{"kind":"Pod","metadata":{"uid":3}}',
    '{"kind":"Pod","metadata":{"uid":{}}}', '{"kind":"Pod","metadata":{"uid":false}}'])
def test_what_has_a_uid_or_is_no_object_stays(text):
    case, = read(f'{{"objects": [{text}, {text}], "pods": []}}')
    assert case.objects.decode().endswith(f'"items":[{text}, {text}]}}')


def test_scripts_keep_the_texts_of_objects():
    """The objects of a step stay as they are but for uids; null is absent."""
    case, = read('{"mode": "queue", "script": [ {"do": "add", "old": null, "wait": null, "pod": '
                 '{"kind": "Pod", "metadata": {"name": "\\u0070"}, "n": 1e400}}, {"do": "pop"}], "gates": null}')
    first, second = case.queue.script
    assert first.members == {"do": "add"} and list(first.objects) == ["pod"]
    assert first.objects["pod"] == (b'{"apiVersion":"v1","kind":"List","items":[{"kind": "Pod", "metadata": '
                                    b'{"uid":"Pod/default/\\u0070","name": "\\u0070"}, "n": 1e400}]}')
    assert (second.members, second.objects) == ({"do": "pop"}, {})
    assert (case.queue.gates, case.queue.options, case.queue.plugins) == ({}, {}, [])
    assert read('{"script": []}')[0].queue is None
