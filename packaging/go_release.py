#!/usr/bin/env python3
"""Lays out the Go modules of a release: the package, `kube`, and a module for each libsched.a that is built.

    packaging/go_release.py FOLDER         build/static/prebuilt has the archives (packaging/static/prebuilt.sh)

FOLDER/go is then what a repository of Go modules holds: a program that requires the package links to the archive of its
platform, and needs neither an installed library nor a C++ compiler. The tags of a version are go/vX.Y.Z, go/kube/vX.Y.Z
and go/prebuilt/PLATFORM/vX.Y.Z. The checkout has no archives, so there the package looks for an installed library; with
the tag libsched_installed that of a release does so as well.
"""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from go_module import ROOT, path_of, version_of  # noqa: E402

PLATFORMS = {"amd64": "x86_64", "arm64": "aarch64"}  # Go's names, and those of build/static/prebuilt
CHOSEN = "!libsched_repo && !libsched_static && !libsched_shared"  # of go/link_pkgconfig.go

LINK = """//go:build linux && {arch} && !libsched_installed && {chosen}

package libsched

// Links to the library of the module that is imported here.

/*
#cgo CFLAGS: -I${{SRCDIR}}/include -DLIBSCHED_STATIC_ARCHIVE
*/
import "C"

import _ "{module}"
"""

PREBUILT = """// Package linux_{arch} is libsched's archive for linux/{arch}, glibc 2.28 or newer. Package libsched imports it.
package linux_{arch}

/*
#cgo LDFLAGS: ${{SRCDIR}}/libsched.a -lm -lpthread
*/
import "C"
"""


def lay_out(out: pathlib.Path) -> None:
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "go"], cwd=ROOT, capture_output=True, text=True,
                            check=True)
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, out / name)
    package, path = out / "go", path_of(ROOT)
    shutil.copytree(ROOT / "capi" / "include", package / "include", ignore=shutil.ignore_patterns("*.hpp"))
    shutil.copy(ROOT / "LICENSE", package)
    required = []
    for arch, machine in PLATFORMS.items():
        archive = ROOT / "build" / "static" / "prebuilt" / machine / "lib" / "libsched.a"
        module = f"{path}/prebuilt/linux_{arch}"
        folder = package / "prebuilt" / f"linux_{arch}"
        folder.mkdir(parents=True)
        shutil.copy(archive, folder)
        for text in (ROOT / "LICENSE", archive.parents[1] / "NOTICES.txt"):
            shutil.copy(text, folder)
        (folder / "go.mod").write_text(f"module {module}\n\ngo 1.24\n")
        (folder / "link.go").write_text(PREBUILT.format(arch=arch))
        (package / f"link_linux_{arch}.go").write_text(LINK.format(arch=arch, chosen=CHOSEN, module=module))
        required.append(f"\t{module} {version_of(ROOT, path)}\n")
    with (package / "go.mod").open("a") as file:
        file.write("\nrequire (\n" + "".join(required) + ")\n")
    link = package / "link_pkgconfig.go"
    text = link.read_text()
    line = f"//go:build {CHOSEN}\n"
    assert line in text, "link_pkgconfig.go says when it applies"
    link.write_text(text.replace(line, f"//go:build {CHOSEN} && (libsched_installed || !linux || (!amd64 && !arm64))\n"))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    lay_out(pathlib.Path(sys.argv[1]))
