"""Measures what a plugin in another process costs: a Filter of 5,000 unchanged nodes by the Go reference server, in
both forms, beside a ping-pong of as many bytes over a Unix socket.

    tests/bench/remote/run.py [--nodes N] [--rounds N]

It compiles a program against build/release. The stream form should take at most 150 us more than the ping-pong, the
JSON form at most 2 ms in all.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LIBRARIES = ROOT / "build" / "release" / "lib"


def started(folder, *command):
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    server.stderr.readline()
    return server


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=2000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run(["go", "build", "-C", ROOT / "examples/remote/go", "-o", folder / "plugin", "."], check=True)
        subprocess.run(["go", "build", "-C", HERE / "names", "-o", folder / "names", "."], check=True)
        subprocess.run(["go", "build", "-C", HERE / "echo", "-o", folder / "echo", "."], check=True)
        subprocess.run(["g++", "-O2", "-std=c++20", HERE / "measure.cpp", f"-I{ROOT}/capi/include",
                        f"-I{ROOT}/net/include", f"-L{LIBRARIES}", "-lsched-net", "-lsched",
                        f"-Wl,-rpath,{LIBRARIES}", "-o", folder / "measure"], check=True)
        servers = [started(folder, folder / "echo", folder / "echo.sock")]
        try:
            rows = (options.nodes + 63) // 64 * 8
            codes = (options.nodes + 7) // 8 * 8
            # In the JSON form whole records would be sent with each question: the plugin is asked about names.
            for form, plugin, address, request, response in (
                    ("stream", "plugin", f"unix:{folder}/stream", 8 + 230 + rows, 8 + 80 + codes),
                    ("json", "names", f"http+unix:{folder}/http", 300 + 12 * options.nodes, 150 + 2 * options.nodes)):
                servers.append(started(folder, folder / plugin, address))
                done = subprocess.run(
                    [folder / "measure", address, folder / "echo.sock", *map(str, (
                        options.nodes, options.rounds if form == "stream" else options.rounds // 10, request,
                        response))], stdout=subprocess.PIPE, check=True, text=True)
                print(form, json.loads(done.stdout), flush=True)
        finally:
            for server in servers:
                server.kill()


if __name__ == "__main__":
    main()
