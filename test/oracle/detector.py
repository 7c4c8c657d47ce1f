"""detector.py - a naive happens-before race detector over the log of one run (README.md).

Model:  vector clocks as dictionaries thread -> number of the epoch, absent is 0. An access by thread t
        in epoch e happened before the present of thread u iff e <= clock of u [t].
        Per byte: for each thread and kind of access its last epoch. That is the full history: an
        earlier access of the same thread is known to whoever knows a later one.
        An atomic location: the clock of the release sequences that its present value belongs to, and
        the threads that head them (C11 5.1.2.4). As the runtime does, it keeps one clock for all of
        them: a plain store by one of the heads should end the sequences of the others, but does not.
        Threads that are the same modulo 64 count as one head. Both can only hide a race.
Use:    detector.py LOG  prints both sets where they differ; exit 1 then.
"""

import sys

RELAXED, CONSUME, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST = range(6)


def acquires(order):
    return order in (CONSUME, ACQUIRE, ACQ_REL, SEQ_CST)


def releases(order):
    return order in (RELEASE, ACQ_REL, SEQ_CST)


def join(into, other):
    for t, e in other.items():
        if e > into.get(t, 0):
            into[t] = e


class Thread:
    def __init__(self, number, clock):
        self.number = number
        self.clock = clock        # what it knows, its own epoch included
        self.clock[number] = self.clock.get(number, 0) + 1
        self.seen = {}            # what relaxed loads saw, for the next acquire fence
        self.fenced = None        # its clock at the last release fence
        self.atomic = []          # accesses of the atomic operation that it is in

    def publish(self):
        """What it tells others now; what it does from here on is a new epoch."""
        told = dict(self.clock)
        self.clock[self.number] += 1
        return told


class Detector:
    def __init__(self):
        self.threads = {0: Thread(0, {})}
        self.objects = {}   # address -> clock
        self.readers = {}   # address -> clock of the shared holders
        self.atomics = {}   # address -> (set of heads, clock)
        self.bytes = {}     # address -> {(thread, write, atomic): epoch}
        self.racy = set()   # found here
        self.reported = set()  # by the runtime

    def event(self, line):
        number, what, a, b = line.split()
        thread = self.threads.get(int(number))
        if not thread:  # nobody forked it: libc started it for itself, it knows of nothing
            thread = self.threads[int(number)] = Thread(int(number), {})
        getattr(self, "on_" + what)(thread, int(a, 16), int(b))

    def access(self, thread, address, size, write, atomic):
        for byte in range(address, address + size):
            history = self.bytes.setdefault(byte, {})
            for (t, w, at), epoch in history.items():
                if (w or write) and not (at and atomic) and epoch > thread.clock.get(t, 0):
                    self.racy.add(byte)
            history[thread.number, write, atomic] = thread.clock[thread.number]

    def on_r(self, t, a, size):
        self.access(t, a, size, False, False)

    def on_w(self, t, a, size):
        self.access(t, a, size, True, False)

    def on_ar(self, t, a, size):
        t.atomic.append((a, size, False, True))

    def on_aw(self, t, a, size):
        t.atomic.append((a, size, True, True))

    def on_acq(self, t, a, _):
        join(t.clock, self.objects.get(a, {}))
        join(t.clock, self.atomics.get(a, (set(), {}))[1])

    def on_rel(self, t, a, _):
        join(self.objects.setdefault(a, {}), t.publish())

    def on_relstore(self, t, a, _):
        self.objects[a] = t.publish()

    def on_lock(self, t, a, _):
        join(t.clock, self.objects.get(a, {}))
        join(t.clock, self.readers.get(a, {}))

    def on_unlock(self, t, a, _):
        join(self.objects.setdefault(a, {}), t.publish())

    def on_rdlock(self, t, a, _):
        join(t.clock, self.objects.get(a, {}))

    def on_rdunlock(self, t, a, _):
        join(self.readers.setdefault(a, {}), t.publish())

    def on_fork(self, t, child, _):
        self.threads[child] = Thread(child, t.publish())

    def on_join(self, t, child, _):
        join(t.clock, self.threads[child].clock)

    def on_new(self, t, a, size):
        self.drop(a, size, (self.objects, self.readers, self.atomics, self.bytes))

    def on_forget(self, t, a, size):
        self.drop(a, size, (self.objects, self.readers, self.atomics))

    def drop(self, a, size, tables):
        last = a + size
        for table in tables:
            if size < len(table):
                for byte in range(a, last):
                    table.pop(byte, None)
            else:
                for byte in [k for k in table if a <= k < last]:
                    del table[byte]

    def on_fence(self, t, order, _):
        if acquires(order):
            join(t.clock, t.seen)
        if releases(order):
            t.fenced = t.publish()

    def load(self, t, a, order):
        join(t.clock if acquires(order) else t.seen, self.atomics.get(a, (set(), {}))[1])
        join(t.clock if acquires(order) else t.seen, self.objects.get(a, {}))

    def store(self, t, a, order, goes_on):
        """goes_on: a read-modify-write, part of every sequence that the old value belongs to."""
        heads, clock = self.atomics.get(a, (set(), {}))
        me = t.number % 64
        if not goes_on and (releases(order) or me not in heads):
            heads, clock = set(), {}
        told = t.publish() if releases(order) else t.fenced
        if told is not None:
            heads = heads | {me}
            clock = dict(clock)
            join(clock, told)
        self.atomics[a] = heads, clock

    def accesses(self, t):
        """Those of the operation whose line this is: behind what it learns, before what it tells."""
        for access in t.atomic:
            self.access(t, *access)
        t.atomic = []

    def on_aload(self, t, a, how):
        self.load(t, a, how >> 1)
        self.accesses(t)

    def on_astore(self, t, a, how):
        self.accesses(t)
        self.store(t, a, how >> 1, False)

    def on_armw(self, t, a, how):
        self.load(t, a, how >> 1)
        self.accesses(t)
        if how & 1:
            self.store(t, a, how >> 1, True)

    def on_race(self, _, granule, mask):
        granule &= ~7
        self.reported |= {granule + i for i in range(8) if mask >> i & 1}


def differences(lines):
    """Runs the log; -> the list of what the runtime and the oracle do not agree on."""
    d = Detector()
    for number, line in enumerate(lines, 1):
        try:
            d.event(line)
        except (ValueError, KeyError, AttributeError) as e:
            return [f"line {number}: cannot read {line.strip()!r}: {e!r}"]
    return ([f"missed by the runtime: byte {b:#x}" for b in sorted(d.racy - d.reported)]
            + [f"invented by the runtime: byte {b:#x}" for b in sorted(d.reported - d.racy)])


def main():
    with open(sys.argv[1]) as log:
        wrong = differences(log)
    print("\n".join(wrong) if wrong else "the same")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
