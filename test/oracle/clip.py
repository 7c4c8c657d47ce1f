"""A second reader of recordings, written only from docs/format/clip.md and trace.md. It shares no code
with src/clip. It is slow and simple: every rule of the format is one statement.

    clip.read(path) -> Clip, or raises ValueError with the reason
"""

import ctypes
import ctypes.util
import struct
from collections import defaultdict
from dataclasses import dataclass, field

U64 = (1 << 64) - 1
SCHEDULE, INPUT, OUTPUT, EVENT, ADDRESS, VALUE, NAME, ENVIRONMENT, MEMORY = range(9)
META, END = 254, 255
CALL, RET = 24, 25  # kinds of events, in the order of src/abi/pf_event.def


# --- XXH64 ---


def xxh64(data, seed=0):
    p1, p2, p3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
    p4, p5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5

    def rotl(x, r):
        return (x << r | x >> (64 - r)) & U64

    def turn(acc, lane):
        return rotl((acc + lane * p2) & U64, 31) * p1 & U64

    at, n = 0, len(data)
    if n >= 32:
        v = [(seed + p1 + p2) & U64, (seed + p2) & U64, seed, (seed - p1) & U64]
        while at + 32 <= n:
            lanes = struct.unpack_from("<4Q", data, at)
            v = [turn(a, lane) for a, lane in zip(v, lanes)]
            at += 32
        h = (rotl(v[0], 1) + rotl(v[1], 7) + rotl(v[2], 12) + rotl(v[3], 18)) & U64
        for a in v:
            h = ((h ^ turn(0, a)) * p1 + p4) & U64
    else:
        h = (seed + p5) & U64
    h = (h + n) & U64
    while at + 8 <= n:
        h = (rotl(h ^ turn(0, struct.unpack_from("<Q", data, at)[0]), 27) * p1 + p4) & U64
        at += 8
    if at + 4 <= n:
        h = (rotl(h ^ struct.unpack_from("<I", data, at)[0] * p1 & U64, 23) * p2 + p3) & U64
        at += 4
    for byte in data[at:]:
        h = rotl(h ^ byte * p5 & U64, 11) * p1 & U64
    h = (h ^ h >> 33) * p2 & U64
    h = (h ^ h >> 29) * p3 & U64
    return h ^ h >> 32


def unzstd(data, raw):
    lib = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    lib.ZSTD_decompress.restype = ctypes.c_size_t
    lib.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    out = ctypes.create_string_buffer(raw)
    if lib.ZSTD_decompress(out, raw, data, len(data)) != raw:
        raise ValueError("a chunk cannot be decompressed")
    return out.raw


# --- the file ---


@dataclass
class Clip:
    meta: list
    end: list = None  # None: the recording is cut off
    streams: dict = field(default_factory=lambda: defaultdict(bytes))


def fields(data):
    out, at = [], 0
    while at < len(data):
        tag, n = struct.unpack_from("<II", data, at)
        out.append((tag, data[at + 8 : at + 8 + n]))
        at += 8 + n
    return out


def read(path):
    data = open(path, "rb").read()
    if data[:8] != b"\x89PFclip\n" or struct.unpack_from("<I", data, 8)[0] != 1:
        raise ValueError("not a recording of version 1")
    clip, at, streams = None, 16, defaultdict(list)
    lengths = defaultdict(int)
    while at + 32 <= len(data):
        magic, stream, codec, _, stored, raw, position, check = struct.unpack_from("<4sBBHIIQQ", data, at)
        body = data[at + 32 : at + 32 + stored]
        if magic != b"chnk" or len(body) < stored or xxh64(body, xxh64(data[at : at + 24])) != check:
            break
        content = unzstd(body, raw) if codec == 1 else body
        at += 32 + stored
        if stream == META:
            clip = Clip(fields(content))
            if dict(clip.meta).get(10, bytes(4)) not in (struct.pack("<I", v) for v in (0, 5)):
                raise ValueError("the version of the trace is not 5")
        elif stream == END:
            clip.end = fields(content)
            break
        elif position != lengths[stream]:
            break
        else:
            streams[stream].append(content)
            lengths[stream] += raw
    if clip is None:
        raise ValueError("the first chunk is not the description")
    for stream, parts in streams.items():
        clip.streams[stream] = b"".join(parts)
    return clip


