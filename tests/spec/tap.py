# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Results in TAP."""


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def result(self, good, name, notes=()):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}")
        for note in [notes] if isinstance(notes, str) else notes or ():
            print(f"# {note}")

    def agrees(self, name, bad):
        """Two things that have to agree: bad is where they do not."""
        self.result(not bad, name, bad)

    def finds(self, name, bad):
        """A difference that was planted: bad must not be empty."""
        self.result(bool(bad), f"planted and found: {name}")

    def end(self):
        print(f"1..{self.count}")
        return self.failed > 0
