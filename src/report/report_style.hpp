// SPDX-License-Identifier: MIT
#pragma once

namespace graphpatcher::detail {

/// The look of a report. Blue-green for gains and vermilion for losses keep
/// apart for every kind of colour vision; signs and shapes say the same.
inline constexpr const char* report_style = R"css(
:root {
  color-scheme: light dark;
  --page: #f7f7f5; --card: #ffffff; --ink: #1d2125; --soft: #5c646d; --rule: #e2e3e0; --grid: #ececea;
  --low: #a8447f; --high: #0b6cb0; --all: #4a5058; --before: #80878f;
  --gain: #00785c; --loss: #c2500a; --gain-wash: #e4f3ee; --loss-wash: #fbebdf;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171a; --card: #1c2024; --ink: #e7e9eb; --soft: #9ba4ad; --rule: #30363c; --grid: #292e33;
    --low: #e08dbd; --high: #63b3ed; --all: #c3c9cf; --before: #8d96a0;
    --gain: #3ec9a1; --loss: #f19152; --gain-wash: #17332b; --loss-wash: #3a2618;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans",
        Arial, sans-serif;
}
main { max-width: 1080px; margin: 0 auto; padding: 48px 24px 64px; }
h1 {
  font-size: clamp(26px, 4.5vw, 36px); line-height: 1.15; letter-spacing: -0.02em; margin: 0 0 12px;
  overflow-wrap: anywhere;
}
h2 { font-size: 20px; letter-spacing: -0.01em; margin: 48px 0 4px; }
h3 { font-size: 15px; margin: 0 0 2px; }
p { margin: 0 0 12px; max-width: 68ch; }
.kind {
  color: var(--soft); font-size: 13px; font-weight: 600; letter-spacing: 0.06em; text-transform: uppercase;
  margin: 0 0 8px;
}
.lead { font-size: 18px; }
.hint { color: var(--soft); font-size: 14px; margin: 0 0 14px; max-width: 92ch; }
.facts {
  display: flex; flex-wrap: wrap; gap: 6px 20px; margin: 0; padding: 0; list-style: none; color: var(--soft);
  font-size: 14px;
}
.facts b { color: var(--ink); font-weight: 600; overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(3, 1fr); gap: 16px; margin: 28px 0 0; }
.card, figure, .sheet { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; }
.card { padding: 18px 20px 16px; }
.card h3 { color: var(--soft); font-weight: 600; }
.big {
  font-size: 34px; font-weight: 650; line-height: 1.2; letter-spacing: -0.02em; font-variant-numeric: tabular-nums;
  margin: 0;
}
.big small { font-size: 15px; font-weight: 400; color: var(--soft); letter-spacing: 0; }
.card p.from { margin: 6px 0 0; font-size: 14px; color: var(--soft); }
.change {
  display: inline-block; font-weight: 600; font-variant-numeric: tabular-nums; border-radius: 6px; padding: 0 7px;
  white-space: nowrap;
}
.change.gain { color: var(--gain); background: var(--gain-wash); }
.change.loss { color: var(--loss); background: var(--loss-wash); }
.change.same { color: var(--soft); background: var(--grid); }
.change.none { visibility: hidden; }
.plots { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 16px; margin-top: 14px; }
figure { margin: 0; padding: 18px 18px 10px; min-width: 0; }
figcaption { margin-bottom: 8px; }
figcaption p { color: var(--soft); font-size: 14px; line-height: 1.45; margin: 0; }
.legend {
  display: flex; flex-wrap: wrap; gap: 2px 18px; list-style: none; margin: 8px 0 0; padding: 0; font-size: 14px;
}
.legend li { display: flex; align-items: center; gap: 7px; }
.legend svg { width: 24px; height: 12px; flex: none; }
figure > svg { display: block; width: 100%; height: auto; }
svg text { font-size: 12px; fill: var(--soft); font-variant-numeric: tabular-nums; }
svg text.note { font-size: 11px; opacity: 0.85; }
.grid { stroke: var(--grid); stroke-width: 1; }
.axis { stroke: var(--before); stroke-width: 1; }
.line { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.band { fill: currentColor; opacity: 0.13; }
.mark { fill: currentColor; stroke: var(--card); stroke-width: 1.5; }
.ring { fill: var(--card); stroke: currentColor; stroke-width: 2; }
.stem { stroke: currentColor; stroke-width: 3; opacity: 0.45; }
.hover { fill: currentColor; opacity: 0; }
.hover:hover { opacity: 1; }
.c-low { color: var(--low); } .c-high { color: var(--high); } .c-all { color: var(--all); }
.c-before, .c-same { color: var(--before); } .c-gain { color: var(--gain); } .c-loss { color: var(--loss); }
.many .line { stroke-width: 1.4; opacity: 0.7; }
.sheet { overflow-x: auto; margin-top: 14px; }
table { border-collapse: collapse; width: 100%; font-size: 15px; font-variant-numeric: tabular-nums; }
th, td { padding: 9px 14px; text-align: right; white-space: nowrap; border-top: 1px solid var(--rule); }
thead th { border-top: 0; color: var(--soft); font-size: 13px; font-weight: 600; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; }
.dense { font-size: 14px; }
.dense th, .dense td { padding: 8px 9px; }
.dense th:first-child { padding-left: 14px; }
th:first-child { position: sticky; left: 0; background: var(--card); }
tbody th { font-weight: 600; }
th small { color: var(--soft); font-size: 13px; font-weight: 400; margin-left: 4px; }
.list, .words { text-align: left; }
td.words { white-space: normal; min-width: 10em; }
tr.picked th, tr.picked td { background: var(--grid); }
tr.chosen th, tr.chosen td { border-top: 2px solid var(--before); font-weight: 600; }
td .change { font-size: 13px; margin-left: 6px; min-width: 60px; text-align: right; }
td small { color: var(--soft); font-size: 13px; font-weight: 400; }
.settings { columns: 3 250px; column-gap: 32px; margin: 14px 0 0; padding: 14px 20px; font-size: 14px; }
.settings div {
  display: flex; justify-content: space-between; gap: 14px; padding: 4px 0; border-bottom: 1px solid var(--grid);
  break-inside: avoid;
}
.settings dt { color: var(--soft); }
.settings dd { margin: 0; text-align: right; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
pre {
  margin: 14px 0 0; padding: 14px 18px; overflow-x: auto;
  font: 14px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; white-space: pre-wrap;
  overflow-wrap: anywhere;
}
pre span { white-space: nowrap; }
footer {
  margin-top: 48px; padding-top: 14px; border-top: 1px solid var(--rule); color: var(--soft); font-size: 13px;
}
@media (max-width: 760px) {
  main { padding: 28px 14px 40px; }
  .cards, .plots { grid-template-columns: minmax(0, 1fr); gap: 12px; }
  .card { padding: 14px 16px; }
  .lead { font-size: 16px; }
  h2 { margin-top: 36px; }
  figure { padding: 14px 12px 8px; }
  svg text { font-size: 14.5px; }
  svg text.note { font-size: 12.5px; }
  th, td { padding: 8px 10px; }
  th small { display: block; margin: 0; }
}
@media print { body { background: #fff; } figure, .card, .sheet { break-inside: avoid; } }
)css";

}  // namespace graphpatcher::detail
