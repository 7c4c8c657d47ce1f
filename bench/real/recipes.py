"""Real programs: their source packages, build commands and jobs.

A program is built for each flavour in a separate copy of its source, including the libraries that do
the work (bzip2, zlib), so that this code is instrumented. Its jobs are bounded, and their output must
be equal in every flavour.
"""
import os
import shutil
import subprocess

from harness.flavour import CLANG, FLAGS, ROOT, Failed, flavours, run_quietly
from real import corpus, fetch, load

HERE = os.path.join(ROOT, "bench/real")


class Job:
    """One run of a program. Only its standard output counts as its result."""

    def __init__(self, name, words, races_known=False, drive=None):
        self.name, self.words = name, words
        self.races_known = races_known  # exit status 66 is expected: docs/real-programs.md
        self.client = drive

    def argv(self, scratch):
        return [w.replace("{dir}", scratch) for w in self.words]

    def drive(self, out):
        """Sends requests to a server until it ends, and writes its answers to `out`."""
        if self.client:
            self.client(out)


class Program:
    """A program with its name, source packages and build steps; subclasses define them."""
    name, packages, product = "", [], ""
    corpus_mib, quick_mib = 6, 2
    races_known = False
    own = []       # additional sources, from this folder
    timed = False  # True: prefer the same work in every run over varied schedules

    def prepare(self, work):
        self.work = work
        os.makedirs(work, exist_ok=True)
        self.sources = {p: fetch.source(p, work) for p in self.packages}

    def build(self, flavour):
        """-> the binary; built again when pf or our own sources are newer."""
        folder = os.path.join(self.work, flavour.built_as, self.name)
        binary = os.path.join(folder, self.product)
        stamp = os.path.join(folder, "built")
        newest = max([newest_tool(flavour)] + [os.path.getmtime(f) for f in self.own])
        if os.path.exists(stamp) and os.path.getmtime(stamp) >= newest:
            return binary
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for p in self.packages:
            shutil.copytree(self.sources[p], os.path.join(folder, p), symlinks=True)
        self.folder, self.flavour = folder, flavour
        self.log = os.path.join(folder, "log")
        self.steps()
        with open(stamp, "w"):
            pass
        return binary

    def run(self, package, *words, **env):
        run_quietly([str(w) for w in words], cwd=os.path.join(self.folder, package),
                    env={**os.environ, **env}, log=self.log)

    def make(self, package, *words):
        self.run(package, "make", "-j%d" % os.cpu_count(), "CC=" + self.flavour.cc,
                 "CXX=" + self.flavour.cxx, *words)

    def corpus(self, quick):
        mib = self.quick_mib if quick else self.corpus_mib
        return corpus.make(os.path.join(self.work, "corpus-%d" % mib), mib)


def newest_tool(flavour):
    """-> the time when the tools that build this flavour last changed"""
    if flavour.built_as != "pf":
        return 0
    pf = flavour.cc_tool
    found = [pf]
    for folder, _, files in os.walk(os.path.join(os.path.dirname(os.path.dirname(pf)), "lib")):
        found += [os.path.join(folder, f) for f in files if "pf" in f]
    return max(os.path.getmtime(f) for f in found)


class Compressor(Program):
    """Compresses the corpus; decompresses the output of the native build."""
    pack, unpack, suffix = [], [], ""

    def jobs(self, threads, quick):
        return [self.name, self.name + " -d"]

    def job(self, name, binary, threads, quick):
        data, words = self.corpus(quick), self.pack
        if name.endswith("-d"):
            data, words = self.packed(data), self.unpack
        return Job(name, self.words(words, binary, threads, data), self.races_known)

    def words(self, words, binary, threads, data):
        known = {"{bin}": binary, "{n}": str(threads), "{in}": data}
        for key, value in known.items():
            words = [w.replace(key, value) for w in words]
        return words

    def packed(self, data):
        """-> the compressed corpus, made once by the native build, so that every flavour decompresses the same bytes"""
        path = data + self.suffix
        if not os.path.exists(path):
            native = flavours(self.work, None, ["native"])[0]
            with open(path + ".new", "wb") as out:
                done = subprocess.run(self.words(self.pack, self.build(native), 2, data), stdout=out)
            if done.returncode:
                raise Failed("%s: cannot compress %s" % (self.name, data))
            os.rename(path + ".new", path)
        return path


class Pbzip2(Compressor):
    name, packages, product, suffix = "pbzip2", ["pbzip2", "bzip2"], "pbzip2/pbzip2", ".bz2"
    pack = ["{bin}", "-c", "-k", "-p{n}", "-b3", "{in}"]
    unpack = ["{bin}", "-d", "-c", "-k", "-p{n}", "{in}"]

    def steps(self):
        flags = " ".join(FLAGS)
        self.make("bzip2", "libbz2.a", "CFLAGS=%s -D_FILE_OFFSET_BITS=64" % flags)
        self.make("pbzip2", "pbzip2", "CXXFLAGS=%s -I../bzip2 -pthread -D_LARGEFILE64_SOURCE "
                  "-D_FILE_OFFSET_BITS=64 -DUSE_STACKSIZE_CUSTOMIZATION "
                  "-Wno-reserved-user-defined-literal" % flags,
                  "LDLIBS=../bzip2/libbz2.a -lpthread")


