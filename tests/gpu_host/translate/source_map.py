# SPDX-License-Identifier: MIT
"""Which source line an instruction came from: the .file and .loc directives of `nvcc -lineinfo`."""
import os
import re

LOCATION = re.compile(r"\.loc\s+(\d+)\s+(\d+)\s+(\d+)"
                      r"(?:\s*,\s*function_name\s+[^,]+,\s*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?")
FILE = re.compile(r'\.file\s+(\d+)\s+"([^"]*)"')
# Headers of the toolkit: a mistake is reported at the line that called them, not inside.
TOOLKIT = re.compile(r"/(targets/[^/]+/include|cuda[^/]*/include|nvidia/[^/]+/include)/")


class SourceMap:
    def __init__(self, text):
        self.files = {int(match[1]): os.path.normpath(match[2]) for match in FILE.finditer(text)}  # at the end of the text
        self.callers = {}  # location of an inlined call -> where the function that holds the call was itself inlined
        self.chain = []  # innermost location first; each is (file number, line, column)

    def read(self, directive):
        if match := LOCATION.match(directive):
            here = tuple(int(number) for number in match.groups()[:3])
            caller = tuple(int(number) for number in match.groups()[3:]) if match[4] else None
            if here[1] == 0:  # compiler-made code without a line: keep the last one
                return
            self.callers[here] = caller
            self.chain = [here]
            while caller and caller not in self.chain:
                self.chain.append(caller)
                caller = self.callers.get(caller)

    def site(self):
        """(file, line, column) of the innermost location outside the toolkit's headers."""
        places = [(self.files.get(number), line, column) for number, line, column in self.chain]
        for place in places:
            if place[0] and not TOOLKIT.search(place[0]):
                return place
        return places[0] if places and places[0][0] else ("", 0, 0)
