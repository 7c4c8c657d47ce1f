"""explore_model.py - all executions of a small concurrent program, by brute force.

A program is written in a small language (explore/*.txt). This file has two readings of it that share nothing with
photofinish: `results` interprets it and enumerates every interleaving; `to_c` prints it as a C program.

A file has declarations, then threads. All numbers are integers; registers (r0 to r9, initially 0) belong to a thread.

    var x 0          a plain variable               atom a 0       an atomic variable
    lock m           rwlock w       cond c          barrier b 2    sem s 1
    once o x 2       the initialiser stores 2 in the plain variable x
    thread           the statements up to the next `thread` are one thread; `main` begins those of main

    load r0 x        r0 = x                         store x E      x = E
    aload r0 a       astore a E     fetchadd r0 a E    cas r0 a E E    exchange r0 a E
    fetchor r0 a E
    acquire m        release m      try r0 m
    rdlock w         wrlock w       rwrelease w
    wait c m         signal c       broadcast c
    arrive b         down s         up s           trydown r0 s    count r0 s
    once o           runs the initialiser unless it has run; waits while it runs
    timedwait r0 c m timedlock r0 m timeddown r0 s timedrd r0 w timedwr r0 w  with a time limit that may have passed at any time; r0: 1 if it
                     has ended the wait of timedwait, 0 if it has ended one of the others
    fwait r0 a E     futex: waits until another thread wakes it, unless a != E; r0: 1 if it has waited
    fwake a          wakes one thread that waits so    fwakeall a     wakes all of them
    spin a E         waits in a loop until a == E
    spinor a M E     waits in a loop that sets the bits M of a, until a without these bits == E
    spinlock a       exchanges a with 1 in a loop until it was 0
    set r0 E         if E ... else ... end          repeat N ... end
    print E          assert E       exit           ends the process, without the final output

An expression E is a Python expression over registers, which must mean the same in C. Main starts all threads, joins
them, and prints all variables.
"""

import re


class Program:
    def __init__(self, text):
        self.objects = {}  # name -> (kind, value)
        self.order = []
        self.threads = []
        self.main = []
        self.wants = {}
        block = None
        for raw in text.splitlines():
            if match := re.match(r"# (\w+): (.*)", raw):
                self.wants[match[1]] = match[2]
            words = raw.split("#")[0].split()
            if not words:
                continue
            if words[0] == "once" and block is None:
                self.objects[words[1]] = ("once", (words[2], int(words[3])))
                self.order.append(words[1])
            elif words[0] in ("var", "atom", "lock", "rwlock", "cond", "barrier", "sem"):
                self.objects[words[1]] = (words[0], int(words[2]) if len(words) > 2 else 0)
                self.order.append(words[1])
            elif words[0] == "thread":
                block = []
                self.threads.append(block)
            elif words[0] == "main":
                block = self.main
            else:
                block.append(words)

    def flat(self, block):
        """The statements of a thread with jumps instead of if and repeat."""
        code = []

        def walk(i, stops):
            while i < len(block) and block[i][0] not in stops:
                words = block[i]
                if words[0] == "if":
                    at = len(code)
                    code.append(None)
                    i = walk(i + 1, ("else", "end"))
                    if block[i][0] == "else":
                        skip = len(code)
                        code.append(None)
                        code[at] = ("unless", " ".join(words[1:]), len(code))
                        i = walk(i + 1, ("end",))
                        code[skip] = ("jump", len(code))
                    else:
                        code[at] = ("unless", " ".join(words[1:]), len(code))
                elif words[0] == "repeat":
                    start = i + 1
                    for _ in range(int(words[1])):
                        i = walk(start, ("end",))
                elif words[0] == "once":
                    code.append(("unless-done", words[1], len(code) + 3))
                    code.append(("store", *map(str, self.objects[words[1]][1])))
                    code.append(("done", words[1]))
                elif words[0] == "spinor":
                    code.append(("fetchor", "r9", words[1], words[2]))
                    code.append(("aload", "r9", words[1]))
                    code.append(("unless", f"(r9 & ~{words[2]}) == {words[3]}", len(code) - 2))
                elif words[0] == "spinlock":
                    code.append(("exchange", "r9", words[1], "1"))
                    code.append(("unless", "r9 == 0", len(code) - 1))
                else:
                    code.append(tuple(words))
                i += 1
            return i

        walk(0, ())
        return code


