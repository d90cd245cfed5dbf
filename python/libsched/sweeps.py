"""Sweeps: many what-ifs of one cluster, on threads, on processes or on a Dask cluster."""

from __future__ import annotations

import dataclasses
import functools
import os
import pickle
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Union

from ._arguments import check_fields, checks_arguments
from ._sources import Source
from .cluster import Cluster, Snapshot, cluster_of
from .data_table import DataTable
from .errors import InvalidError, MisuseError
from .framework import Framework
from .objects import Pod, Workload
from .placement import wanted_of

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

#: Makes the columns of a scenario's row, given the changed cluster, the framework, the pods and the
#: seed. The cluster may be changed: it is as it was for the next scenario.
Ask = Callable[[Cluster, Framework, list[Union[Pod, Workload]], int], dict[str, Any]]


@dataclasses.dataclass(frozen=True)
class Scenario:
    """A what-if: edits of a cluster, and a seed.

    Attributes
    ----------
    edits : sequence of str
        As for `Cluster.edit`.
    seed : int
        Of the choice among equal nodes.
    name : str
    change : callable, optional
        Gets the cluster after the edits, and may change it further. On processes it has to be a
        function that can be imported there.
    """

    edits: Sequence[str] = ()
    seed: int = 0
    name: str = ""
    change: Callable[[Cluster], object] | None = None

    def __post_init__(self) -> None:
        check_fields(self)


def place(cluster: Cluster, framework: Framework, pods: list[Pod | Workload],
          seed: int) -> dict[str, Any]:
    """Places the pods one after the other: how many found a node, and why the first did not."""
    placed = unplaced = 0
    reason = None
    for one in framework.schedule(cluster, pods, ties="random", seed=seed):
        if one:
            placed += one.count
        else:
            unplaced += one.count
            reason = reason or one.text
    return {"nodes": len(cluster), "placed": placed, "unplaced": unplaced, "reason": reason}


@checks_arguments
def sweep(scenarios: Iterable[Scenario | Sequence[str] | Callable[[Cluster], object]],
          cluster: Cluster | Snapshot, pods: Source | Workload = (), *, framework: Framework | None = None,
          ask: Ask = place, threads: int = 0, processes: int = 0, dask: Any = None) -> DataTable:
    """Asks the same question in many variants of a cluster. The cluster stays as it is.

    Each scenario starts with the cluster as given, so the answers depend neither on the other
    scenarios nor on where a scenario ran.

    Parameters
    ----------
    scenarios : iterable
        `Scenario` objects, lists of edits, or functions that change a cluster.
    cluster : Cluster or Snapshot
    pods
        Pods and workloads to place, or what makes them. Edits reach them, too.
    framework : Framework, optional
        By default one with upstream's defaults.
    ask : callable, optional
        Makes the columns of a row: ``ask(cluster, framework, pods, seed)`` returns a dict with
        numbers, texts, bools and None. By default the pods are placed, and the columns are
        ``nodes``, ``placed``, ``unplaced`` and the ``reason`` of the first pod without a node.
    threads, processes : int
        The number of workers; by default the calling thread does everything. Processes are started
        anew (spawn), so a script needs ``if __name__ == "__main__":``.
    dask : dask.distributed.Client, optional
        A client whose workers have libsched.

    Returns
    -------
    DataTable
        A row for each scenario in its order: ``scenario`` (its number), ``name``, ``seed``, the
        columns of `ask`, and ``error``, which is None unless the scenario has failed, or its worker.
        A scenario that ends its process does not cost the others their answers.

    Raises
    ------
    MisuseError
        Several kinds of workers are given.

    Examples
    --------
    >>> from libsched import Cluster
    >>> cluster = Cluster({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"},
    ...     "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}})
    >>> web = {"kind": "Deployment", "apiVersion": "apps/v1", "metadata": {"name": "web"},
    ...     "spec": {"replicas": 9, "template": {"spec": {"containers": [
    ...         {"name": "c", "resources": {"requests": {"cpu": "2"}}}]}}}}
    >>> sweep([[], ["add-node a=1"], ["cordon b"]], cluster, web).columns["placed"]
    [2, 4, None]
    """
    listed = [_scenario(one) for one in scenarios]
    if sum(bool(one) for one in (threads, processes, dask is not None)) > 1:
        raise MisuseError("give one of threads, processes and dask")
    if threads < 0 or processes < 0:
        raise InvalidError("the number of workers must not be negative")
    base = cluster.clone() if isinstance(cluster, Cluster) else cluster_of(cluster)
    wanted = wanted_of(base, pods)
    worker = _Worker(base, wanted, framework or Framework(), ask)
    if threads:
        rows = _on_threads(worker, listed, threads)
    elif processes:
        rows = _on_processes(worker, listed, processes)
    elif dask is not None:
        rows = _on_dask(worker, listed, dask)
    else:
        rows = worker.run(listed)
    return _table(listed, rows)


