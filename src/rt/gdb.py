# gdb.py - loaded into gdb by `pf replay --gdb`: selects the thread at the requested event, and hides the
# runtime's frames.
#
# Every other thread waits in the runtime for its turn; `bt` leaves out the runtime's frames (`bt -no-filters`
# shows them). The thread at the event is in the runtime too, just before its event. If the event is an access in
# the program's own code, the thread is run up to the very instruction.
#
# pf-back goes back: it replays the clip again up to an earlier event, in a new process, and attaches to that.
import os
import subprocess

import gdb


def is_runtime_frame(frame):
    if frame.type() == gdb.SIGTRAMP_FRAME:
        return frame.newer() is not None
    symtab = frame.find_sal().symtab
    if symtab is not None:
        return "photofinish-rt/" in symtab.filename
    # most of the runtime has no debug information; static functions have other names than these
    if (frame.name() or "").startswith(("pf_", "__pf_")):
        return True
    return "in section pf_text" in gdb.execute("info symbol %#x" % frame.pc(), to_string=True)


class ProgramFrames:
    """A frame filter that keeps only the program's frames."""

    def __init__(self):
        self.name, self.priority, self.enabled = "photofinish", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        frames = list(frames)
        program = [f for f in frames if not is_runtime_frame(f.inferior_frame())]
        return iter(program or frames)


def newest_program_frame():
    frame = gdb.newest_frame()
    while frame is not None and is_runtime_frame(frame):
        frame = frame.older()
    return frame


def go_to_event(tid):
    for thread in gdb.selected_inferior().threads():
        if thread.ptid[1] == tid:
            thread.switch()
    frame = newest_program_frame()
    if frame is None:
        return
    callee = frame.newer()
    if callee is not None and (callee.name() or "").startswith("__pf_event_"):
        stop = gdb.Breakpoint("*%d" % frame.pc(), internal=True, temporary=True)
        stop.thread = gdb.selected_thread().global_num
        gdb.execute("continue", to_string=True)
    else:
        frame.select()
    gdb.execute("frame")


def pass_traps():
    """Passes SIGTRAP to the program: the runtime sets its own breakpoints in spin loops (spin_yield.c). gdb then
    also passes on the traps of its own steps, so this is done only if such breakpoints exist."""
    confirm = gdb.parameter("confirm")
    gdb.execute("set confirm off")
    gdb.execute("handle SIGTRAP nostop noprint pass", to_string=True)
    gdb.execute("set confirm %s" % ("on" if confirm else "off"))


class FirstTrapSet(gdb.Breakpoint):
    """Hit when the runtime sets its first breakpoint while gdb is attached."""

    def stop(self):
        pass_traps()
        return False


def watch_traps():
    try:
        breakpoints = int(gdb.parse_and_eval("*(unsigned *)&pf_spin_yield_breakpoints"))
        FirstTrapSet("*(long)pf_spin_yield_breakpoint_set", internal=True)
    except gdb.error:  # no symbols
        breakpoints = 1
    if breakpoints:
        pass_traps()


def kill_all(_):
    for inferior in gdb.inferiors():
        if inferior.pid:
            gdb.execute("kill inferiors %d" % inferior.num, to_string=True)


class OtherAddress(gdb.Breakpoint):
    """An internal breakpoint at a further address of the line at which the user has set a breakpoint."""

    def __init__(self, address, user):
        super().__init__("*%d" % address, internal=True)
        self.user = user

    def stop(self):
        return self.user.is_valid() and self.user.enabled


class LineBreakpoints:
    """Makes `break FILE:LINE` stop in every body of a function. gdb takes one address for each function, but the
    function has several bodies, and a replay runs the one for events. The other addresses of the line get internal
    breakpoints, which stop as long as the user's breakpoint is enabled. (A thread may stop twice at a line.)"""

    def __init__(self):
        self.others = {}  # number of the user's breakpoint -> internal breakpoints
        gdb.events.breakpoint_created.connect(self.created)
        gdb.events.breakpoint_modified.connect(self.modified)
        gdb.events.breakpoint_deleted.connect(self.deleted)

    def created(self, user):
        if user.number <= 0 or user.type != gdb.BP_BREAKPOINT or not user.location:
            return
        place = user.location.strip()
        if not (place.isdigit() or place.rpartition(":")[2].isdigit()):
            return  # a function or an address
        try:
            sals = gdb.decode_line(place)[1] or ()
        except gdb.error:  # in a library that is not loaded yet
            return
        addresses = {e.pc for s in sals if s.symtab for e in s.symtab.linetable().line(s.line) or ()}
        addresses -= {s.pc for s in sals}
        self.others[user.number] = [OtherAddress(pc, user) for pc in sorted(addresses)]
        self.modified(user)

    def modified(self, user):
        for other in self.others.get(user.number, ()):
            other.condition, other.thread = user.condition, user.thread

    def deleted(self, user):
        self.others.pop(user.number, None)  # to delete the internal ones would crash gdb; they no longer stop


