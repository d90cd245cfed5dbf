#!/usr/bin/env python3
"""Writes the bill of materials of a release, libsched-VERSION.spdx.json (SPDX 2.3), beside its files.

    packaging/sbom.py FOLDER

It lists each file with its checksum, and what is inside that comes from other projects, with versions and licences: the
libraries that wheels and Go modules contain (their sources are in build/sources), and headers that are compiled in. What Debian packages
link to is in their Depends; the document names it, too. Its date is SOURCE_DATE_EPOCH, or now.
"""

from __future__ import annotations

import datetime
import hashlib
import importlib.metadata
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCES = ROOT / "build" / "sources"

# Source packages of Debian, with the names and licences of the projects. build/sources/NAME is what wheels are made of.
INSIDE_WHEELS = {
    "simdjson": ("simdjson", "Apache-2.0"),
    "libyaml": ("libyaml", "MIT"),
    "zlib": ("zlib", "Zlib"),
    "xz-utils": ("liblzma", "LicenseRef-public-domain-xz"),
    "libzstd": ("libzstd", "BSD-3-Clause"),
    "re2": ("re2", "BSD-3-Clause"),
    "curl": ("libcurl", "curl"),
    "openssl": ("openssl", "Apache-2.0"),
}
OF_WHEELS_ALONE = {"libcurl", "openssl", "pybind11"}  # not of Go modules
PUBLIC_DOMAIN = "The decoder and encoder of liblzma are in the public domain, as COPYING of XZ Utils says."


def identifier(*words: str) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", "-".join(words))


def package(name: str, version: str, licence: str, kind: str = "LIBRARY", **more: object) -> dict[str, object]:
    """Returns an SPDX package."""
    return {"SPDXID": identifier("Package", name), "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION",
            "primaryPackagePurpose": kind, **more}


def source_version(folder: pathlib.Path) -> str:
    """Returns the version of a source package of Debian that packaging/static/sources.sh has unpacked."""
    changelog = folder / "debian" / "changelog"
    if changelog.exists():
        found = re.match(r"\S+ \((?:\d+:)?([^)]+)\)", changelog.read_text(errors="replace"))
        return found[1] if found else "NOASSERTION"
    numbers = dict(re.findall(r"^(MAJOR|MINOR|PATCH)=(\d+)", (folder / "VERSION.dat").read_text(), re.MULTILINE))
    return f"{numbers['MAJOR']}.{numbers['MINOR']}.{numbers['PATCH']}"  # OpenSSL


def installed(name: str) -> str:
    """Returns the version of a package of this Python."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "NOASSERTION"


def inside_wheels() -> list[dict[str, object]]:
    """Returns what wheels contain of other projects."""
    missing = [source for source in INSIDE_WHEELS if not (SOURCES / source).is_dir()]
    if missing:
        raise SystemExit(f"sbom.py: no sources of {', '.join(missing)} in {SOURCES}; packaging/wheel.sh fetches them")
    return [
        *(package(name, source_version(SOURCES / source), licence) for source, (name, licence) in INSIDE_WHEELS.items()),
        package("libc++", f"of zig {installed('ziglang')}", "Apache-2.0 WITH LLVM-exception"),
        package("pybind11", installed("pybind11"), "BSD-3-Clause"),
    ]


def depends(deb: pathlib.Path) -> list[str]:
    """Returns the packages that a Debian package needs, without those of the same source."""
    said = subprocess.run(["dpkg-deb", "--field", deb, "Depends"], check=True, capture_output=True, text=True).stdout
    names = [re.split(r"[ (|]", word.strip(), maxsplit=1)[0] for word in said.split(",")]
    return sorted({name.removesuffix(":any") for name in names if name and "libsched" not in name})


def relation(subject: str, kind: str, other: str) -> dict[str, str]:
    return {"spdxElementId": subject, "relationshipType": kind, "relatedSpdxElement": other}


def document(folder: pathlib.Path, version: str, when: datetime.datetime) -> dict[str, object]:
    """Returns the bill of materials of the files in a folder."""
    main = package("libsched", version, "Apache-2.0")
    packages, files, relations = [main], [], [relation("SPDXRef-DOCUMENT", "DESCRIBES", str(main["SPDXID"]))]
    names = sorted(path for path in folder.iterdir() if path.suffix in (".whl", ".deb", ".gz"))
    modules = [path for path in names if path.name.startswith("libsched-go-")]
    inner = inside_wheels() if modules or any(path.suffix == ".whl" for path in names) else []
    packages += inner
    system: set[str] = set()
    digest = hashlib.sha256()
    for path in names:
        content = path.read_bytes()
        digest.update(content)
        own = identifier("File", path.name)
        kind = "SOURCE" if path.suffix == ".gz" and path not in modules else "BINARY"
        files.append({"SPDXID": own, "fileName": f"./{path.name}", "fileTypes": [kind],
                      "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(content).hexdigest()},
                                    {"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()}],
                      "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION"})
        relations.append(relation(own, "GENERATED_FROM", str(main["SPDXID"])))
        if path.suffix == ".whl":
            relations += [relation(own, "CONTAINS", str(part["SPDXID"])) for part in inner]
        if path in modules:
            relations += [relation(own, "CONTAINS", str(part["SPDXID"])) for part in inner if part["name"] not in OF_WHEELS_ALONE]
        if path.suffix == ".deb":
            needed = depends(path)
            system |= set(needed)
            relations += [relation(own, "DEPENDS_ON", identifier("Package", "debian", name)) for name in needed]
    for name in sorted(system):
        packages.append({**package(name, "NOASSERTION", "NOASSERTION"), "SPDXID": identifier("Package", "debian", name)})
        packages[-1]["supplier"] = "Organization: Debian"
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"libsched-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/libsched-{version}-{digest.hexdigest()[:32]}",
        "creationInfo": {"created": when.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: libsched-packaging-sbom"]},
        "hasExtractedLicensingInfos": [{"licenseId": "LicenseRef-public-domain-xz", "extractedText": PUBLIC_DOMAIN}],
        "packages": packages, "files": files, "relationships": relations,
    }


def main(argument: str) -> None:
    folder = pathlib.Path(argument)
    version = subprocess.run([ROOT / "packaging" / "version.sh"], check=True, capture_output=True, text=True).stdout.strip()
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    when = (datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc) if epoch
            else datetime.datetime.now(datetime.timezone.utc))
    text = json.dumps(document(folder, version, when), indent=1) + "\n"
    (folder / f"libsched-{version}.spdx.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: packaging/sbom.py FOLDER")
    main(sys.argv[1])
