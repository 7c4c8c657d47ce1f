"""Programs from Debian source whose races have a known class (real_truth.txt): fetches, builds, records and judges them."""
import calendar
import fnmatch
import hmac
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from real import fetch, load  # noqa: E402


def truth():
    """-> [(program, variable, function, function, class, reason)]"""
    lines = []
    for line in (HERE / "real_truth.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            words, reason = line.split(": ", 1)
            lines.append((*words.split(), reason))
    return lines


def matches(function, pattern):
    """function: NAME:LINE; pattern: of the name, or of both"""
    return fnmatch.fnmatch(function if pattern.rsplit(":", 1)[-1].isdigit() else function.rsplit(":", 1)[0], pattern)


def true_class(rules, program, variable, functions):
    """-> the class of a race, or None. functions: two, each as NAME:LINE"""
    for name, v, f, g, kind, _ in rules:
        if name == program and fnmatch.fnmatch(variable, v):
            for x, y in (functions, functions[::-1]):
                if matches(x, f) and matches(y, g):
                    return kind
    return None


def video(folder):
    """-> a small film: 4 frames of 32 x 32 in YUV 4:2:0"""
    path = folder / "film.yuv"
    r = random.Random(1)
    path.write_bytes(bytes((i * 7 + r.randrange(30)) % 256 for i in range(4 * 32 * 32 * 3 // 2)))
    return path


def genome(folder):
    """-> (reference, reads): a random sequence, and pieces of it with a few errors"""
    r = random.Random(1)
    text = "".join(r.choice("ACGT") for _ in range(6000))
    reference, reads = folder / "reference.fa", folder / "reads.fa"
    reference.write_text(">reference\n" + text + "\n")
    with open(reads, "w") as f:
        for i in range(4):
            at = r.randrange(5000)
            f.write(">read%d\n%s\n" % (i, text[at:at + 400] + "A" + text[at + 400:at + 900]))
    return reference, reads


def reads_and_index(folder, binary):
    """-> the words of bwa; makes its index"""
    reference, reads = genome(folder)
    subprocess.run([binary, "index", reference], capture_output=True, check=True)
    return ["mem", "-t", "2", "-K", "1000", reference, reads]


def secret(folder):
    """-> (dictionary, file): a file that is encrypted with one of the passwords of the dictionary"""
    words, text, file = folder / "dictionary.txt", folder / "plain.txt", folder / "secret.bin"
    words.write_text("apple\nbanana\ncherry\nsecret\nplum\ngrape\n")
    text.write_text("readable text\n" * 20)
    subprocess.run(["openssl", "enc", "-aes-256-cbc", "-md", "md5", "-pass", "pass:secret", "-in", text, "-out", file], capture_output=True, check=True)
    return words, file


GLIBC = """0128e83b 00dafa31 009f4828 00f66443 00bee24d 00817005 00cb918f 00a64845 0069c3cf 00a76dbd 0090a848 0057025f
    0089126c 007d9a8f 0048252a 006fb2d4 006ccc15 003c5744 005a998f 005df917 0032ed77 00492688 0050e901 002b5f57 003acd0b
    00456b7a 0025413d 002f11f4 003b564d 00203f14 002589fc 003283f8 001c17e4 001dd823"""


def nonce(seed):
    """-> the first four numbers of random() of glibc, as bytes: what such a router makes of the time"""
    table, words = [int(w, 16) for w in GLIBC.split()], [0, 0, 0, 0]
    for j in range(31):
        words = [(w + seed * table[j + 3 - i]) & 0xffffffff for i, w in enumerate(words)]
        seed = seed * 16807 % 0x7fffffff
    return b"".join((w >> 1).to_bytes(4, "big") for w in words)


def handshake(*_):
    """-> the words of pixiewps for a router with the PIN 12345670, whose nonce was made 300 s before the end of January 2020 and whose secrets one second later"""
    r, made = random.Random(1), calendar.timegm((2020, 2, 1, 0, 0, 0)) - 300
    enrollee, registrar, key = r.randbytes(192), r.randbytes(192), r.randbytes(32)

    def mac(data):
        return hmac.new(key, data, "sha256").digest()

    hashes = [mac(nonce(made + 1) + mac(half)[:16] + enrollee + registrar) for half in (b"1234", b"5670")]
    return ["--mode", "3", "--jobs", "2", "--start", "01/2020", "--end", "02/2020", "-e", enrollee.hex(), "-r", registrar.hex(), "-a", key.hex(),
            "-n", nonce(made).hex(), "-s", hashes[0].hex(), "-z", hashes[1].hex()]


def texts(folder):
    """-> the words of ag; writes eight small files"""
    files = folder / "texts"
    files.mkdir(exist_ok=True)
    for i in range(8):
        (files / f"{i}.txt").write_text(f"a line\nthe word is here, {i}\n" * 3)
    return ["--workers", "2", "--noaffinity", "--nocolor", "word", files]


def numbers(folder):
    """-> a file of random bytes"""
    path = folder / "data.bin"
    path.write_bytes(random.Random(1).randbytes(300000))
    return path


def without(path):
    """-> the path, at which no file is left"""
    path.unlink(missing_ok=True)
    return path


class RealProgram:
    """name of the source package, steps of the build with {cc}, {c++} and {here} (this folder), the binary, a function (folder, binary) -> words of the run, the policy,
    functions that are not recorded (those that fill tables before there are threads, or only compute), more options of pf judge, and a name of its own, if
    the package is in the list more than once"""

    def __init__(self, source, steps, binary, words, schedule="rr", exclude=None, options=(), name=None):
        self.source, self.steps, self.binary, self.words, self.schedule, self.exclude = source, steps, binary, words, schedule, exclude
        self.options, self.name = options, name or source

    def build(self, pf, work):
        """-> the binary"""
        folder = Path(work) / "built" / self.source
        if not (folder / self.binary).exists():
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(fetch.source(self.source, str(work)), folder, symlinks=True)
            for step in self.steps:
                tools = os.path.dirname(pf)
                line = step.replace("{cc}", f"{tools}/pf-cc").replace("{c++}", f"{tools}/pf-c++").replace("{here}", str(HERE))
                done = subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True)
                if done.returncode:
                    sys.exit(f"bench/judge: {self.source}: {done.stderr[-1500:]}")
        return folder / self.binary


PROGRAMS = [
    RealProgram("x264", ["CC={cc} ./configure --disable-asm --disable-lavf --disable-swscale --disable-ffms --disable-gpac --disable-lsmash "
                         "--bit-depth=8 --extra-cflags='-g -O1'", "make -j2 x264"], "x264",
                lambda d, _: ["--preset", "ultrafast", "--threads", "2", "--qp", "26", "--input-res", "32x32", "--quiet", "-o", d / "film.264", video(d)],
                exclude="*cavlc_init*,coeff_level_run*"),
    RealProgram("mktorrent", ["make CC={cc} CFLAGS='-g -O1' USE_PTHREADS=1"], "mktorrent",
                lambda d, _: ["-l", "15", "-t", "2", "-a", "http://example.org/", "-o", without(d / "data.torrent"), numbers(d)]),
    RealProgram("bruteforce-salted-openssl", ["cd src && {cc} -g -O1 -o ../bruteforce *.c -lcrypto -lpthread -lm"], "bruteforce",
                lambda d, _: ["-t", "2", "-1", "-d", "md5", "-f", *secret(d)], "random:1"),
    RealProgram("memcached", ["CC={cc} ./configure --disable-docs --disable-coverage", "make -j2 CFLAGS='-g -O1 -pthread' memcached-debug",
                              "{cc} -DHAVE_CONFIG_H -I. -DMEMCACHED_DEBUG -g -O1 -Dmain=memcached_main -c memcached.c -o main.o",
                              "{cc} -g -O1 -pthread -o judged main.o {here}/memcached_client.c "
                              "$(ls memcached_debug-*.o | grep -v debug-memcached.o) -levent"], "judged",
                lambda d, _: [load.free_port(), "8"], "random:2"),
    RealProgram("zeromq3", ["mkdir built", "cd built && cmake .. -DCMAKE_C_COMPILER={cc} -DCMAKE_CXX_COMPILER={c++} -DCMAKE_BUILD_TYPE=Debug "
                            "-DCMAKE_CXX_FLAGS='-g -O1' -DENABLE_CURVE=OFF -DWITH_DOCS=OFF -DBUILD_SHARED=OFF -DENABLE_WS=OFF",
                            "make -j2 -C built test_inproc_connect"], "built/bin/test_inproc_connect", lambda d, _: []),
    RealProgram("glib2.0", ["CC={cc} CXX={c++} meson setup built --default-library=static -Dtests=false -Dlibmount=disabled -Dselinux=disabled "
                            "-Dxattr=false -Dnls=disabled -Doptimization=1 -Ddebug=true -Dwrap_mode=nodownload", "ninja -j 2 -C built glib/libglib-2.0.a",
                            "{cc} -g -O1 -I. -Iglib -Ibuilt -Ibuilt/glib {here}/glib_client.c -o judged built/glib/libglib-2.0.a -lpcre2-8 -lm -pthread"],
                "judged", lambda d, _: []),
    # the package is built already
    RealProgram("glib2.0", [], "judged", lambda d, _: [], options=["--memory=weak"], name="glib2.0 with --memory=weak"),
    RealProgram("silversearcher-ag", ["autoreconf -fi && CC={cc} ./configure CFLAGS='-g -O1 -fcommon'", "make -j2 ag"], "ag", lambda d, _: texts(d)),
    RealProgram("pixiewps", ["make CC={cc} CFLAGS='-g -O1'"], "pixiewps", handshake, exclude="*sha256*"),
    RealProgram("pixiewps", [], "pixiewps", handshake, "random:1", exclude="*sha256*", name="pixiewps under random:1"),
    RealProgram("masscan", ["make -j2 CC={cc} CFLAGS='-g -O1'", "{cc} -g -O1 -Isrc -include $PWD/src/rte-ring.c -o judged {here}/masscan_client.c tmp/pixie-threads.o "
                            "tmp/pixie-timer.o tmp/string_s.o -lpthread -lrt"], "judged", lambda d, _: [], "random:1"),
    RealProgram("bwa", ["make -j2 CC={cc} CFLAGS='-g -O1 -Wno-unused-function -fcommon' bwa"], "bwa", reads_and_index),
]