class Pigz(Compressor):
    name, packages, product, suffix = "pigz", ["pigz", "zlib"], "pigz/pigz", ".gz"
    pack = ["{bin}", "-n", "-c", "-p", "{n}", "{in}"]
    unpack = ["{bin}", "-d", "-c", "-p", "{n}", "{in}"]
    corpus_mib = 12

    def steps(self):
        flags = " ".join(FLAGS)
        self.run("zlib", "./configure", "--static", CC=self.flavour.cc, CFLAGS=flags)
        self.make("zlib", "libz.a")
        self.make("pigz", "pigz", "CFLAGS=%s -I../zlib" % flags, "LDFLAGS=-L../zlib",
                  "LIBS=-lm -lpthread ../zlib/libz.a")


class Zstd(Compressor):
    name, packages, product, suffix = "zstd", ["libzstd"], "libzstd/programs/zstd", ".zst"
    pack = ["{bin}", "-q", "-c", "-6", "-T{n}", "-B1MiB", "{in}"]
    unpack = ["{bin}", "-q", "-d", "-c", "{in}"]
    corpus_mib = 12

    def steps(self):
        # ZSTD_NO_ASM: the assembly decoder would not be instrumented
        self.make("libzstd/programs", "zstd", "HAVE_ZLIB=0", "HAVE_LZMA=0", "HAVE_LZ4=0",
                  "ZSTD_NO_ASM=1", "BACKTRACE=0", "CFLAGS=" + " ".join(FLAGS))


class Xz(Compressor):
    name, packages, product, suffix = "xz", ["xz-utils"], "xz-utils/src/xz/xz", ".xz"
    pack = ["{bin}", "-z", "-c", "-k", "-3", "-T{n}", "--block-size=1MiB", "{in}"]
    unpack = ["{bin}", "-d", "-c", "-k", "-T{n}", "{in}"]
    corpus_mib = 12

    def steps(self):
        self.run("xz-utils", "./configure", "--disable-shared", "--disable-nls", "--disable-doc",
                 "--disable-lzmadec", "--disable-lzmainfo", "--disable-scripts",
                 CC=self.flavour.cc, CFLAGS=" ".join(FLAGS))
        self.make("xz-utils")


class Sqlite(Program):
    """sqlite3.c with our own driver: threads that use one WAL database and one shared cache."""
    name, packages, product = "sqlite", ["sqlite3"], "sqlthreads"
    own = [os.path.join(HERE, "sqlthreads.c")]

    def prepare(self, work):
        super().prepare(work)
        self.amalgamation = sqlite_amalgamation(work)

    def steps(self):
        run_quietly([self.flavour.cc, *FLAGS, "-pthread", "-DSQLITE_THREADSAFE=1",
                     "-DSQLITE_OMIT_LOAD_EXTENSION", "-I" + os.path.dirname(self.amalgamation),
                     *self.own, self.amalgamation, "-lm", "-o",
                     os.path.join(self.folder, self.product)], log=self.log)

    def jobs(self, threads, quick):
        return [self.name]

    def job(self, name, binary, threads, quick):
        rounds = "300" if quick else "24000" if self.timed else "4000"
        words = [binary, "{dir}/database", str(threads), rounds]
        return Job(name, words + (["turns"] if self.timed else []), self.races_known)


class Memcached(Program):
    """The server with its worker threads under a bounded load from four clients."""
    name, packages, product = "memcached", ["memcached"], "memcached/memcached"
    races_known = True

    def steps(self):
        self.run("memcached", "./configure", "--disable-docs", "--disable-coverage",
                 CC=self.flavour.cc, CFLAGS=" ".join(FLAGS))
        self.make("memcached", "memcached")

    def jobs(self, threads, quick):
        return [self.name]

    def job(self, name, binary, threads, quick):
        port = load.free_port()
        words = [binary, "-A", "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-t", str(threads),
                 "-m", "64", "-u", "root"]
        rounds = 40 if quick else 600 if self.timed else 400
        return Job(name, words, self.races_known,
                   lambda out: load.memcached(port, rounds, out))


class Redis(Program):
    """The server with input and output threads and its background threads."""
    name, packages, product = "redis", ["redis"], "redis/src/redis-server"

    def steps(self):
        self.make("redis/src", "redis-server", "redis-cli", "redis-benchmark", "MALLOC=libc",
                  "OPTIMIZATION=-O2", "DEBUG=-g", "USE_SYSTEMD=no", "BUILD_TLS=no")

    def jobs(self, threads, quick):
        return [self.name]

    def job(self, name, binary, threads, quick):
        port = load.free_port()
        words = [binary, "--port", str(port), "--bind", "127.0.0.1", "--dir", "{dir}", "--save", "",
                 "--io-threads", str(max(threads, 2)), "--io-threads-do-reads", "yes",
                 "--logfile", "{dir}/log", "--lazyfree-lazy-user-del", "yes"]
        rounds = 40 if quick else 600 if self.timed else 400
        return Job(name, words, self.races_known, lambda out: load.redis(port, rounds, out))


def sqlite_amalgamation(work):
    """-> the path of sqlite3.c, generated by SQLite's own build (needs tclsh)"""
    tree = fetch.source("sqlite3", work)
    made = os.path.join(tree, "sqlite3.c")
    if not os.path.exists(made):
        if not shutil.which("tclsh"):
            raise Failed("generating sqlite3.c needs tclsh: install tcl")
        run_quietly(["./configure", "--disable-readline", "CC=" + CLANG], cwd=tree)
        run_quietly(["make", "sqlite3.c"], cwd=tree)
    return made


def everything():
    return [Pbzip2(), Pigz(), Zstd(), Xz(), Sqlite(), Memcached(), Redis()]


def timed(names=()):
    """-> the named programs; without names, those that build within a minute and whose work does not depend on the
    timing of a client"""
    programs = [p for p in everything() if p.name in (names or ("pbzip2", "pigz", "zstd"))]
    for p in programs:
        p.timed = True
    return programs