# --- the interpreter ---


ZEROS = {f"r{i}": 0 for i in range(10)}


def value(expression, registers):
    return int(eval(expression, {}, {**ZEROS, **dict(registers)}))


LOCAL = ("unless", "jump", "set")


class State:
    """One state: program counters and registers of the threads, values of the objects, what was printed."""

    __slots__ = ("threads", "objects", "output", "over")

    def __init__(self, threads, objects, output, over=None):
        self.threads, self.objects, self.output, self.over = threads, objects, output, over

    def key(self):
        return (self.threads, tuple(sorted(self.objects.items())), self.output, self.over)


class Interpreter:
    def __init__(self, program):
        self.program = program
        self.code = [program.flat(t) for t in program.threads]

    def start(self):
        objects = {}
        for name, (kind, initial) in self.program.objects.items():
            objects[name] = {"lock": None, "rwlock": (None, ()), "cond": (), "barrier": (), "once": "new"}.get(kind, initial)
        threads = tuple((0, (), None) for _ in self.code)  # counter, registers, what it waits for
        return self.settle(State(threads, objects, ""))

    def settle(self, state):
        """Executes what only concerns the thread itself."""
        threads = list(state.threads)
        for t, (at, registers, waits) in enumerate(threads):
            registers = dict(registers)
            while waits is None and at < len(self.code[t]) and self.code[t][at][0] in LOCAL:
                op = self.code[t][at]
                if op[0] == "jump":
                    at = op[1]
                elif op[0] == "unless":
                    at = at + 1 if value(op[1], registers) else op[2]
                else:
                    registers[op[1]] = value(" ".join(op[2:]), registers)
                    at += 1
            threads[t] = (at, tuple(sorted(registers.items())), waits)
        return State(tuple(threads), state.objects, state.output, state.over)

    def steps(self, state):
        """All states that one step of one thread leads to."""
        for t, (at, registers, waits) in enumerate(state.threads):
            if waits is not None and waits[0] in ("lock", "barrier-done"):
                yield from self.resume(state, t)
            elif waits is not None and waits[0] == "cond" and waits[3]:
                yield self.expire(state, t)
            elif waits is None and at < len(self.code[t]):
                yield from self.step(state, t, self.code[t][at], dict(registers))

    def resume(self, state, t):
        at, registers, waits = state.threads[t]
        objects = dict(state.objects)
        if waits[0] == "lock":
            if objects[waits[1]] is not None:
                return
            objects[waits[1]] = t
        yield self.move(state, t, registers, objects)

    def expire(self, state, t):
        """The time limit of the thread's wait has passed: it only needs the lock."""
        at, registers, (_, cond, lock, register) = state.threads[t]
        threads, objects = list(state.threads), dict(state.objects)
        threads[t] = (at, tuple(sorted({**dict(registers), register: 1}.items())), ("lock", lock))
        objects[cond] = tuple(w for w in objects[cond] if w != t)
        return State(tuple(threads), objects, state.output)

    def move(self, state, t, registers, objects, output=None, threads=None, waits=None, over=None, to=None):
        threads = list(threads or state.threads)
        at = threads[t][0] + (waits is None) if to is None else to
        registers = tuple(sorted(registers.items())) if isinstance(registers, dict) else registers
        threads[t] = (at, registers, waits)
        return self.settle(State(tuple(threads), objects, state.output if output is None else output, over))

    def step(self, state, t, op, r):
        o, kind, a = dict(state.objects), op[0], op[1:]
        if kind in ("load", "aload"):
            r[a[0]] = o[a[1]]
        elif kind in ("store", "astore"):
            o[a[0]] = value(" ".join(a[1:]), r)
        elif kind == "fetchadd":
            old = o[a[1]]
            o[a[1]] = old + value(" ".join(a[2:]), r)
            r[a[0]] = old
        elif kind == "fetchor":
            old = o[a[1]]
            o[a[1]] = old | value(" ".join(a[2:]), r)
            r[a[0]] = old
        elif kind == "exchange":
            old = o[a[1]]
            o[a[1]] = value(" ".join(a[2:]), r)
            r[a[0]] = old
        elif kind == "cas":
            done = o[a[1]] == value(a[2], r)
            if done:
                o[a[1]] = value(a[3], r)
            r[a[0]] = int(done)
        elif kind == "spin":
            if o[a[0]] != value(" ".join(a[1:]), r):
                return
        elif kind == "acquire":
            if o[a[0]] is not None:
                return
            o[a[0]] = t
        elif kind in ("try", "timedlock"):
            r[a[0]] = int(o[a[1]] is None)
            o[a[1]] = t if o[a[1]] is None else o[a[1]]
        elif kind == "release":
            o[a[0]] = None
        elif kind == "rdlock":
            if o[a[0]][0] is not None:
                return
            o[a[0]] = (None, tuple(sorted(o[a[0]][1] + (t,))))
        elif kind == "wrlock":
            if o[a[0]] != (None, ()):
                return
            o[a[0]] = (t, ())
        elif kind in ("timedrd", "timedwr"):
            writer, readers = o[a[1]]
            taken = writer is None and (kind == "timedrd" or not readers)
            r[a[0]] = int(taken)
            if taken:
                o[a[1]] = (None, tuple(sorted(readers + (t,)))) if kind == "timedrd" else (t, ())
        elif kind == "rwrelease":
            writer, readers = o[a[0]]
            if writer == t:
                o[a[0]] = (None, ())
            else:
                readers = list(readers)
                readers.remove(t)
                o[a[0]] = (None, tuple(readers))
        elif kind in ("wait", "timedwait"):
            register = a[0] if kind == "timedwait" else None
            cond, lock = a[-2:]
            o[lock] = None
            o[cond] = o[cond] + (t,)
            if register:
                r[register] = 0
            yield self.move(state, t, r, o, waits=("cond", cond, lock, register))
            return
        elif kind in ("signal", "broadcast"):
            yield from self.notify(state, t, r, o, kind, a[0])
            return
        elif kind == "fwait":
            waits = o[a[1]] == value(" ".join(a[2:]), r)
            r[a[0]] = int(waits)
            if waits:
                yield self.move(state, t, r, o, waits=("futex", a[1]))
                return
        elif kind in ("fwake", "fwakeall"):
            yield from self.wake(state, t, r, o, kind, a[0])
            return
        elif kind == "arrive":
            size = self.program.objects[a[0]][1]
            here = o[a[0]] + (t,)
            if len(here) < size:
                o[a[0]] = here
                yield self.move(state, t, r, o, waits=("barrier", a[0]))
                return
            o[a[0]] = ()
            threads = list(state.threads)
            for other in here[:-1]:
                at, registers, _ = threads[other]
                threads[other] = (at, registers, ("barrier-done", a[0]))
            yield self.move(state, t, r, o, threads=threads)
            return
        elif kind == "down":
            if not o[a[0]]:
                return
            o[a[0]] -= 1
        elif kind in ("trydown", "timeddown"):
            r[a[0]] = int(o[a[1]] > 0)
            o[a[1]] -= r[a[0]]
        elif kind == "up":
            o[a[0]] += 1
        elif kind == "count":
            r[a[0]] = o[a[1]]
        elif kind == "unless-done":
            if o[a[0]] == "runs":
                return
            if o[a[0]] == "done":
                yield self.move(state, t, r, o, to=a[1])
                return
            o[a[0]] = "runs"
        elif kind == "done":
            o[a[0]] = "done"
        elif kind == "print":
            yield self.move(state, t, r, o, state.output + f"{value(' '.join(a), r)}\n")
            return
        elif kind == "exit":
            yield State(state.threads, o, state.output, "exit")
            return
        elif kind == "assert":
            if not value(" ".join(a), r):
                yield State(state.threads, o, state.output, "abort")
                return
        else:
            raise ValueError(f"unknown statement {' '.join(op)}")
        yield self.move(state, t, r, o)

    def notify(self, state, t, r, o, kind, cond):
        waiters = o[cond]
        chosen = [waiters] if kind == "broadcast" else [(w,) for w in waiters] or [()]
        for woken in chosen:
            threads, objects = list(state.threads), dict(o)
            for w in woken:
                at, registers, waits = threads[w]
                threads[w] = (at, registers, ("lock", waits[2]))
            objects[cond] = tuple(w for w in waiters if w not in woken)
            yield self.move(state, t, r, objects, threads=threads)

    def wake(self, state, t, r, o, kind, word):
        waiters = [w for w, (_, _, waits) in enumerate(state.threads) if waits == ("futex", word)]
        for woken in [waiters] if kind == "fwakeall" else [[w] for w in waiters] or [[]]:
            threads = list(state.threads)
            for w in woken:
                threads[w] = (threads[w][0] + 1, threads[w][1], None)
            yield self.move(state, t, r, dict(o), threads=threads)

    def result(self, state):
        if state.over == "abort":
            return ("abort", state.output)
        if state.over == "exit":
            return ("exit", state.output)
        if any(at < len(self.code[t]) or waits for t, (at, _, waits) in enumerate(state.threads)):
            return ("stuck", state.output)
        final = "".join(
            f"{name}={state.objects[name]}\n"
            for name in self.program.order
            if self.program.objects[name][0] in ("var", "atom")
        )
        return ("exit", state.output + final)

    def results(self, most=None):
        """The set of (how it ended, what it printed); None: there are more states than `most`."""
        found, seen, todo = set(), {}, [self.start()]  # seen: key -> keys of the next states
        while todo:
            state = todo.pop()
            key = state.key()
            if key in seen:
                continue
            if most and len(seen) >= most:
                return None
            following = [] if state.over else list(self.steps(state))
            seen[key] = {s.key() for s in following}
            todo += following
            if not following:
                found.add(self.result(state))
        return found | {("stuck", key[2]) for key in endless(seen)}