# --- names and events ---


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        piece = self.data[self.at : self.at + n]
        if len(piece) < n:
            raise EOFError
        self.at += n
        return piece

    def byte(self):
        return self.take(1)[0]

    def varint(self):
        value = shift = 0
        while True:
            b = self.byte()
            value |= (b & 127) << shift
            shift += 7
            if b < 128:
                return value & U64

    def zigzag(self):
        v = self.varint()
        return v >> 1 if v & 1 == 0 else -(v >> 1) - 1

    def signed(self, n):
        return int.from_bytes(self.take(n), "little", signed=True)

    def text(self):
        return self.take(self.varint()).decode()


@dataclass
class Names:
    positions: dict = field(default_factory=dict)
    sites: dict = field(default_factory=dict)  # number -> (kind, size, positions)
    flags: dict = field(default_factory=dict)  # number -> 1 branch, 2 address
    short: dict = field(default_factory=dict)  # number -> (kind, size) in the short form
    variables: list = field(default_factory=list)
    threads: dict = field(default_factory=dict)


def names(clip):
    n, b = Names(), Bytes(clip.streams[NAME])
    while b.at + 4 <= len(b.data):
        r = Bytes(b.take(struct.unpack("<I", b.take(4))[0]))
        what = r.varint()
        if what == 1:
            number = r.varint()
            n.positions[number] = (r.text(), r.text(), r.text(), r.varint())
        elif what == 2:
            number, kind, size = r.varint(), r.varint(), r.varint()
            n.sites[number] = [r.varint() for _ in range(r.varint())]
            n.flags[number] = r.varint() if r.at < len(r.data) else 3
            if kind <= 1:
                n.short[number] = (kind, size)
        elif what == 3:
            n.variables.append((r.varint(), r.varint(), r.text()))
        elif what == 4:
            number, parent, site = r.varint(), r.varint(), r.varint()
            n.threads[number] = (parent, site, r.text())
    return n


@dataclass
class Event:
    thread: int
    index: int
    kind: int
    site: int
    what: int = 0
    more: int = 0
    value: int = None
    old: int = None
    flags: int = 0
    data: bytes = b""
    attached: bool = False


class Site:
    def __init__(self):
        self.addr = self.value = self.stride = self.offset = self.near = self.step = 0
        self.next = [0, 0]
        self.shape = None  # kind, flags, second operand, event flags, skipped


class Thread:
    def __init__(self):
        self.site = self.index = self.pointer = self.near = self.operand = 0
        self.open = []  # its active calls: (site, function)


