# SPDX-License-Identifier: MIT
# Runs the experiments as a user would: a short run, resumed, killed on the way, and commands that must be refused.
# cmake -D experiments=PROGRAM -D folder=SCRATCH -D root=SOURCES -P experiments.cmake
cmake_minimum_required(VERSION 3.25)

# run(CODE WORDS ARGUMENT...): runs the program; its exit code must be CODE and its output contain WORDS.
function(run code words)
  execute_process(COMMAND ${experiments} ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT result STREQUAL code)
    message(FATAL_ERROR "experiments ${ARGN}: expected exit code ${code}, got ${result}\n${out}${err}")
  endif()
  string(FIND "${out}${err}" "${words}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "experiments ${ARGN}: expected '${words}' in its output, got\n${out}${err}")
  endif()
endfunction()

# expect_cells(FILE COUNT): the file has that many whole cells, each of them once.
function(expect_cells file count)
  file(STRINGS ${file} lines)
  set(keys)
  foreach(line IN LISTS lines)
    set(key)
    foreach(part dataset backbone method setting seed)
      string(JSON value GET "${line}" ${part})
      string(APPEND key "${value}|")
    endforeach()
    list(APPEND keys "${key}")
  endforeach()
  list(LENGTH keys all)
  list(REMOVE_DUPLICATES keys)
  list(LENGTH keys different)
  if(NOT all EQUAL count OR NOT different EQUAL count)
    message(FATAL_ERROR "${file}: expected ${count} cells, got ${all}, ${different} of them different")
  endif()
endfunction()

file(REMOVE_RECURSE ${folder})
set(short --datasets synthetic --setting "small hidden=16 max-iterations=110 warmup=100" --quiet)
set(out ${folder}/first)
run(0 "26 cells run, 0 were there" ${short} --seeds 2 --out ${out})
expect_cells(${out}/results.jsonl 26)
foreach(page report.html results.md results.csv summary.json)
  file(READ ${out}/${page} text)
  string(FIND "${text}" "synthetic" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "${page}: expected the dataset's name in it")
  endif()
endforeach()

# Finished cells are not run again; others join them; a report can be made of what is there.
run(1 "go on with --resume" ${short} --seeds 2 --out ${out})
run(0 "0 cells run, 26 were there" ${short} --seeds 2 --out ${out} --resume)
run(0 "13 cells run, 26 were there" ${short} --seeds 3 --out ${out} --resume --jobs 1)
run(0 "39 cells, nothing was run" --out ${out} --report-only --docs ${folder}/page.md)
if(NOT EXISTS ${folder}/page.md)
  message(FATAL_ERROR "--docs: expected a page")
endif()

# A second program in the same folder is refused, a report of it is not.
find_program(flock flock)
if(flock)
  set(alone ${experiments})
  set(experiments ${flock} ${out} ${alone})
  run(1 "another program is at work in this folder" ${short} --seeds 3 --out ${out} --resume)
  run(0 "39 cells, nothing was run" --out ${out} --report-only)
  set(experiments ${alone})
endif()
run(1 "can't be read" --out ${folder}/nowhere --report-only)

# A line that a crash cut off is run again.
file(APPEND ${out}/results.jsonl "{\"dataset\": \"synth")
run(0 "0 cells run, 39 were there" ${short} --seeds 3 --out ${out} --resume)
expect_cells(${out}/results.jsonl 39)

# Killed after some time, again and again, and finished at last.
foreach(seconds 1 2)
  execute_process(COMMAND ${experiments} ${short} --seeds 2 --out ${folder}/killed --resume TIMEOUT ${seconds}
                  OUTPUT_QUIET ERROR_QUIET)
endforeach()
run(0 "cells run" ${short} --seeds 2 --out ${folder}/killed --resume)
expect_cells(${folder}/killed/results.jsonl 26)

# The default is the rule: what it decided is in every cell, and in the summary. Random splits stand beside the public one.
set(tiny "hidden=8 max-iterations=20 warmup=10 evaluate-every=5")
run(0 "6 cells run" --datasets synthetic --methods none,weighted-controls,graphpatcher --setting "best ${tiny}" --seeds 1
    --splits 1 --seed 100 --out ${folder}/rule --quiet)
file(READ ${folder}/rule/summary.json text)
string(JSON count LENGTH "${text}")
set(seen 0)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON method GET "${text}" ${i} method)
  if(method STREQUAL "graphpatcher")
    math(EXPR seen "${seen} + 1")
    string(JSON control GET "${text}" ${i} over_best_control control)
    string(JSON decision GET "${text}" ${i} decision)
    string(JSON interval GET "${text}" ${i} low interval_over_nodes)
    if(NOT control STREQUAL "weighted-controls" OR NOT decision MATCHES "weighted|backbone" OR NOT interval MATCHES ",")
      message(FATAL_ERROR "summary.json: expected what the rule decided, got ${control}, ${decision}, ${interval}")
    endif()
  endif()
endforeach()
string(FIND "${text}" "synthetic-random" position)
if(NOT seen EQUAL 2 OR position EQUAL -1)
  message(FATAL_ERROR "summary.json: expected the rule on the public split and on a random one, got ${text}")