def _scenario(given: Any) -> Scenario:
    if isinstance(given, Scenario):
        return given
    if isinstance(given, str):
        raise InvalidError(f"a scenario is a list of edits, not the text {given!r}")
    if callable(given):
        return Scenario(change=given, name=getattr(given, "__name__", ""))
    return Scenario(tuple(given))


class _Worker:
    """What a thread or process needs to run scenarios."""

    def __init__(self, cluster: Cluster, pods: list[Pod | Workload], framework: Framework,
                 ask: Ask) -> None:
        self.cluster, self.pods, self.framework, self.ask = cluster, pods, framework, ask

    def run(self, scenarios: Sequence[Scenario]) -> list[dict[str, Any]]:
        return [self._row(one) for one in scenarios]

    def _row(self, scenario: Scenario) -> dict[str, Any]:
        try:
            with self.cluster.fork():
                pods = self.cluster.edit(scenario.edits, self.pods)
                if scenario.change is not None:
                    scenario.change(self.cluster)
                return {**self.ask(self.cluster, self.framework, pods, scenario.seed),
                        "error": None}
        except Exception as error:
            return _failed(error)

    def alone(self) -> _Worker:
        """Returns a worker for another thread."""
        return _Worker(self.cluster.clone(), self.pods, self.framework, self.ask)


def _failed(error: BaseException) -> dict[str, Any]:
    return {"error": f"{type(error).__name__}: {error}"}


