"""test_detector.py - tests the oracle itself on logs that are short enough to check by hand.

Each case has a name, the expected racy bytes, and a log. If B does not matter, it is left out.
"""

import sys

sys.dont_write_bytecode = True
from detector import Detector

TWO = "0 fork 1;0 fork 2;"
CASES = [
    ("two writes", {16}, TWO + "1 w 10 1;2 w 10 1"),
    ("two reads", set(), TWO + "1 r 10 4;2 r 10 4"),
    ("partial overlap", {18, 19}, TWO + "1 w 10 4;2 r 12 4"),
    ("adjacent", set(), TWO + "1 w 10 4;2 w 14 4"),
    ("before the creation", set(), "0 w 10 4;0 fork 1;1 w 10 4"),
    ("after the creation", {16}, "0 fork 1;0 w 10 1;1 w 10 1"),
    ("after the join", set(), "0 fork 1;1 w 10 4;0 join 1;0 w 10 4"),
    ("before the join", {16}, "0 fork 1;1 w 10 1;0 w 10 1;0 join 1"),
    ("a lock", set(), TWO + "1 lock 99;1 w 10 4;1 unlock 99;2 lock 99;2 w 10 4;2 unlock 99"),
    ("two locks", {16}, TWO + "1 lock 98;1 w 10 1;1 unlock 98;2 lock 99;2 w 10 1;2 unlock 99"),
    ("shared locks", {16}, TWO + "1 rdlock 99;1 w 10 1;1 rdunlock 99;2 rdlock 99;2 w 10 1"),
    ("shared, then exclusive", set(), TWO + "1 rdlock 99;1 r 10 1;1 rdunlock 99;2 lock 99;2 w 10 1"),
    ("release and acquire", set(), TWO + "1 w 10 1;1 astore 99 7;2 aload 99 4;2 w 10 1"),
    ("relaxed store", {16}, TWO + "1 w 10 1;1 astore 99 1;2 aload 99 4;2 w 10 1"),
    ("relaxed load", {16}, TWO + "1 w 10 1;1 astore 99 7;2 aload 99 0;2 w 10 1"),
    ("after the release", {16}, TWO + "1 astore 99 7;1 w 10 1;2 aload 99 4;2 w 10 1"),
    ("fences", set(), TWO + "1 w 10 1;1 fence 3;1 astore 99 1;2 aload 99 0;2 fence 2;2 w 10 1"),
    ("fence too early", {16}, TWO + "1 fence 3;1 w 10 1;1 astore 99 1;2 aload 99 0;2 fence 2;2 w 10 1"),
    ("fence before the load", {16}, TWO + "1 w 10 1;1 astore 99 7;2 fence 2;2 aload 99 0;2 w 10 1"),
    ("sequence by rmw", set(),
     TWO + "0 fork 3;1 w 10 1;1 astore 99 7;2 armw 99 1;3 aload 99 4;3 w 10 1"),
    ("sequence broken", {16},
     TWO + "0 fork 3;1 w 10 1;1 astore 99 7;2 astore 99 1;3 aload 99 4;3 w 10 1"),
    ("sequence of the same thread", set(),
     TWO + "1 w 10 1;1 astore 99 7;1 astore 99 1;2 aload 99 4;2 w 10 1"),
    ("the head stores again after another thread's rmw", set(),
     TWO + "0 fork 3;1 w 10 1;1 astore 99 7;2 armw 99 7;1 astore 99 1;3 aload 99 4;3 w 10 1"),
    ("that keeps the order of the rmw, too (more order than C11)", set(),
     TWO + "0 fork 3;1 astore 99 7;2 w 11 1;2 armw 99 7;1 astore 99 1;3 aload 99 4;3 w 11 1"),
    ("failed cas", {16}, TWO + "1 w 10 1;1 armw 99 8;2 aload 99 4;2 w 10 1"),
    ("atomics do not race", set(), TWO + "1 aw 10 4;1 astore 10 1;2 aw 10 4;2 astore 10 1"),
    ("the atomic itself publishes its initialisation", set(),
     TWO + "1 w 10 1;1 aw 10 1;1 astore 10 7;2 ar 10 1;2 aload 10 4"),
    ("publication needs an acquire", {16}, TWO + "1 w 10 1;1 aw 10 1;1 astore 10 7;2 ar 10 1;2 aload 10 0"),
    ("atomic and plain accesses race", {16}, TWO + "1 aw 10 1;1 astore 10 1;2 r 10 1"),
    ("new memory", set(), TWO + "1 w 10 4;2 new 10 4;2 w 10 4"),
    ("new memory, partly", {18, 19}, TWO + "1 w 10 4;2 new 10 2;2 w 10 4"),
    ("a release joins, a releasing store replaces", {16},
     TWO + "0 fork 3;1 w 10 1;1 rel 99;2 relstore 99;3 acq 99;3 w 10 1"),
    ("releases are joined", set(), TWO + "0 fork 3;1 w 10 1;1 rel 99;2 rel 99;3 acq 99;3 w 10 1"),
]


def main():
    wrong = 0
    for name, want, log in CASES:
        d = Detector()
        for event in log.split(";"):
            d.event(event if len(event.split()) == 4 else event + " 0")
        if d.racy != want:
            print(f"FAILED {name}: found {sorted(d.racy)}, expected {sorted(want)}")
            wrong = 1
    print(f"{len(CASES)} cases")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
