# What `pf replay --gdb` tells gdb: which thread is at the point, and which frames are the runtime's.
#
# Every thread but one waits in the runtime for its turn; `bt` leaves out the runtime's frames
# (`bt -no-filters` shows them). The thread at the point stands in the runtime too, just before its event:
# it is let out, to the very instruction, where that is an access of the program's own code.
import gdb


def is_ours(frame):
    if frame.type() == gdb.SIGTRAMP_FRAME:
        return frame.newer() is not None
    symtab = frame.find_sal().symtab
    if symtab is not None:
        return "photofinish-rt/" in symtab.filename
    name = frame.name()
    return name is not None and name.startswith(("pf_", "__pf_"))


class Program:
    """A frame filter: what is left is the program's."""

    def __init__(self):
        self.name, self.priority, self.enabled = "photofinish", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        frames = list(frames)
        theirs = [f for f in frames if not is_ours(f.inferior_frame())]
        return iter(theirs or frames)


def first_of_program():
    frame = gdb.newest_frame()
    while frame is not None and is_ours(frame):
        frame = frame.older()
    return frame


def go_to_point():
    tid = int(gdb.convenience_variable("pf_point"))
    for thread in gdb.selected_inferior().threads():
        if thread.ptid[1] == tid:
            thread.switch()
    frame = first_of_program()
    if frame is None:
        return
    within = frame.newer()
    if within is not None and (within.name() or "").startswith("__pf_event_"):
        stop = gdb.Breakpoint("*%d" % frame.pc(), internal=True, temporary=True)
        stop.thread = gdb.selected_thread().global_num
        gdb.execute("continue", to_string=True)
    else:
        frame.select()
    gdb.execute("frame")


def pass_traps():
    """The runtime has breakpoints of its own, in loops that wait (spin_detect.c): their traps are for it. gdb then hands on
    those of its own steps too, so this is not done without need."""
    asks = gdb.parameter("confirm")
    gdb.execute("set confirm off")
    gdb.execute("handle SIGTRAP nostop noprint pass", to_string=True)
    gdb.execute("set confirm %s" % ("on" if asks else "off"))


class Planted(gdb.Breakpoint):
    """The runtime plants the first of them while gdb is there."""

    def stop(self):
        pass_traps()
        return False


def watch_traps():
    try:
        planted = int(gdb.parse_and_eval("*(unsigned *)&pf_spun_points"))
        Planted("*(long)pf_spun_planted", internal=True)
    except gdb.error:  # no symbols
        planted = 1
    if planted:
        pass_traps()


def end(_):
    for inferior in gdb.inferiors():
        if inferior.pid:
            gdb.execute("kill inferiors %d" % inferior.num, to_string=True)


# `step` goes into the program's functions, not into ours.
for depth in ("*", "*/*", "*/*/*"):
    gdb.execute("skip -gfi photofinish-rt/%s" % depth, to_string=True)
gdb.execute("skip -rfu ^(__)?pf_", to_string=True)
Program()
if hasattr(gdb.events, "gdb_exiting"):
    gdb.events.gdb_exiting.connect(end)
watch_traps()
go_to_point()
