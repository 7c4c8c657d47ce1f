"""Programs from Debian source whose races have a known class (real_truth.txt): fetches, builds, records and judges them."""
import fnmatch
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
    and functions that are not recorded: those that fill tables before there are threads"""

    def __init__(self, name, steps, binary, words, schedule="rr", exclude=None):
        self.name, self.steps, self.binary, self.words, self.schedule, self.exclude = name, steps, binary, words, schedule, exclude

    def build(self, pf, work):
        """-> the binary"""
        folder = Path(work) / "built" / self.name
        if not (folder / self.binary).exists():
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(fetch.source(self.name, str(work)), folder, symlinks=True)
            for step in self.steps:
                tools = os.path.dirname(pf)
                line = step.replace("{cc}", f"{tools}/pf-cc").replace("{c++}", f"{tools}/pf-c++").replace("{here}", str(HERE))
                done = subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True)
                if done.returncode:
                    sys.exit(f"bench/judge: {self.name}: {done.stderr[-1500:]}")
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
    RealProgram("bwa", ["make -j2 CC={cc} CFLAGS='-g -O1 -Wno-unused-function -fcommon' bwa"], "bwa", reads_and_index),
]