class Predictor:
    """The state that the writer and the reader keep identical."""

    WIDTHS = [0, 0, 0, 1, 2, 3, 4, 8]

    def __init__(self, clip):
        self.addr, self.val = Bytes(clip.streams[ADDRESS]), Bytes(clip.streams[VALUE])
        self.sites, self.threads = defaultdict(Site), defaultdict(Thread)
        self.cells = {14: {}, 16: {}}
        self.range = 0

    def follow(self, t, site):
        before = self.sites[t.site]
        if before.next[0] != site:
            before.next = [site, before.next[0]]
        t.site = site

    def site(self, t, code):
        site = t.site + self.addr.zigzag() if code == 2 else self.sites[t.site].next[code]
        self.follow(t, site)
        return site

    def step_address(self, s, t, at):
        s.stride, s.offset, s.near = at - s.addr, at - t.pointer, at - t.near
        s.addr = t.near = at

    def address(self, s, t, how, first):
        guess = [first, t.pointer + s.offset, t.near + s.near]
        at = (guess[how] if how < 3 else s.addr + self.addr.signed(self.WIDTHS[how])) & U64
        self.step_address(s, t, at)
        return at

    @staticmethod
    def cell(at, bits):
        return (at >> 3) + 5 * (at >> 16) + (at << bits - 3) & (1 << bits) - 1

    def held(self, at, otherwise, bits=14):
        where, value = self.cells[bits].get(self.cell(at, bits), (0, 0))
        return value if where == at else otherwise

    def hold(self, at, value, bits=14):
        self.cells[bits][self.cell(at, bits)] = (at, value)

    def point(self, t, value, size):
        if size == 8 and 1 << 16 <= value < (1 << 47) + (1 << 16):
            t.pointer = value

    def plain(self, s, t, at, how, size):
        """The value of a plain access of up to 8 bytes."""
        if how == 0:
            value = self.held(at, s.value)
        elif how < 3:
            value = s.value + (s.step if how == 2 else 0)
        else:
            value = s.value + self.val.signed(self.WIDTHS[how])
        value &= (1 << 8 * size) - 1
        step = value - s.value & (1 << 8 * size) - 1
        s.step = step - (1 << 8 * size) if step >> 8 * size - 1 else step
        s.value = value
        self.hold(at, value)
        self.point(t, value, size)
        return value

    def wide(self, at, how, size):
        """The bytes of a plain access of more than 8 bytes."""
        given, data = 0 if how == 0 else 255 if how == 1 else self.val.byte(), b""
        for k in range(size // 8):
            here = at + 8 * k & U64
            word = int.from_bytes(self.val.take(8), "little") if given >> k & 1 else self.held(here, 0, 16)
            self.hold(here, word, 16)
            data += word.to_bytes(8, "little")
        return data

    def contents(self, e, s, t, has):
        """Reads the values and bytes of an event in long form."""
        base = self.held(e.what, s.value) if has & 1 else s.value
        if has & 8:
            base = e.old = base + self.val.zigzag() & U64
        if has & 4:
            e.value = s.value = base + self.val.zigzag() & U64
            if has & 1:
                self.hold(e.what, e.value)
            self.point(t, e.value, e.more)
        if has & 32:
            e.data = self.val.take(self.val.varint())


def long_form(b, head, now, t):
    has = b.addr.byte()
    e = Event(now, 0, (head >> 2) - 2, t.site + b.addr.zigzag(), attached=bool(has & 64))
    b.follow(t, e.site)
    s, skip = b.sites[e.site], 0
    if has & 1:
        e.what = t.operand = s.addr + b.addr.zigzag() & U64
        b.step_address(s, t, e.what)
    if has & 2:
        e.more = b.addr.varint()
    if has & 16:
        e.flags = b.addr.byte()
    if has & 128:
        skip = b.addr.varint()
    s.shape = (e.kind, has, e.more, e.flags, skip)
    b.contents(e, s, t, has)
    e.index = t.index = t.index + skip + (not e.attached) & U64
    return e


def again(b, head, now, t):
    site = b.site(t, head >> 2 & 3)
    s = b.sites[site]
    kind, has, more, flags, skip = s.shape
    at = b.address(s, t, head >> 4 & 7, t.operand)
    t.operand = at
    e = Event(now, 0, kind, site, at, more, flags=flags, attached=bool(has & 64))
    b.contents(e, s, t, has)
    e.index = t.index = t.index + skip + (not e.attached) & U64
    return e


def call(b, head, now, t):
    """A call like the last one at its site, the end of a call, or a range that a call reaches."""
    what = head >> 2
    if what == 35:
        site, function = t.open.pop()
        return Event(now, t.index, RET, site, function, attached=True)
    if what == 51:
        at = b.addr.zigzag() & U64
        size = b.addr.varint()
        if size:  # else a callback begins or has ended
            at = b.range + at & U64
            b.range = at + size & U64
        return Event(now, t.index, CALL, t.site, at, size, attached=True)
    site = b.site(t, (what - 39) // 4)
    s = b.sites[site]
    t.index = t.index + s.shape[4] + 1 & U64
    return Event(now, t.index, CALL, site, s.addr, value=s.value)


def other(b, head, now, t):
    if head >> 2 >= 32 and head >> 2 & 3 == 3:
        e = call(b, head, now, t)
    else:
        e = (again if head >> 2 >= 32 else long_form)(b, head, now, t)
    if e.kind == CALL and not e.attached:
        t.open.append((e.site, e.what))
    return e


def events(clip, n):
    """Yields all events in order; stops where a stream ends."""
    b, now = Predictor(clip), None
    for head in clip.streams[EVENT]:
        try:
            code, t = head & 3, b.threads[now] if now is not None else None
            if code == 3 and head >> 2 == 0:
                now = b.addr.varint()
            elif code == 3 and head >> 2 == 1:
                t.index = t.index + b.addr.zigzag() & U64
            elif code == 3:
                yield other(b, head, now, t)
            else:
                site = b.site(t, code)
                s, (kind, size) = b.sites[site], n.short[site]
                at = b.address(s, t, head >> 2 & 7, s.addr + s.stride)
                t.index = t.index + 1 & U64
                if size > 8:
                    yield Event(now, t.index, kind, site, at, size, data=b.wide(at, head >> 5, size))
                else:
                    yield Event(now, t.index, kind, site, at, size, b.plain(s, t, at, head >> 5, size))
        except EOFError:
            return
