"""Chromium over the DevTools protocol, on a pair of pipes: no driver, no web socket."""

import base64
import json
import os
import select
import subprocess
import time

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)
WAIT = 60  # seconds for one answer


class Chromium:
    """A browser with one page at a time.

    Parameters
    ----------
    program : str
    profile : path
        A new, empty folder.
    """

    def __init__(self, program, profile):
        to_browser, from_browser = os.pipe(), os.pipe()
        command = f'exec "$0" "$@" 3<&{to_browser[0]} 4>&{from_browser[1]}'
        self.process = subprocess.Popen(
            ["bash", "-c", command, program, *FLAGS, f"--user-data-dir={profile}"],
            pass_fds=(to_browser[0], from_browser[1]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser[0])
        os.close(from_browser[1])
        self._out, self._in = to_browser[1], from_browser[0]
        self._buffer, self._last_id = b"", 0
        self.events = []

    def close(self):
        """End the browser."""
        try:
            self.call("Browser.close")
        except (OSError, RuntimeError):
            self.process.kill()
        self.process.wait(WAIT)
        os.close(self._out)
        os.close(self._in)

    def call(self, method, session=None, **params):
        """Call a method of the protocol and return its result."""
        self._last_id += 1
        message = {"id": self._last_id, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._last_id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def _read(self):
        deadline = time.monotonic() + WAIT
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(deadline - time.monotonic(), 0))
            chunk = os.read(self._in, 1 << 16) if ready else b""
            if not chunk:
                raise RuntimeError("the browser does not answer")
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(line)
        if "method" in message:
            self.events.append(message)
        return message

    def open(self, path, *, width=1280, scheme="light", media="", script=True):
        """Open a file in a new page."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.events.clear()
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable", session)
        page = Page(self, session, target)
        page.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=900, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        page.call(
            "Emulation.setEmulatedMedia",
            media=media, features=[{"name": "prefers-color-scheme", "value": scheme}],
        )  # fmt: skip
        if not script:
            page.call("Emulation.setScriptExecutionDisabled", value=True)
        page.call("Page.navigate", url=path.as_uri())
        while not any(e["method"] == "Page.loadEventFired" for e in self.events):
            self._read()
        return page


class Page:
    """A page that is open."""

    def __init__(self, browser, session, target):
        self._browser, self._session, self._target = browser, session, target

    def call(self, method, **params):
        """Call a method of the protocol on this page."""
        return self._browser.call(method, self._session, **params)

    def evaluate(self, expression):
        """The value of an expression; of a promise, what it comes to."""
        found = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"])
        return found["result"].get("value")

    def pdf(self):
        """The page as PDF."""
        found = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=False)
        return base64.b64decode(found["data"])

    def complaints(self):
        """Console messages, errors, dialogs, and requests that leave the machine."""
        out = []
        for event in self._browser.events:
            method, params = event["method"], event["params"]
            if method in (
                "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded",
                "Page.javascriptDialogOpening",
            ):  # fmt: skip
                out.append((method, str(params)[:300]))
            elif method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("file:", "data:", "about:")):
                    out.append((method, url))
        return out

    def close(self):
        """Close the page."""
        self._browser.call("Target.closeTarget", targetId=self._target)
