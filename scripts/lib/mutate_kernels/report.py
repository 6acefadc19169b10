# SPDX-License-Identifier: MIT
"""What became of the mutants, for machines (JSON) and readers (Markdown)."""
import json
from collections import Counter

from . import MutationError
from .hunt import Outcome

BEGIN = "<!-- mutate-kernels: begin -->"
END = "<!-- mutate-kernels: end -->"


class Reasons:
    """Why mutants survive: [{"file", "text" of the line, "change", "reason"}], written by hand. Lines are found by
    their text, which moves less than their numbers; equal lines of a file share a reason."""

    def __init__(self, path):
        try:
            entries = json.loads(path.read_text()) if path.exists() else []
            self.reasons = {(e["file"], e["text"], e["change"]): e["reason"] for e in entries}
        except (ValueError, TypeError, KeyError) as error:
            raise MutationError(f"{path}: expected a list of objects with file, text, change and reason ({error!r})") from None

    def of(self, mutant):
        return self.reasons.get((mutant.file, mutant.text, mutant.change), "")

    def unused(self, verdicts):
        """Places of reasons that no survivor needs."""
        needed = {(v.mutant.file, v.mutant.text, v.mutant.change) for v in verdicts if v.outcome != Outcome.CAUGHT}
        return [f"{file}: {text}" for file, text, change in self.reasons if (file, text, change) not in needed]


def escaped(verdicts):
    return [verdict for verdict in verdicts if verdict.outcome != Outcome.CAUGHT]


def share(verdicts):
    """Percent that were caught."""
    return 100 * (len(verdicts) - len(escaped(verdicts))) / len(verdicts)


def to_json(verdicts, reasons):
    rows = [{"place": v.mutant.place, "column": v.mutant.column, "text": v.mutant.text, "change": v.mutant.change,
             "outcome": v.outcome.value, "how": v.how, "cases": len(v.mutant.cases),
             "reason": reasons.of(v.mutant) if v.outcome != Outcome.CAUGHT else ""} for v in verdicts]
    return json.dumps({"mutants": len(verdicts), "caught_percent": round(share(verdicts), 1), "all": rows}, indent=1)


def count_table(verdicts, head, name_of):
    heads = ["mutants", *(outcome.value for outcome in Outcome)]
    lines = [f"| {head} | {' | '.join(heads)} |", "|---" + "|--:" * len(heads) + "|"]
    for name in sorted({name_of(verdict) for verdict in verdicts}):
        counts = Counter(verdict.outcome for verdict in verdicts if name_of(verdict) == name)
        lines.append(f"| {name} | {' | '.join(str(n) for n in [counts.total(), *(counts[o] for o in Outcome)])} |")
    return lines


def cell(text):
    return text.replace("|", "\\|")


def to_markdown(verdicts, reasons):
    rest = escaped(verdicts)
    lines = [f"{len(verdicts) - len(rest)} of {len(verdicts)} mutants are caught, {share(verdicts):.1f} %.", ""]
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


def with_report(page, verdicts, reasons, name):
    """The text of a page with the report between its markers."""
    begin, end = page.find(BEGIN), page.find(END)
    if begin < 0 or end < begin:
        raise MutationError(f"{name}: expected the markers {BEGIN} and {END} around the report")
    return f"{page[:begin]}{BEGIN}\n{to_markdown(verdicts, reasons)}\n{page[end:]}"
