"""A headless Chromium, driven over the WebDriver protocol with the standard library alone.

It reports what its console said and which addresses it asked for, so tests can insist on neither.
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")

_FLAGS = [
    "--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
]
_KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Down": "\ue015", "End": "\ue010", "Tab": "\ue004"}


class Browser:
    """One browser window. Use it as a context manager."""

    def __init__(self, width=1400, height=900):
        self._folder = tempfile.TemporaryDirectory(prefix="page-", ignore_cleanup_errors=True)
        root = pathlib.Path(self._folder.name)
        log = root / "driver.log"
        with open(log, "wb") as out:
            self._driver = subprocess.Popen([DRIVER, "--port=0"], stdout=out, stderr=out)
        try:
            self._base = f"http://127.0.0.1:{self._port(log)}"
            # Chromium's sandbox refuses to run as root.
            flags = _FLAGS + [f"--user-data-dir={root / 'profile'}", f"--window-size={width},{height}"]
            flags += [*(["--no-sandbox"] if os.geteuid() == 0 else []), "about:blank"]
            answer = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": {
                "goog:chromeOptions": {"binary": CHROMIUM, "args": flags},
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
            self._base += f"/session/{answer['sessionId']}"
        except BaseException:
            self._stop()
            raise

    def _port(self, log):
        for _ in range(300):
            for line in log.read_text(errors="replace").splitlines():
                if "started successfully on port" in line:
                    return int(line.rstrip(".").split()[-1])
            if self._driver.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError(f"chromedriver did not start: {log.read_text(errors='replace')}")

    def _ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._base + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
                    request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, path):
        self._ask("POST", "/url", {"url": pathlib.Path(path).resolve().as_uri()})

    def run(self, script, *arguments):
        """What a function body gives; a promise is waited for."""
        return self._ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def press(self, *keys):
        """Presses keys; a text is typed, names are those of `_KEYS`."""
        actions = []
        for key in (_KEYS[name] for name in keys) if keys[0] in _KEYS else "".join(keys):
            actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self._ask("POST", "/actions", {"actions": [
            {"type": "key", "id": "keys", "actions": actions}]})

    def click(self, selector):
        self.run("document.querySelector(arguments[0]).click()", selector)

    def resize(self, width, height):
        """Makes the page think that it is on a screen of this size, which may be smaller than any window."""
        self._ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": True}})

    def console(self):
        """What was written to the console, errors and policy violations included."""
        return [entry["message"] for entry in self._ask("POST", "/se/log", {"type": "browser"})]

    def requests(self):
        """The addresses that were asked for, without those of the browser's own first page."""
        found = []
        for entry in self._ask("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return [url for url in found if not url.startswith(("chrome:", "chrome-untrusted:", "data:"))]

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self._ask("GET", "/screenshot")))

    def _stop(self):
        self._driver.terminate()
        self._driver.wait(timeout=20)
        self._folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        try:
            self._ask("DELETE", "")
        finally:
            self._stop()