def _chunks(scenarios: list[Scenario], workers: int) -> list[list[Scenario]]:
    """Splits into about eight chunks for each worker, so that none waits long for the others."""
    size = max(1, -(-len(scenarios) // (8 * workers)))
    return [scenarios[begin:begin + size] for begin in range(0, len(scenarios), size)]


def _collected(chunks: list[list[Scenario]], futures: Sequence[Any]) -> list[dict[str, Any]]:
    """Returns the rows of all chunks; a chunk whose worker failed has rows with that error."""
    rows: list[dict[str, Any]] = []
    for chunk, future in zip(chunks, futures, strict=True):
        try:
            rows += future.result()
        except Exception as error:
            rows += [_failed(error)] * len(chunk)
    return rows


def _on_threads(worker: _Worker, scenarios: list[Scenario], count: int) -> list[dict[str, Any]]:
    from concurrent.futures import ThreadPoolExecutor

    own = threading.local()
    making = threading.Lock()

    def run(chunk: list[Scenario]) -> list[dict[str, Any]]:
        if not hasattr(own, "worker"):
            with making:
                own.worker = worker.alone()
        found: list[dict[str, Any]] = own.worker.run(chunk)
        return found

    chunks = _chunks(scenarios, count)
    with ThreadPoolExecutor(count) as pool:
        return _collected(chunks, [pool.submit(run, chunk) for chunk in chunks])


_worker_of_process: _Worker | None = None


def _start_process(pickled: bytes) -> None:
    global _worker_of_process
    _worker_of_process = _Worker(*pickle.loads(pickled))


def _run_in_process(pickled: bytes) -> list[dict[str, Any]]:
    assert _worker_of_process is not None
    return _worker_of_process.run(pickle.loads(pickled))


def _pickled(worker: _Worker) -> bytes:
    return pickle.dumps((worker.cluster, worker.pods, worker.framework, worker.ask))


def _on_processes(worker: _Worker, scenarios: list[Scenario], count: int) -> list[dict[str, Any]]:
    from concurrent.futures.process import BrokenProcessPool

    pickled, chunks = _pickled(worker), _chunks(scenarios, count)
    texts = [pickle.dumps(chunk) for chunk in chunks]
    rows: list[dict[str, Any]] = []
    with _processes(min(count, max(1, len(chunks))), pickled) as pool:
        futures = [_submitted(pool, text) for text in texts]
        for chunk, future in zip(chunks, futures, strict=True):
            try:
                rows += future.result()
            except BrokenProcessPool:
                rows += [{}] * len(chunk)
            except Exception as error:
                rows += [_failed(error)] * len(chunk)
    _again(pickled, scenarios, rows)
    return rows


def _again(pickled: bytes, scenarios: list[Scenario], rows: list[dict[str, Any]]) -> None:
    """Fills in the empty rows, one after the other, so that a scenario that ends its process is known.

    If a process ends before it gets a scenario, the remaining rows have that error.
    """
    left = [at for at, row in enumerate(rows) if not row]
    while left:
        with _processes(1, pickled) as pool:
            try:
                _submitted(pool, pickle.dumps([])).result()
            except Exception as error:
                for at in left:
                    rows[at] = _failed(error)
                return
            while left:
                at = left.pop(0)
                try:
                    rows[at], = _submitted(pool, pickle.dumps([scenarios[at]])).result()
                except Exception as error:
                    rows[at] = _failed(error)
                    break


def _processes(count: int, pickled: bytes) -> ProcessPoolExecutor:
    import multiprocessing  # takes a while
    from concurrent.futures import ProcessPoolExecutor

    return ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), _start_process,
                               (pickled,))


def _submitted(pool: ProcessPoolExecutor, text: bytes) -> Future[list[dict[str, Any]]]:
    """Submits a chunk; a pool that is broken already gives a future with that error."""
    from concurrent.futures import Future
    from concurrent.futures.process import BrokenProcessPool

    try:
        return pool.submit(_run_in_process, text)
    except BrokenProcessPool as error:
        broken: Future[list[dict[str, Any]]] = Future()
        broken.set_exception(error)
        return broken


@functools.lru_cache(maxsize=2)
def _kept_worker(pickled: bytes, process: int, thread: int) -> _Worker:
    return _Worker(*pickle.loads(pickled))


def _run_on_dask(pickled: bytes, chunk: bytes) -> list[dict[str, Any]]:
    return _kept_worker(pickled, os.getpid(), threading.get_ident()).run(pickle.loads(chunk))


def _on_dask(worker: _Worker, scenarios: list[Scenario], client: Any) -> list[dict[str, Any]]:

    def run(pickled: bytes, chunk: bytes) -> list[dict[str, Any]]:
        """Goes to the workers as a whole, so that one without libsched can say so."""
        from libsched.sweeps import _run_on_dask

        return _run_on_dask(pickled, chunk)

    state = client.scatter(_pickled(worker), broadcast=True)
    chunks = _chunks(scenarios, max(1, len(client.scheduler_info()["workers"])))
    futures = [client.submit(run, state, pickle.dumps(chunk), pure=False)
               for chunk in chunks]
    return _collected(chunks, futures)


def _table(scenarios: list[Scenario], rows: list[dict[str, Any]]) -> DataTable:
    columns: dict[str, list[Any]] = {
        "scenario": list(range(len(scenarios))), "name": [one.name for one in scenarios],
        "seed": [one.seed for one in scenarios]}
    for name in [*dict.fromkeys(name for row in rows for name in row if name != "error"), "error"]:
        columns[name] = [row.get(name) for row in rows]
    return DataTable(columns)
