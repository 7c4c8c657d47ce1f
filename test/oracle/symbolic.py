"""symbolic.py - a second reader of the expression log (docs/format/symbolic.md), and an evaluator that shares no code with
the engine or the solver.

check(clip) evaluates every node under the input of the run itself. It yields every operand, condition and address
whose recorded value differs.
"""
import struct
from dataclasses import dataclass, field

STREAM = 9
SOURCE, DATA, CONDITION, ADDRESS, SITE, LOST, OUTPUT, TEXT, NODE = range(2, 11)
OPS = ("none input number length add sub mul udiv sdiv urem srem shl lshr ashr and or xor eq ne ult ule ugt uge slt sle sgt "
       "sge zext sext extract concat select ctpop ctlz cttz bswap bitreverse").split()
CHECK_X, CHECK_Y = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
LEAVES = ("input", "number", "length")
UNARY = ("zext", "sext", "extract", "ctpop", "ctlz", "cttz", "bswap", "bitreverse")
LOSSES = ("floating-point operation", "integer of more than 64 bits", "vector operation", "operation without a model",
          "call of a function without a model", "memory overwritten by code without events",
          "input beyond the limit of its source", "jump or call through a pointer", "result of a musttail call")


@dataclass
class Record:
    kind: int
    op: int
    bits: int
    a: int
    b: int
    c: int
    x: int
    y: int
    text: bytes = b""


@dataclass
class Log:
    nodes: list = field(default_factory=lambda: [None])  # by label
    sources: dict = field(default_factory=dict)  # number -> name
    data: dict = field(default_factory=dict)  # source -> {offset: byte}
    conditions: list = field(default_factory=list)
    addresses: list = field(default_factory=list)
    sites: dict = field(default_factory=dict)  # number -> (function, file, line, column)
    lost: dict = field(default_factory=dict)  # (reason, name) -> how often
    outputs: list = field(default_factory=list)
    texts: list = field(default_factory=list)
    order: list = field(default_factory=list)


def name_operands(r, label):
    """Turns distances into labels."""
    name = OPS[r.op]
    if name in LEAVES:
        return
    for key in ["a"] + ["b"] * (name not in UNARY) + ["c"] * (name == "select"):
        distance = getattr(r, key)
        if distance >= label:
            raise ValueError(f"node {label}: operand {key} is {distance} nodes before it")
        setattr(r, key, label - distance if distance else 0)


def read(data):
    """Parses the stream."""
    log, at = Log(), 0
    while at + 32 <= len(data):
        r = Record(*struct.unpack_from("<BBHIIIQQ", data, at))
        at += 32
        n = {SOURCE: r.b, DATA: r.b, LOST: r.b, SITE: r.c, TEXT: r.b}.get(r.kind, 0)
        r.text = data[at:at + n]
        at += (n + 31) & ~31
        log.order.append(r)
        if r.kind == NODE:
            name_operands(r, len(log.nodes))
            log.nodes.append(r)
        elif r.kind == SOURCE:
            log.sources[r.a] = r.text.decode()
        elif r.kind == DATA:
            log.data.setdefault(r.a, {}).update({r.x + i: v for i, v in enumerate(r.text)})
        elif r.kind == CONDITION:
            log.conditions.append(r)
        elif r.kind == ADDRESS:
            log.addresses.append(r)
        elif r.kind == SITE:
            function, file = r.text.split(b"\0")[:2]
            log.sites[r.a] = (function.decode(), file.decode(), r.b, r.x)
        elif r.kind == LOST:
            log.lost[LOSSES[r.op], r.text.decode()] = r.x
        elif r.kind == OUTPUT:
            log.outputs.append(r)
        elif r.kind == TEXT:
            log.texts += [r] if r.c else []
            piece = bytes(log.data[r.a][r.x + i] for i in range(r.c))  # none if c is 0
            if r.c and (r.b == r.c or b"\0" in piece):
                raise ValueError(f"{piece} and {r.text}: not a comparison of strings with different lengths")
        else:
            raise ValueError(f"unknown kind {r.kind} at offset {at - 32}")
    if at != len(data):
        raise ValueError(f"{len(data) - at} bytes left")
    return log


def signed(v, bits):
    return v - (1 << bits) if v >> (bits - 1) & 1 else v


def number_of(text, base):
    """The value of text as strtol sees it."""
    s = text.decode("latin-1").strip(" \t\n\v\f\r")
    sign = -1 if s.startswith("-") else 1
    s = s.lstrip("+-")
    hexadecimal = base in (0, 16) and s[:2].lower() == "0x"
    if hexadecimal:
        s = s[2:]
    if base == 0:
        base = 16 if hexadecimal else 8 if s.startswith("0") else 10
    return sign * int(s, base) if s else 0


