# SPDX-License-Identifier: MIT
"""What became of the mutants, for machines (JSON) and readers (Markdown)."""
import hashlib
import json
from collections import Counter

from . import MutationError
from .hunt import Outcome, Verdict


def markers(script):
    """Between these a page has the report of a script."""
    return f"<!-- {script}: begin -->", f"<!-- {script}: end -->"


class Reasons:
    """Why mutants survive: [{"file", "text" of the line, "change", "reason", "equivalent"}], written by hand. Lines are
    found by their text, which moves less than their numbers; equal lines of a file share a reason. Equivalent is what
    computes the same as the code itself, so that no test can tell: no fault."""

    def __init__(self, path):
        try:
            entries = json.loads(path.read_text()) if path.exists() else []
            self.reasons = {(e["file"], e["text"], e["change"]): e["reason"] for e in entries}
            self.equivalents = {(e["file"], e["text"], e["change"]) for e in entries if e.get("equivalent", False)}
        except (ValueError, TypeError, KeyError) as error:
            raise MutationError(f"{path}: expected a list of objects with file, text, change and reason ({error!r})") from None

    def of(self, mutant):
        return self.reasons.get((mutant.file, mutant.text, mutant.change), "")

    def is_fault(self, verdict):
        mutant = verdict.mutant
        return (verdict.outcome == Outcome.CAUGHT or
                (mutant.file, mutant.text, mutant.change) not in self.equivalents)

    def unused(self, verdicts):
        """Places of reasons that no survivor needs."""
        needed = {(v.mutant.file, v.mutant.text, v.mutant.change) for v in verdicts if v.outcome != Outcome.CAUGHT}
        return [f"{file}: {text}" for file, text, change in self.reasons if (file, text, change) not in needed]


def escaped(verdicts):
    return [verdict for verdict in verdicts if verdict.outcome != Outcome.CAUGHT]


def share(verdicts):
    """Percent that were caught."""
    return 100 * (len(verdicts) - len(escaped(verdicts))) / len(verdicts)


def digest(files):
    total = hashlib.sha256()
    for file in files:
        total.update(file.read_bytes())
    return total.hexdigest()


class Results:
    """The verdicts of the last run, in a file that grows with every verdict: a run that was interrupted can go on."""

    def __init__(self, path, mutants, sources, programs):
        self.path, self.mutants = path, mutants
        self.sources = digest(sources)
        self.programs = digest(programs)

    def write(self, verdicts, reasons):
        rows = [{"place": v.mutant.place, "column": v.mutant.column, "number": v.mutant.number, "text": v.mutant.text,
                 "change": v.mutant.change, "outcome": v.outcome.value, "how": v.how, "cases": len(v.mutant.cases),
                 "reason": reasons.of(v.mutant) if v.outcome != Outcome.CAUGHT else ""} for v in verdicts]
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps({"sources": self.sources, "programs": self.programs, "mutants": len(self.mutants),
                                   "judged": len(verdicts), "caught_percent": round(share(verdicts), 1), "all": rows},
                                  indent=1))
        new.replace(self.path)

    def caught(self):
        """Verdicts on mutants that were caught, by their ids. They hold as long as the sources are the same and tests are
        only added."""
        return {id: verdict for id, verdict in self.read().items() if verdict.outcome == Outcome.CAUGHT}

    def judged(self):
        """All verdicts, by the ids of their mutants. They hold as long as the programs are the same."""
        known = self.read()
        if json.loads(self.path.read_text())["programs"] != self.programs:
            raise MutationError(f"{self.path}: the programs were others then; --escaped judges anew what they didn't catch")
        return known

    def read(self):
        if not self.path.exists():
            raise MutationError(f"{self.path} is not there: there is no earlier run; leave --escaped and --resume out")
        last = json.loads(self.path.read_text())
        if last["sources"] != self.sources:
            raise MutationError(f"{self.path}: the sources were others then; leave --escaped and --resume out")
        rows = {(row["place"], row["column"], row["number"]): row for row in last["all"]}
        found = ((mutant, rows.get((mutant.place, mutant.column, mutant.number))) for mutant in self.mutants)
        return {mutant.id: Verdict(mutant, Outcome(row["outcome"]), row["how"]) for mutant, row in found if row}


def count_table(verdicts, head, name_of):
    heads = ["mutants", *(outcome.value for outcome in Outcome)]
    lines = [f"| {head} | {' | '.join(heads)} |", "|---" + "|--:" * len(heads) + "|"]
    for name in sorted({name_of(verdict) for verdict in verdicts}):
        counts = Counter(verdict.outcome for verdict in verdicts if name_of(verdict) == name)
        lines.append(f"| {name} | {' | '.join(str(n) for n in [counts.total(), *(counts[o] for o in Outcome)])} |")
    return lines


def summary(verdicts, reasons):
    """Sentences: how many mutants are caught, and of those that are faults."""
    faults = [verdict for verdict in verdicts if reasons.is_fault(verdict)]
    caught = len(verdicts) - len(escaped(verdicts))
    lines = [f"{caught} of {len(verdicts)} mutants are caught, {share(verdicts):.1f} %."]
    if len(faults) < len(verdicts):
        lines.append(f"{len(verdicts) - len(faults)} compute the same as the code itself, so that no test can tell: of the "
                     f"{len(faults)} faults {share(faults):.1f} % are caught.")
    return lines


def cell(text):
    return text.replace("|", "\\|")


def to_markdown(verdicts, reasons):
    rest = escaped(verdicts)
    lines = [*summary(verdicts, reasons), ""]
    lines += count_table(verdicts, "kind", lambda verdict: verdict.mutant.kind)
    lines += ["", *count_table(verdicts, "file", lambda verdict: f"`{verdict.mutant.file}`")]
    if rest:
        lines += ["", "| not caught | source | change | why |", "|---|---|---|---|"]
        for verdict in rest:
            mutant = verdict.mutant
            unreached = "No test executes it. " if verdict.outcome == Outcome.NOT_EXECUTED else ""
            lines.append(f"| {mutant.place} | `{cell(mutant.text)}` | {cell(mutant.change)} | "
                         f"{unreached}{cell(reasons.of(mutant))} |")
    return "\n".join(lines)


def with_report(page, report, script, name):
    """The text of a page with the report between the script's markers."""
    first, last = markers(script)
    begin, end = page.find(first), page.find(last)
    if begin < 0 or end < begin:
        raise MutationError(f"{name}: expected the markers {first} and {last} around the report")
    return f"{page[:begin]}{first}\n{report}\n{page[end:]}"


def tell(verdicts, reasons, least):
    """Prints what escaped; returns the exit code of the script."""
    unexplained = 0
    for verdict in escaped(verdicts):
        mutant, reason = verdict.mutant, reasons.of(verdict.mutant)
        unexplained += not reason
        print(f"{mutant.place}: {verdict.outcome.value}: {mutant.change} in `{mutant.text}`: {reason or 'no reason given'}")
    print(" ".join(summary(verdicts, reasons)), f"{unexplained} escaped without an explanation.")
    faults = [verdict for verdict in verdicts if reasons.is_fault(verdict)]
    return 1 if share(faults) < least or unexplained else 0


def in_order(mutants, known):
    """The verdicts that there are, in the order of the mutants."""
    return [known[mutant.id] for mutant in mutants if mutant.id in known]
