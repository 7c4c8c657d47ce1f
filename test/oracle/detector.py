"""detector.py - a naive happens-before race detector over the log of one run (README.md).

Model:  a vector clock is a dictionary from threads to epochs; absent threads have epoch 0. An access by
        thread t in epoch e happens before the next event of thread u iff e <= clock of u [t].
        Per byte: the last epoch of each thread and kind of access. This is as good as the full
        history: whatever is ordered after a thread's last access is ordered after its earlier ones.
        Per atomic location: the clock of the release sequences that its current value belongs to, and
        the threads that head them (C11 5.1.2.4). Like the runtime, it keeps one clock for all of them:
        a plain store by one head should end the sequences of the others, but does not. Threads with
        equal numbers modulo 64 count as one head. Both deviations can only hide a race.
Use:    detector.py LOG  prints the differences between the two sets; exit status 1 if there are any.
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
        self.clock = clock        # its vector clock, including its own epoch
        self.clock[number] = self.clock.get(number, 0) + 1
        self.seen = {}            # clocks seen by relaxed loads, for the next acquire fence
        self.fenced = None        # its clock at the last release fence
        self.atomic = []          # accesses of the current atomic operation

    def publish(self):
        """Returns the clock to release; later events belong to a new epoch."""
        released = dict(self.clock)
        self.clock[self.number] += 1
        return released


class Detector:
    def __init__(self):
        self.threads = {0: Thread(0, {})}
        self.objects = {}   # address -> clock
        self.readers = {}   # address -> clock of the shared holders
        self.atomics = {}   # address -> (set of heads, clock)
        self.bytes = {}     # address -> {(thread, write, atomic): epoch}
        self.racy = set()   # bytes found here
        self.reported = set()  # bytes reported by the runtime

    def event(self, line):
        number, what, a, b = line.split()
        thread = self.threads.get(int(number))
        if not thread:  # no fork event: an internal thread of libc, which is ordered after nothing
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

    def store(self, t, a, order, continues):
        """continues: a read-modify-write, which belongs to every sequence of the old value."""
        heads, clock = self.atomics.get(a, (set(), {}))
        me = t.number % 64
        if not continues and (releases(order) or me not in heads):
            heads, clock = set(), {}
        released = t.publish() if releases(order) else t.fenced
        if released is not None:
            heads = heads | {me}
            clock = dict(clock)
            join(clock, released)
        self.atomics[a] = heads, clock

    def accesses(self, t):
        """Makes the accesses of the current operation: after its acquire, before its release."""
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
    """Runs the log and returns the list of differences between the runtime and the oracle."""
    d = Detector()
    for number, line in enumerate(lines, 1):
        try:
            d.event(line)
        except (ValueError, KeyError, AttributeError) as e:
            return [f"line {number}: cannot read {line.strip()!r}: {e!r}"]
    return ([f"missed by the runtime: byte {b:#x}" for b in sorted(d.racy - d.reported)]
            + [f"false alarm of the runtime: byte {b:#x}" for b in sorted(d.reported - d.racy)])


def main():
    with open(sys.argv[1]) as log:
        wrong = differences(log)
    print("\n".join(wrong) if wrong else "no differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
