"""Every exception: what it is, what it carries, and that it survives a process pool."""

import pickle

import pytest

import libsched
from libsched import errors
from manifests import node, pod


@pytest.mark.parametrize("code, kind, builtin", [
    (-1, libsched.InvalidError, ValueError), (-2, libsched.NotFoundError, KeyError),
    (-3, libsched.ExistsError, ValueError), (-4, libsched.UnsupportedError, NotImplementedError),
    (-5, libsched.StateError, RuntimeError), (-6, libsched.StaleError, RuntimeError),
    (-7, libsched.LimitError, ValueError), (-8, libsched.FileError, OSError),
    (-9, libsched.BufferSizeError, BufferError), (-10, libsched.MisuseError, TypeError),
    (-11, libsched.NoMemoryError, MemoryError), (-12, libsched.InternalError, RuntimeError),
    (-13, libsched.CancelledError, Exception),
    (-14, libsched.DeadlineExceeded, TimeoutError), (-15, libsched.PluginError, RuntimeError),
    (-99, libsched.Error, Exception)])
def test_codes(code, kind, builtin):
    error = errors.from_code(code, "went wrong", "items[0].spec", "NodePorts")
    assert type(error) is kind
    assert isinstance(error, libsched.Error) and isinstance(error, builtin)
    assert (error.code, error.path, error.plugin) == (code, "items[0].spec", "NodePorts")
    assert str(error) == "items[0].spec: went wrong"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.path, again.plugin) == (
        kind, str(error), error.path, error.plugin)


def test_without_a_path():
    assert str(libsched.NotFoundError('no node "x"')) == 'no node "x"'
    assert issubclass(libsched.NotFoundError, LookupError)


def test_invalid_says_where():
    bad = pod("x")
    bad["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "lots"}}
    with pytest.raises(libsched.InvalidError) as caught:
        libsched.Pod(bad)
    assert caught.value.path == "spec.containers[0].resources.requests.cpu"
    with pytest.raises(ValueError, match=r"spec\.containers\[0\]\.resources"):
        libsched.Pod(bad)


def test_a_message_that_begins_with_the_place_is_not_told_twice():
    extender = {"urlPrefix": "http://x", "managedResources": [{"name": "none"}]}
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
              "extenders": [extender]}
    for more in ({}, {"parallelism": -1}):  # one error, and a list of two
        with pytest.raises(libsched.InvalidError) as caught:
            libsched.Config({**config, **more})
        place = "extenders[0].managedResources[0].name: "
        assert str(caught.value).count(place) == 1 and caught.value.path
    assert str(libsched.InvalidError("wrong", "a")) == "a: wrong"
    assert str(libsched.InvalidError("[a: wrong, b: wrong]", "a")) == "[a: wrong, b: wrong]"


def test_limit():
    deep = b'{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"},"spec":' + b'{"x":' * 1000 + (
        b"1" + b"}" * 1000) + b"}"
    with pytest.raises(libsched.LimitError):
        libsched.Node.parse(deep)


def test_missing_file(tmp_path):
    with pytest.raises(libsched.FileError, match="no-such.yaml"):
        libsched.Cluster("no-such.yaml")
    with pytest.raises(OSError, match="no-such.yaml"):
        libsched.Cluster(tmp_path / "no-such.yaml")
    with pytest.raises(libsched.FileError):
        libsched.Cluster(tmp_path)
    with pytest.raises(libsched.FileError, match="none.yaml"):
        libsched.Config(tmp_path / "none.yaml")


def test_exists_not_found_state(cluster):
    with pytest.raises(libsched.ExistsError):
        cluster.add_nodes(node("a"))
    with pytest.raises(libsched.NotFoundError):
        cluster.remove_node("z")
    with pytest.raises(KeyError):
        cluster.remove_pod("default/z")
    with pytest.raises(libsched.StateError):
        cluster.commit()


@pytest.mark.parametrize("wrong", [3, 2.5, None, object()])
def test_misuse(wrong):
    with pytest.raises(TypeError):
        libsched.Objects(wrong)
    with pytest.raises(TypeError):
        libsched.Pod.parse(wrong)


def test_wrong_types_in_the_extension_are_type_errors(cluster):
    with pytest.raises(TypeError):
        cluster.remove_node(3)
    with pytest.raises(TypeError):
        libsched._core.Cluster("x")
