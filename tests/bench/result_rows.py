"""All rows of the result, in the order in which they are shown."""

import rows
import rows_autoscaler
import rows_by_size
import rows_devices
import rows_doors


def make(measured, peer):
    """Rows of the figures that are there; `peer` is upstream's result, empty if it was left out."""
    figures = measured.figures
    out = rows.judging(figures, peer)
    out += rows_by_size.make(figures, peer)
    out += rows.scheduling(figures, peer)
    out += rows_autoscaler.make(figures, peer)
    out += rows_devices.make(figures, peer)
    out += rows.forks(figures, rows_by_size.fork_of_upstream(peer, 5000))
    out += rows_doors.ingest(figures, peer) + rows_doors.boundary(figures)
    out += rows.state(figures)
    out += rows.plugins(figures, measured.python)
    return out + rows.memory(figures)
