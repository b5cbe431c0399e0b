#!/usr/bin/env python3
"""compare.py WANTED GOT: compares what numbers.c printed on two processors, line by line. Lines that
begin with "=" must be equal; numbers of others agree to 1e-13 of the largest of their line, or of 1.
Prints what differs, and nothing where all agrees."""
import sys


def numbers(line):
    return [float(word) for word in line.rpartition(":")[2].split()]


def fault(one, other):
    if one == other:
        return None
    if one.startswith("=") or one.partition(":")[0] != other.partition(":")[0]:
        return "not equal"
    x, y = numbers(one), numbers(other)
    if len(x) != len(y):
        return "another length"
    scale = max(1.0, max(map(abs, x), default=0.0))
    error = max((abs(a - b) for a, b in zip(x, y)), default=0.0) / scale
    return None if error <= 1e-13 else "differs by %.2g" % error


wanted, got = (open(name).read().splitlines() for name in sys.argv[1:3])
if len(wanted) < 100 or len(wanted) != len(got):
    print("%d lines, wanted %d" % (len(got), len(wanted)))
for one, other in zip(wanted, got):
    text = fault(one, other)
    if text:
        print("%s:\n    %s\n    %s" % (text, one[:100], other[:100]))