endif()
run(1 "none of these datasets has a public split" --datasets actor --splits 2 --out ${folder}/random --quiet)
run(1 "target=spread" --datasets synthetic --setting "best target=spread" --out ${folder}/target --quiet --seeds 1)

# What a search found is what `tuned` stands for.
file(WRITE ${folder}/tuned.json "{\"synthetic-gcn\": \"small hidden=8 max-iterations=110\", \"cora-gcn\": \"small\"}")
run(0 "1 cells run" --datasets synthetic --methods graphpatcher --preset tuned --tuned ${folder}/tuned.json --seeds 1
    --out ${folder}/tuned --quiet)
file(STRINGS ${folder}/tuned/results.jsonl line)
string(JSON hidden GET "${line}" settings hidden)
if(NOT hidden EQUAL 8)
  message(FATAL_ERROR "--preset tuned: expected 8 hidden units, got ${hidden}")
endif()

# A search tries each option in turn, on its own seeds alone, and writes down what it found.
set(search --datasets synthetic --tune --setting "small max-iterations=8 warmup=4 evaluate-every=4" --seeds 1 --quiet)
run(0 "11 cells run, 4 were there" ${search} --out ${folder}/search)
expect_cells(${folder}/search/results.jsonl 11)
file(READ ${folder}/search/tuned.json found)
string(JSON setting GET "${found}" synthetic-gcn)
if(NOT setting MATCHES "^small max-iterations=8 warmup=4 evaluate-every=4")
  message(FATAL_ERROR "--tune: expected the setting that it began with, and changes; got '${setting}'")
endif()
run(0 "1 cells run" --datasets synthetic --methods graphpatcher --preset tuned --seeds 1 --out ${folder}/search --resume
    --quiet)

# The figures of sensitivity and of the number of samples run a setting that a change leaves as it is once.
set(figures --figure sensitivity,samples --datasets synthetic --setting "small max-iterations=8 warmup=4" --seeds 1)
run(0 "17 cells run, 0 were there" ${figures} --out ${folder}/figures --quiet)
file(READ ${folder}/figures/results.md text)
foreach(title "synthetic, GCN: learning-rate" "synthetic, GCN: samples of the corruption")
  string(FIND "${text}" "${title}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "results.md: expected a figure '${title}'")
  endif()
endforeach()

# Names, one a line; other ways to train stand in tables beside the paper's numbers.
run(0 "none\nzero\nmean\ncopy\nuntrained\ngraphpatcher\nweighted\nweighted-fast\nweighted-controls\nspread\ndensify\n"
    --list methods)
run(0 "duplicate\nmlp\npropagate\ncorrect-and-smooth\ndropedge\ntuneup\n" --list methods)
run(0 "cora\nciteseer\n" --list datasets)
run(0 "gcn\nsage\ngat\n" --list backbones)
run(0 "released\npaper\nsmall\n" --list settings)
run(105 "--list" --list magic)
run(0 "trained further on graphs that lost half" --help)
run(0 "4 cells run" --datasets synthetic --methods dropedge,tuneup+spread --seeds 2 --out ${folder}/trainings --quiet)
expect_cells(${folder}/trainings/results.jsonl 4)
file(READ ${folder}/trainings/results.csv text)
if(NOT text MATCHES "synthetic,gcn,dropedge,,chosen,test,low,accuracy,2")
  message(FATAL_ERROR "results.csv: expected a row of dropedge")
endif()

file(WRITE ${folder}/bad.json "{\"synthetic-gcn\": 7}")
run(1 "as --tune writes them" --datasets synthetic --tuned ${folder}/bad.json --seeds 1 --out ${folder}/bad --quiet)

# What can't be done is said.
run(1 "no option is called 'width'" --datasets synthetic --setting "small width=3" --out ${folder}/a --quiet --seeds 1)
run(1 "did you mean learning-rate?" --datasets synthetic --setting "small learning-rat=3" --out ${folder}/g --quiet
    --seeds 1)
run(1 "it is called warmup now" --datasets synthetic --setting "small warm-up=3" --out ${folder}/h --quiet --seeds 1)
run(0 "learning-rate=0.0001" --help)
run(1 "begin with a preset" --datasets synthetic --setting "hidden=3" --out ${folder}/b --quiet --seeds 1)
run(105 "no method is called 'magic'" --datasets synthetic --methods magic --out ${folder}/c --quiet)
run(1 "--tune" --datasets synthetic --methods graphpatcher --preset tuned --out ${folder}/d --quiet --seeds 1)
run(1 "failed: cora" --datasets cora --methods none --data ${folder}/nowhere --out ${folder}/e --quiet --seeds 1)
file(WRITE ${folder}/f/results.jsonl "not a cell\n")
run(1 "line 1 is not a result" ${short} --out ${folder}/f --resume)

# The page of results is what the program makes of the stored ones.
file(COPY ${root}/docs/results/results.jsonl ${root}/docs/results/commands.txt DESTINATION ${folder}/stored/results)
execute_process(COMMAND ${experiments} --report-only --out results --docs results.md WORKING_DIRECTORY ${folder}/stored
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(READ ${folder}/stored/results.md made)
file(READ ${root}/docs/results.md page)
if(NOT made STREQUAL page)
  message(FATAL_ERROR "docs/results.md is not what experiments makes of docs/results; docs/experiments.md has the command")
endif()
