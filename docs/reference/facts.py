"""The facts that a function's declaration implies: ownership of results, and the threads that may call it.

The conventions at the top of libsched.h derive these facts from the types alone; comments add to them.
"""

import re

PARAMETER = re.compile(r"^(?P<type>.*?)(?P<name>\w+)$")
HANDLE = re.compile(r"\b(libsched_\w+)\b")
LENT = "The result is lent."


class Facts:
    """Derives the facts of the functions of all headers."""

    def __init__(self, headers):
        symbols = [symbol for header in headers for symbol in header.symbols]
        self.handles = {symbol.name for symbol in symbols if symbol.kind == "handle"}
        self.functions = {symbol.name for symbol in symbols if symbol.kind == "function"}

    def of(self, symbol, header):
        """[(label, text)] of a function; texts use `code`, names of symbols and "rule N"."""
        found = []
        errors = list(symbol.prose.errors)
        if symbol.parameters and "libsched_error **" in symbol.parameters[-1]:
            found.append(("Errors", " ".join([*(_bare(error) for error in errors),
                                              *(_bare(error) for error in header.about.errors)])
                          or "Only those that every call may give (rule 3)."))
        elif errors:
            found.append(("Errors", " ".join(_bare(error) for error in errors)))
        if owned := self._ownership(symbol):
            found.append(("Ownership", owned))
        found.append(("Threads", self._threads(symbol)))
        if since := header.since(symbol):
            found.append(("Since", since))
        return found

    def _release(self, handle):
        unref = f"{handle}_unref"
        return f"{unref}()" if unref in self.functions else "its own function"

    def _ownership(self, symbol):
        said = []
        for parameter in symbol.parameters:
            named = PARAMETER.match(parameter)
            if "LIBSCHED_OWN" not in parameter or not named:
                continue
            handle = HANDLE.search(parameter)
            if "libsched_error" in parameter:
                continue  # rule 3 says it
            if "**" in parameter:
                said.append(f"The caller owns `*{named['name']}`: {self._release(handle[1])}.")
            elif not symbol.name.endswith("_unref"):
                said.append(f"`{named['name']}` passes to the library.")
        result = HANDLE.search(symbol.result)
        if "LIBSCHED_OWN" in symbol.result or (
                symbol.counts_references and symbol.name.endswith("_ref")):
            said.append(f"The caller owns the result: {self._release(result[1])}.")
        elif symbol.name.endswith("_unref"):
            said.append("Takes the caller's reference; NULL is a no-op.")
        elif "*" in symbol.result or symbol.result == "libsched_str":
            said.append("The result is static." if "const char" in symbol.result else LENT)
        return " ".join(said)

    def _threads(self, symbol):
        alone, shared = [], []
        for parameter in symbol.parameters:
            named, handle = PARAMETER.match(parameter), HANDLE.search(parameter)
            if not named or not handle or handle[1] not in self.handles or "**" in parameter:
                continue
            list_ = shared if re.search(r"\bconst libsched_", parameter) else alone
            list_.append(f"`{named['name']}`")
        if symbol.counts_references:
            counted = f"{symbol.name.removesuffix('_unref').removesuffix('_ref')}_ref" in self.functions
            return "Any thread: references are counted atomically." if counted else \
                "The thread that uses it."
        if alone and shared:
            return f"Needs {_and(alone)} for itself; {_and(shared)} may be shared (rule 7)."
        if alone:
            return f"Needs {_and(alone)} for itself (rule 7)."
        return "May run beside other calls that read (rule 7)." if shared else "Any thread."


def _bare(error):
    """An errors sentence without its label, which the page writes."""
    return re.sub(r"^(?:Also errors|Errors): ", "", error)


def _and(names):
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
