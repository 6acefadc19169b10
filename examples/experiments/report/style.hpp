// SPDX-License-Identifier: MIT
#pragma once

namespace graphpatcher::detail {

/// What an experiment's page has beyond report_style: links, folds, notes in cells.
inline constexpr const char* experiment_style = R"css(
main { max-width: 1360px; }
.dense th, .dense td { padding: 8px 7px; }
.dense th:last-child, .dense td:last-child { padding-right: 14px; }
.plots { grid-template-columns: repeat(auto-fill, minmax(min(100%, 320px), 1fr)); }
:focus-visible { outline: 2px solid var(--high); outline-offset: 2px; }
html { scroll-padding-top: 12px; }
a { color: var(--high); text-underline-offset: 3px; }
nav ul { display: flex; flex-wrap: wrap; gap: 6px 20px; margin: 28px 0 0; padding: 12px 0 0; list-style: none; }
nav ul { border-top: 1px solid var(--rule); font-size: 14px; }
.hint.under { margin: 10px 0 0; }
h3.over { margin: 24px 0 4px; }
.big .change { font-size: 28px; padding: 0 10px; }
.fold { margin-top: 14px; }
summary { cursor: pointer; font-weight: 600; padding: 6px 0; }
.numbers summary { font-size: 13px; font-weight: 400; color: var(--soft); }
.numbers .sheet { margin: 4px 0 10px; border-radius: 8px; }
.fold > .hint { margin: 4px 0 0; }
td { vertical-align: top; }
tbody th { vertical-align: top; }
td small.note { display: block; font-size: 12px; white-space: pre-line; }
thead th { white-space: normal; min-width: 6em; }
thead th:first-child { min-width: 9em; }
.faint { color: var(--soft); font-weight: 400; }
.change.unsure { color: var(--soft); background: none; font-weight: 400; }
tr.strong th, tr.strong td { font-weight: 600; }
tr.group th { background: var(--grid); color: var(--soft); font-size: 13px; padding-top: 6px; padding-bottom: 6px; }
td .change { min-width: 0; }
td .change:first-child { margin-left: 0; }
@media (max-width: 760px) {
  tbody th, thead th:first-child { min-width: 30vw; max-width: 36vw; white-space: normal; overflow-wrap: break-word; }
  tr.group th { max-width: none; }
  nav ul { gap: 10px 18px; }
  summary { padding: 10px 0; }
  .big .change { font-size: 24px; }
}
@media print { nav { display: none; } }
)css";

}  // namespace graphpatcher::detail
