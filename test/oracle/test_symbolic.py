"""test_symbolic.py - symbolic runs of random programs with integer code.

Each program computes values from the bytes of its argument, with integers of all widths, arrays, structs, copies and
branches, and ends with comparisons of the results. It runs with several inputs. For each run, the expression log must
be true under its own input, and nothing may be lost. And it must predict: if all conditions of run A hold under the
input of run B, then both runs took the same path, and the expressions of A under the input of B have the values that
B computed.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import clip
import symbolic

PF, WORK = os.environ["PF"], Path(os.environ["WORK"])
PROGRAMS = int(os.environ.get("PF_SYMBOLIC_PROGRAMS", "6"))
FIRST = int(os.environ.get("PF_SYMBOLIC_SEED", "1"))
INPUTS = 6
BYTES = 8
TYPES = ["int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t"]


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.variables = []  # (name, type)
        self.lines = []

    def new(self, text, kind=None):
        kind = kind or self.random.choice(TYPES)
        name = f"v{len(self.variables)}"
        self.lines.append(f"    {kind} {name} = ({kind})({text});")
        self.variables.append((name, kind))
        return name

    def value(self):
        pick = self.random.random()
        if pick < 0.15 or not self.variables:
            return f"in[{self.random.randrange(BYTES)}]"
        if pick < 0.3:
            return str(self.random.choice([0, 1, 2, 7, 13, 100, 127, 128, 255, 256, 65535, 1000003]))
        return self.random.choice(self.variables)[0]

    def unsigned(self):
        return f"(uint64_t)({self.value()})"

    def step(self):
        r = self.random
        kind = r.randrange(17)
        if kind < 4:
            self.new(f"{self.unsigned()} {r.choice(['+', '-', '*', '&', '|', '^'])} {self.unsigned()}")
        elif kind == 4:
            self.new(f"(uint32_t)({self.value()}) {r.choice(['<<', '>>'])} ({self.value()} & 31)")
        elif kind == 5:
            self.new(f"(int64_t)({self.value()}) >> ({self.value()} & 63)")
        elif kind == 6:
            self.new(f"{self.unsigned()} {r.choice(['/', '%'])} ({self.unsigned()} | 1)")
        elif kind == 7:
            self.new(f"(int32_t)({self.value()}) {r.choice(['/', '%'])} ((int32_t)({self.value()}) & 63 | 1)")
        elif kind == 8:
            op = r.choice(["<", "<=", ">", ">=", "==", "!="])
            cast = r.choice(["(int32_t)", "(uint16_t)", "(int64_t)", "(uint64_t)", "(int8_t)"])
            self.new(f"{cast}({self.value()}) {op} {cast}({self.value()}) ? {self.value()} : {self.value()}")
        elif kind == 9:
            name = r.choice(["__builtin_popcount", "__builtin_bswap32", "__builtin_bswap64", "__builtin_bitreverse32",
                             "turn", "least", "most"])
            self.new(f"{name}({self.value()})" if name[0] == "_" else f"{name}({self.value()}, {self.value()})")
        elif kind == 10:
            self.new(f"__builtin_clz((uint32_t)({self.value()}) | 1) + __builtin_ctzll({self.unsigned()} | 256)")
        elif kind == 11:  # through memory, at another offset and width
            at, kind = r.randrange(5), r.choice(TYPES)
            a, b = self.unsigned(), self.unsigned()
            self.lines.append(f"    words[0] = {a}; words[1] = {b};")
            self.lines.append(f"    memcpy(bytes, words, sizeof bytes);")
            name = f"v{len(self.variables)}"
            self.lines.append(f"    {kind} {name}; memcpy(&{name}, bytes + {at}, sizeof {name});")
            self.variables.append((name, kind))
        elif kind == 12:
            self.new(f"mix({self.value()}, {self.value()}, {self.value()})")
        elif kind == 13:
            self.new(f"sum({self.value()})")
        elif kind == 14:  # loops whose accesses are tested before them
            self.lines.append("    " + r.choice([f"scale(to, from, (uint32_t)({self.value()}), {self.value()});",
                                                 "copy(to + 1, from);", "add_up(from);"]))
        elif kind == 15:
            self.lines.append(f"    from[{r.randrange(48)}] = (uint32_t)({self.value()});")
        else:
            self.new(r.choice([f"to[{r.randrange(48)}]", f"from[{r.randrange(48)}]", "fold(to)"]))

    def text(self):
        for _ in range(24):
            self.step()
        ends = [f"    if ((uint64_t){v} == 0x123456789u) puts(\"{v}\");" for v, _ in self.variables[-6:]]
        return "\n".join([HEAD, "int main(int argc, char **argv)", "{", "    if (argc < 2) return 2;",
                          "    const unsigned char *in = (const unsigned char *)argv[1];",
                          "    uint64_t words[2]; unsigned char bytes[16];", *self.lines, *ends,
                          "    return (int)words[0] & 0;", "}", ""]).replace("uint64_t words[2];",
                                                                              "uint64_t words[2] = {0};")


HEAD = """#include <stdint.h>
#include <stdio.h>
#include <string.h>
int count = 40;
uint32_t from[64], to[64];
__attribute__((noinline)) static void scale(uint32_t *a, const uint32_t *b, uint32_t by, uint32_t plus)
{
    for (int i = 0; i < count; i++)
        a[i] = b[i] * by + plus;
}
__attribute__((noinline)) static void copy(uint32_t *restrict a, const uint32_t *restrict b)
{
    for (int i = 0; i < count; i++)
        a[i] = b[i] ^ 5;
}
__attribute__((noinline)) static void add_up(uint32_t *a)
{
    for (int i = 1; i < count; i++)
        a[i] += a[i - 1];
}
__attribute__((noinline)) static uint32_t fold(const uint32_t *a)
{
    uint32_t s = 1;
    for (int i = 0; i < count; i++)
        s = s * 3 + a[i];
    return s;
}
struct pair { uint32_t a; uint16_t b; uint8_t c; };
static uint32_t turn(uint32_t v, unsigned n) { n &= 31; return v << n | v >> (-n & 31); }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static uint32_t most(uint32_t a, uint32_t b) { return a > b ? a : b; }
__attribute__((noinline)) static struct pair make(uint64_t a, uint64_t b)
{
    return (struct pair){(uint32_t)(a + b), (uint16_t)(a ^ b), (uint8_t)b};
}
__attribute__((noinline)) static uint64_t mix(uint64_t a, uint32_t b, int8_t c)
{
    struct pair p = make(a, b);
    p.b += (uint16_t)c;
    return p.a * 31ull + p.b * 7u + p.c;
}
__attribute__((noinline)) static uint32_t sum(uint64_t v)
{
    uint32_t s = 0;
    for (int i = 0; i < 8; i++)
        s = s * 17 + (uint8_t)(v >> 8 * i);
    return s;
}
"""


def run(exe, text):
    file = WORK / "run.clip"
    words = [PF, "record", "--symbolic", "--input=argv", "-o", str(file), "--", str(exe), text]
    plain = subprocess.run([str(exe), text], capture_output=True, env={"PF_OPTIONS": "quiet=1"})
    result = subprocess.run(words, capture_output=True)
    assert (result.returncode, result.stdout) == (plain.returncode, plain.stdout), (words, result.stderr)
    return symbolic.read(clip.read(file).streams[symbolic.STREAM])


def holds(log, data):
    """The values under this input if all conditions and addresses of the log hold, else None."""
    values = [0] + [value for _, value, _ in symbolic.evaluate(log, data)]
    ok = all(values[r.a] == r.bits & 1 for r in log.conditions) and all(values[r.a] == r.y for r in log.addresses)
    return values if ok else None


def compare(a, b):
    """Run b against what run a predicts. Returns 1 if a says something about it."""
    values = holds(a, b.data)
    if values is None:
        return 0
    actual = [0] + [value for _, value, _ in symbolic.evaluate(b, b.data)]
    assert len(a.conditions) == len(b.conditions), "the same path has another number of conditions"
    for p, q in zip(a.conditions, b.conditions):
        node, other = a.nodes[p.a], b.nodes[q.a]
        assert (node.op, node.c) == (other.op, other.c), (symbolic.show(a, p.a), symbolic.show(b, q.a))
        if node.op in range(symbolic.OPS.index("eq"), symbolic.OPS.index("sge") + 1) and node.a:
            x, _ = symbolic.operands(other, actual)
            assert values[node.a] == x, (symbolic.show(a, p.a), hex(values[node.a]), hex(x))
    return 1


def test(seed, level):
    exe, source = WORK / "program", WORK / f"program{seed}.c"
    source.write_text(Program(seed).text())
    subprocess.run([PF, "cc", "--symbolic", f"-{level}", "-w", "-o", exe, source], check=True)
    pick = random.Random(seed + 1000)
    logs = [run(exe, "".join(chr(pick.randrange(33, 127)) for _ in range(BYTES))) for _ in range(INPUTS)]
    predicted = 0
    for log in logs:
        bad = list(symbolic.check(log))
        assert not bad, bad[:3]
        losses = [x for x in log.lost if x != ("call of a function without a model", "puts")]
        assert not losses, losses
        predicted += sum(compare(log, other) for other in logs if other is not log)
    return predicted, sum(len(log.conditions) for log in logs)


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    total = conditions = 0
    for seed in range(FIRST, FIRST + PROGRAMS):
        for level in ("O0", "O2"):
            try:
                predicted, n = test(seed, level)
            except AssertionError as e:
                print(f"seed {seed}, -{level}: {e}")
                raise
            total += predicted
            conditions += n
    print(f"{PROGRAMS} programs at two levels, {conditions} conditions, {total} predictions of other runs")
    assert total > PROGRAMS and conditions > 10 * PROGRAMS


if __name__ == "__main__":
    main()
