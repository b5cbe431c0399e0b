#!/usr/bin/env python3
"""mutate.py check|run BUILD_DIR [WORD...]: breaks one guard of the library after the other, and prints which
tests notice. guards.txt is the list; WORD selects guards whose file or text contains it.

A mutant is one object file, linked in front of the libraries of the build: sources and build stay as they
are. `check` only looks whether every text still occurs exactly once. Exit code 1 where a guard survives
without a written reason, or a reason stands for one that is noticed.
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
SECONDS = 200  # a mutant that never ends is noticed
NEVER_ENDED = -1000


def read_guards():
    """Blocks of lines: the file, "- " text, "+ " replacement, "? " tests, "! " reason why it survives."""
    guards, number = [], 0
    for block in (HERE / "guards.txt").read_text().split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if not lines:
            continue
        number += 1
        guard = {"number": number, "file": lines[0]}
        for mark, name in zip("-+?!", ("text", "replacement", "tests", "reason")):
            guard[name] = "\n".join(line[2:] for line in lines[1:] if line[0] == mark)
        guard["tests"] = guard["tests"].split()
        guards.append(guard)
    return guards


def check(guards):
    bad = 0
    for guard in guards:
        path = TOP / guard["file"]
        count = path.read_text().count(guard["text"]) if path.exists() else 0
        missing = [test for test in guard["tests"] if not list(TOP.glob("tests/*/%s.c" % test))]
        if count != 1 or not guard["text"] or not guard["tests"] or missing:
            bad += 1
            print("guard %d, %s: its text occurs %d times; tests that do not exist: %s\n    %s"
                  % (guard["number"], guard["file"], count, " ".join(missing) or "none", guard["text"]))
    return bad == 0


def shell(command, folder, seconds=SECONDS):
    try:
        return subprocess.run(command, cwd=folder, timeout=seconds, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT).returncode
    except subprocess.TimeoutExpired:
        return NEVER_ENDED


def link_command(build, test, mutant, program):
    words = shlex.split((build / "tests/CMakeFiles" / (test + ".dir") / "link.txt").read_text())
    words[words.index("-o") + 1] = str(program)
    first = next(i for i, word in enumerate(words) if word.endswith(".a"))
    return words[:first] + [str(mutant)] + words[first:]


def run_mutant(guard, build, compile_of, work):
    """The tests that notice, or None where the mutant cannot be built."""
    source = TOP / guard["file"]
    folder = work / str(guard["number"])
    folder.mkdir()
    # The mutant lies where its includes are found as those of the file are.
    text = source.read_text().replace(guard["text"], guard["replacement"])
    mutant, program = folder / source.name, folder / "program"
    mutant.write_text('#line 1 "%s"\n%s' % (source, text))
    words = shlex.split(compile_of[str(source)]["command"])
    words[words.index("-o") + 1] = str(folder / "mutant.o")
    words[words.index(str(source))] = str(mutant)
    words += ["-w", "-Wno-error", "-iquote", str(source.parent)]
    if shell(words, compile_of[str(source)]["directory"]) != 0:
        return None
    noticing = []
    for test in guard["tests"]:
        if shell(link_command(build, test, folder / "mutant.o", program), build / "tests") != 0:
            return None
        code = shell([str(program)], build / "tests")
        if code != 0:
            noticing.append(test)
        if code == NEVER_ENDED:
            break
    program.unlink()
    return noticing


def run(guards, build):
    compile_of = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text())}
    bad = 0
    with tempfile.TemporaryDirectory() as work, \
            concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        os.environ["XDG_CACHE_HOME"] = work
        tests = sorted({test for guard in guards for test in guard["tests"]})
        codes = pool.map(lambda test: shell([str(build / "tests" / test)], build / "tests"), tests)
        failing = [test for test, code in zip(tests, codes) if code != 0]
        if failing:
            print("these fail without a mutant: " + " ".join(failing))
            return False
        runs = [pool.submit(run_mutant, guard, build, compile_of, pathlib.Path(work)) for guard in guards]
        for guard, future in zip(guards, runs):
            noticing = future.result()
            if noticing is None:
                verdict = "FAILED  cannot be built"
            elif noticing:
                verdict = ("FAILED  has a reason to survive, but is noticed by " if guard["reason"] else
                           "ok      noticed by ") + " ".join(noticing)
            else:
                verdict = "ok      survives: " + guard["reason"] if guard["reason"] else "FAILED  survives"
            bad += verdict.startswith("FAILED")
            print("%-8s%d %s: %s\n            %s" % (verdict[:8], guard["number"], guard["file"], verdict[8:],
                                                guard["text"].strip().replace("\n", "\n            ")), flush=True)
    print("%d guards, %d failed" % (len(guards), bad))
    return bad == 0


def main(arguments):
    if len(arguments) < 1 or arguments[0] not in ("check", "run") or (arguments[0] == "run") == (len(arguments) < 2):
        sys.exit(__doc__)
    guards = read_guards()
    words = arguments[2:]
    if words:
        guards = [guard for guard in guards if any(word in guard["file"] + guard["text"] for word in words)]
    is_good = check(guards)
    if arguments[0] == "run":
        is_good = is_good and run(guards, pathlib.Path(arguments[1]).resolve())
    sys.exit(0 if is_good else 1)


main(sys.argv[1:])