def divide(op, a, b, bits):
    if op in ("udiv", "urem"):
        return (a // b if b else -1) if op == "udiv" else (a % b if b else a)
    a, b = signed(a, bits), signed(b, bits)
    if b == 0:
        return (1 if a < 0 else -1) if op == "sdiv" else a
    q = abs(a) // abs(b)
    q = -q if (a < 0) != (b < 0) else q
    return q if op == "sdiv" else a - q * b


def apply(name, r, a, b, c):
    """The value of an operator; a, b: operands; c: the value of the node c of a select."""
    compare = {"eq": a == b, "ne": a != b, "ult": a < b, "ule": a <= b, "ugt": a > b, "uge": a >= b}
    if name in compare:
        return int(compare[name])
    if name in ("slt", "sle", "sgt", "sge"):
        p, q = signed(a, r.c), signed(b, r.c)
        return int({"slt": p < q, "sle": p <= q, "sgt": p > q, "sge": p >= q}[name])
    if name in ("udiv", "sdiv", "urem", "srem"):
        return divide(name, a, b, r.bits)
    if name in ("shl", "lshr", "ashr"):
        shift = min(b, r.bits)
        return {"shl": a << shift, "lshr": a >> shift, "ashr": signed(a, r.bits) >> shift}[name]
    binary = {"add": a + b, "sub": a - b, "mul": a * b, "and": a & b, "or": a | b, "xor": a ^ b}
    if name in binary:
        return binary[name]
    text = format(a, f"0{r.bits}b")[-r.bits:]
    return {
        "zext": lambda: a,
        "sext": lambda: signed(a, r.c),
        "extract": lambda: a >> r.b,
        "concat": lambda: a << r.c | b,
        "select": lambda: a if c else b,
        "ctpop": lambda: text.count("1"),
        "ctlz": lambda: len(text) - len(text.lstrip("0")),
        "cttz": lambda: len(text) - len(text.rstrip("0")),
        "bswap": lambda: int.from_bytes(a.to_bytes(r.bits // 8, "little"), "big"),
        "bitreverse": lambda: int(text[::-1], 2),
    }[name]()


def evaluate(log, data):
    """The values of all nodes, by label, with these contents of the sources. Yields (label, value, wrong): wrong names an
    operand whose recorded value differs."""
    values = [0]
    for label, r in enumerate(log.nodes[1:], 1):
        name, wrong = OPS[r.op], None
        if name == "input":
            v = data[r.a].get(r.x, 0)
        elif name == "number":
            v = number_of(bytes(data[r.a][r.x + i] for i in range(r.b)), r.c)
        elif name == "length":
            v = r.y
        else:
            a, b = operands(r, values)
            if r.a and r.x:
                wrong = f"operand a is {a:#x}, recorded {a ^ r.x:#x}"
            elif r.b and name not in UNARY and r.y:
                wrong = f"operand b is {b:#x}, recorded {b ^ r.y:#x}"
            v = apply(name, r, a, b, values[r.c] if name == "select" else 0)
        values.append(v & (1 << r.bits) - 1)
        yield label, values[-1], wrong


def operands(r, values):
    """The values of the operands of a node."""
    return values[r.a] if r.a else r.x, values[r.b] if r.b and OPS[r.op] not in UNARY else r.y


def check(log):
    """Yields a text for everything that does not hold under the input of the run."""
    values = [0]
    for label, value, wrong in evaluate(log, log.data):
        values.append(value)
        if wrong:
            yield f"node {label} ({OPS[log.nodes[label].op]}): {wrong}"
    for r in log.conditions:
        node = log.nodes[r.a]
        if node.bits != 1 or values[r.a] != r.bits & 1:
            yield f"condition on node {r.a}: {values[r.a]:#x}, recorded {r.bits & 1}"
        x, y = operands(node, values)
        if (x * CHECK_X + y * CHECK_Y & (1 << 64) - 1) >> 49 != r.bits >> 1:
            yield f"condition on node {r.a}: its operands are {x:#x} and {y:#x}, recorded are others"
    for r in log.addresses:
        if values[r.a] != r.y:
            yield f"address {values[r.a]:#x}, recorded {r.y:#x}"


def show(log, label, depth=6):
    """A node as text."""
    r = log.nodes[label]
    name = OPS[r.op]
    if name in LEAVES:
        where = log.sources[r.a] + ("" if name == "length" else f"+{r.x}")
        return f"{name}({where}{f'..{r.x + r.b}' if name == 'number' else ''})"
    if depth == 0:
        return "..."
    operands = [show(log, r.a, depth - 1) if r.a else hex(r.x)]
    if name == "select":
        operands = [show(log, r.c, depth - 1)] + operands
    if name == "extract":
        operands.append(str(r.b))
    elif name not in UNARY:
        operands.append(show(log, r.b, depth - 1) if r.b else hex(r.y))
    return f"{name}{r.bits}({', '.join(operands)})"