class Position:
    """Where the run is: the thread that runs, the events that each thread has performed."""

    point = os.environ.get("PF_GDB_POINT", "")  # where the last replay stopped: just before this event

    def __init__(self):
        try:
            scheduler = gdb.parse_and_eval("pf_scheduler")
            count = int(gdb.parse_and_eval("'context.c'::count"))
            table = gdb.parse_and_eval("'context.c'::table")
        except gdb.error as e:
            raise gdb.GdbError("pf-back needs the debug information of the runtime: %s" % e)
        current = scheduler["self"].dereference()
        self.thread = int(current["number"])
        self.events = {i: int(table[i]["events"]) for i in range(count)}
        # as pf_segment_events in scheduler_state.h
        left = int(current["grant_left"] if scheduler["every_event"] else current["tls"]["budget"])
        left += int(current["before_event"])
        self.events[self.thread] += int(scheduler["done"]) + int(scheduler["grant"]) - left
        # The event of the point counts already, although its access has not been performed.
        if Position.point == "T%d:%d" % (self.thread, self.events[self.thread]):
            self.events[self.thread] -= 1


def place_of(number):
    """gdb's number of the thread that the recording calls T<number>, and where it stands; None: it has ended."""
    here = gdb.selected_thread()
    wanted = int(gdb.parse_and_eval("'context.c'::table")[number]["fs"])
    found = None
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        if int(gdb.parse_and_eval("$fs_base")) != wanted:
            continue
        frame = newest_program_frame()
        line = frame.find_sal() if frame else None
        file = line.symtab.filename if line and line.symtab else None
        found = thread.num, (frame.name() if frame else None) or "?", " at %s:%d" % (file, line.line) if file else ""
    here.switch()
    return found


def say_access():
    """Says which access of the race the stop is, and where the thread of the other one stands."""
    first, _, second = os.environ.get("PF_GDB_RACE", "").partition("<")
    if not second or second != Position.point:
        return
    frame = gdb.selected_frame()
    try:
        other = place_of(int(first[1:].partition(":")[0]))
    except gdb.error:  # no symbols
        return
    print("photofinish: stopped before %s, the second access of the race" % second)
    if other:
        print("photofinish: the first one, %s, was made by thread %d, which is now in %s%s" % ((first,) + other))
    else:
        print("photofinish: the first one, %s, was made by a thread that has ended" % first)
    frame.select()


class Back(gdb.Command):
    """Go back in the replay.
pf-back [N]         to the Nth event before this one, of the thread that runs (default 1)
pf-back write X     to the last write of the variable (or other expression) X
pf-back access X    to the last access of X
The program is replayed from its start up to that event, so its output appears again. Breakpoints are kept."""

    def __init__(self):
        super().__init__("pf-back", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        word, _, expression = argument.strip().partition(" ")
        if word in ("write", "access") and expression:
            point = self.last(word, expression)
        elif word.isdigit() or not word:
            position = Position()
            event = position.events[position.thread] + 1 - int(word or 1)
            if event < 1:
                raise gdb.GdbError("thread %d has performed only %d events" %
                                   (position.thread, position.events[position.thread]))
            point = "T%d:%d" % (position.thread, event)
        else:
            raise gdb.GdbError("expected: pf-back [N], pf-back write X or pf-back access X")
        self.replay_to(point)

    def last(self, kind, expression):
        """The last access of the expression before the current position."""
        value = gdb.parse_and_eval(expression)
        if value.address is None:
            raise gdb.GdbError("%s is not in memory" % expression)
        position = Position()
        query = "%s %#x %d %s" % (kind, int(value.address), value.type.sizeof,
                                  " ".join("%d:%d" % e for e in position.events.items()))
        run = subprocess.run([os.environ["PF_GDB_PF"], "dump", "--last", query, os.environ["PF_GDB_CLIP"]],
                             capture_output=True, text=True)
        if run.returncode:
            raise gdb.GdbError(run.stderr.strip())
        if not run.stdout:
            raise gdb.GdbError("no %s of %s before this point" % (kind, expression))
        return run.stdout.split()[0]

    def replay_to(self, point):
        here, there = os.pipe()
        words = [os.environ["PF_GDB_PF"], "replay", "--gdb", "--tell", str(there), "--until", point]
        if os.environ.get("PF_GDB_PROGRAM"):
            words += ["--program", os.environ["PF_GDB_PROGRAM"]]
        subprocess.Popen(words + [os.environ["PF_GDB_CLIP"]], pass_fds=[there], start_new_session=True)
        os.close(there)
        with os.fdopen(here) as pipe:
            stopped = pipe.readline().split()
        if len(stopped) != 2:
            raise gdb.GdbError("the replay did not reach %s" % point)
        kill_all(None)
        gdb.execute("attach %s" % stopped[0], to_string=True)
        gdb.execute("set {unsigned int}%#x = 1" % int(gdb.convenience_variable("pf_go")))
        Position.point = point
        print("at %s" % point)
        go_to_event(int(stopped[1]))


# `step` enters the program's functions, not the runtime's.
for depth in ("*", "*/*", "*/*/*", "*/*/*/*"):
    gdb.execute("skip -gfi photofinish-rt/%s" % depth, to_string=True)
gdb.execute("skip -rfu ^(__)?pf_", to_string=True)
ProgramFrames()
if hasattr(gdb.events, "gdb_exiting"):
    gdb.events.gdb_exiting.connect(kill_all)
watch_traps()
LineBreakpoints()
Back()
go_to_event(int(gdb.convenience_variable("pf_point")))
say_access()