def endless(following):
    """The states from which the program runs on for ever, and nobody changes an object or prints any more."""
    ends, previous = set(), {}
    for key, keys in following.items():
        for k in keys:
            previous.setdefault(k, []).append(key)
    todo = [key for key, keys in following.items() if not keys]
    while todo:
        key = todo.pop()
        if key not in ends:
            ends.add(key)
            todo += previous.get(key, ())

    def changes(start):
        reached, todo = {start}, [start]
        while todo:
            for k in following[todo.pop()] - reached:
                if k[1:] != start[1:]:
                    return True
                reached.add(k)
                todo.append(k)
        return False

    return [key for key in following if key not in ends and not changes(key)]


def results(program):
    return Interpreter(program).results()


# --- the same program in C ---

HEAD = """#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct timespec limit; /* less than a day away: such a limit may pass */
"""
DECLARE = {
    "var": "static int {n} = {v};",
    "atom": "static atomic_int {n} = {v};",
    "lock": "static pthread_mutex_t {n} = PTHREAD_MUTEX_INITIALIZER;",
    "rwlock": "static pthread_rwlock_t {n} = PTHREAD_RWLOCK_INITIALIZER;",
    "cond": "static pthread_cond_t {n} = PTHREAD_COND_INITIALIZER;",
    "barrier": "static pthread_barrier_t {n};",
    "sem": "static sem_t {n};",
    "once": "static pthread_once_t {n} = PTHREAD_ONCE_INIT;\nstatic void init_{n}(void) {{ {v[0]} = {v[1]}; }}",
}
STATEMENT = {
    "load": "{0} = {1};",
    "store": "{0} = {1};",
    "aload": "{0} = atomic_load(&{1});",
    "astore": "atomic_store(&{0}, {1});",
    "fetchadd": "{0} = atomic_fetch_add(&{1}, {2});",
    "fetchor": "{0} = atomic_fetch_or(&{1}, {2});",
    "spinor": "do\n        atomic_fetch_or(&{0}, {1});\n    while ((atomic_load(&{0}) & ~{1}) != {2});",
    "spinlock": "while (atomic_exchange(&{0}, 1))\n        ;",
    "exchange": "{0} = atomic_exchange(&{1}, {2});",
    "cas": "{{ int e = {2}; {0} = atomic_compare_exchange_strong(&{1}, &e, {3}); }}",
    "spin": "while (atomic_load(&{0}) != {1})\n        ;",
    "acquire": "pthread_mutex_lock(&{0});",
    "release": "pthread_mutex_unlock(&{0});",
    "try": "{0} = pthread_mutex_trylock(&{1}) == 0;",
    "rdlock": "pthread_rwlock_rdlock(&{0});",
    "wrlock": "pthread_rwlock_wrlock(&{0});",
    "timedrd": "{0} = pthread_rwlock_timedrdlock(&{1}, &limit) == 0;",
    "timedwr": "{0} = pthread_rwlock_timedwrlock(&{1}, &limit) == 0;",
    "rwrelease": "pthread_rwlock_unlock(&{0});",
    "wait": "pthread_cond_wait(&{0}, &{1});",
    "signal": "pthread_cond_signal(&{0});",
    "broadcast": "pthread_cond_broadcast(&{0});",
    "timedwait": "{0} = pthread_cond_timedwait(&{1}, &{2}, &limit) != 0;",
    "timedlock": "{0} = pthread_mutex_timedlock(&{1}, &limit) == 0;",
    "timeddown": "{0} = sem_timedwait(&{1}, &limit) == 0;",
    "trydown": "{0} = sem_trywait(&{1}) == 0;",
    "fwait": "{0} = !syscall(SYS_futex, &{1}, FUTEX_WAIT_PRIVATE, {2}, NULL);",
    "fwake": "syscall(SYS_futex, &{0}, FUTEX_WAKE_PRIVATE, 1);",
    "fwakeall": "syscall(SYS_futex, &{0}, FUTEX_WAKE_PRIVATE, 0x7fffffff);",
    "arrive": "pthread_barrier_wait(&{0});",
    "down": "sem_wait(&{0});",
    "up": "sem_post(&{0});",
    "count": "sem_getvalue(&{1}, &{0});",
    "once": "pthread_once(&{0}, init_{0});",
    "exit": "exit(0);",
    "set": "{0} = {1};",
    "print": 'printf("%d\\n", {0});',
    "assert": "assert({0});",
}


