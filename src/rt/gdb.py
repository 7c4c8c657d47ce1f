# gdb.py - loaded into gdb by `pf replay --gdb`: selects the thread at the requested event, and hides the
# runtime's frames.
#
# Every other thread waits in the runtime for its turn; `bt` leaves out the runtime's frames (`bt -no-filters`
# shows them). The thread at the event is in the runtime too, just before its event. If the event is an access in
# the program's own code, the thread is run up to the very instruction.
import gdb


def is_runtime_frame(frame):
    if frame.type() == gdb.SIGTRAMP_FRAME:
        return frame.newer() is not None
    symtab = frame.find_sal().symtab
    if symtab is not None:
        return "photofinish-rt/" in symtab.filename
    name = frame.name()
    return name is not None and name.startswith(("pf_", "__pf_"))


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


def go_to_event():
    tid = int(gdb.convenience_variable("pf_point"))
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
    """Passes SIGTRAP to the program: the runtime sets its own breakpoints in spin loops (spin_detect.c). gdb then
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
        breakpoints = int(gdb.parse_and_eval("*(unsigned *)&pf_spin_detect_breakpoints"))
        FirstTrapSet("*(long)pf_spin_detect_planted", internal=True)
    except gdb.error:  # no symbols
        breakpoints = 1
    if breakpoints:
        pass_traps()


def kill_all(_):
    for inferior in gdb.inferiors():
        if inferior.pid:
            gdb.execute("kill inferiors %d" % inferior.num, to_string=True)


# `step` enters the program's functions, not the runtime's.
for depth in ("*", "*/*", "*/*/*", "*/*/*/*"):
    gdb.execute("skip -gfi photofinish-rt/%s" % depth, to_string=True)
gdb.execute("skip -rfu ^(__)?pf_", to_string=True)
ProgramFrames()
if hasattr(gdb.events, "gdb_exiting"):
    gdb.events.gdb_exiting.connect(kill_all)
watch_traps()
go_to_event()