def in_c(expression):
    return re.sub(r"\bnot\b", "!", re.sub(r"\band\b", "&&", re.sub(r"\bor\b", "||", expression)))


def statement(words):
    kind, rest = words[0], words[1:]
    if kind == "if":
        return f"if ({in_c(' '.join(rest))}) {{"
    if kind == "else":
        return "} else {"
    if kind == "end":
        return "}"
    if kind == "repeat":
        return f"for (int i{id(words)} = 0; i{id(words)} < {rest[0]}; i{id(words)}++) {{"
    fields = {"store": 2, "astore": 2, "fetchadd": 3, "fetchor": 3, "exchange": 3, "spin": 2, "fwait": 3, "set": 2, "print": 1, "assert": 1}.get(kind)
    if fields:
        rest = rest[: fields - 1] + [in_c(" ".join(rest[fields - 1 :]))]
    return STATEMENT[kind].format(*rest)


def to_c(program):
    lines = [HEAD]
    for name in program.order:
        kind, initial = program.objects[name]
        lines.append(DECLARE[kind].format(n=name, v=initial))
    for t, block in enumerate(program.threads):
        used = sorted({r for words in block for r in re.findall(r"\br\d+\b", " ".join(words))})
        lines.append(f"static void *thread{t}(void *unused)\n{{")
        lines += [f"    int {r} = 0;" for r in used]
        lines += ["    " + statement(words) for words in block]
        lines += [f"    (void){r};" for r in used]
        lines.append("    return unused;\n}")
    count = len(program.threads)
    lines.append(f"int main(void)\n{{\n    pthread_t t[{count}];\n    setvbuf(stdout, NULL, _IONBF, 0);")
    if any(words[0].startswith("timed") for block in program.threads for words in block):
        lines.append("    limit.tv_sec = time(NULL) + 3600;")
    for name in program.order:
        kind, initial = program.objects[name]
        if kind == "barrier":
            lines.append(f"    pthread_barrier_init(&{name}, NULL, {initial});")
        if kind == "sem":
            lines.append(f"    sem_init(&{name}, 0, {initial});")
    lines += [f"    pthread_create(&t[{t}], NULL, thread{t}, NULL);" for t in range(count)]
    lines += [f"    pthread_join(t[{t}], NULL);" for t in range(count)]
    for name in program.order:
        if program.objects[name][0] in ("var", "atom"):
            lines.append(f'    printf("{name}=%d\\n", {name});')
    lines.append("    return 0;\n}")
    return "\n".join(lines) + "\n"
