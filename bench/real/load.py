"""Client loads for the servers: bounded, checked, and the same every time.

Each load starts once the server listens, runs a few parallel connections with pipelined requests,
writes a summary of the server's answers to `out`, and asks the server to end.
"""
import socket
import threading
import time

CLIENTS = 4
PATIENCE = 300  # seconds; a client never waits longer for the server


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def connect(port):
    """Connects; retries while the server is still starting."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            s = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return s, s.makefile("rb")
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def in_threads(work, port, rounds):
    """Runs work(client number, port, rounds) in CLIENTS threads; raises the first problem."""
    problems = []

    def guarded(n):
        try:
            work(n, port, rounds)
        except (OSError, AssertionError, ValueError) as why:
            problems.append(why)
    threads = [threading.Thread(target=guarded, args=(n,)) for n in range(CLIENTS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if problems:
        raise OSError("client: %r" % problems[0])


def value(n, key):
    return (b"%d-%d;" % (n, key)) * (1 + key * 7 % 40)


def memcached_client(n, port, rounds):
    s, f = connect(port)
    for r in range(rounds):
        keys = range(r * 4 % 256, r * 4 % 256 + 64)
        batch = [b"set k%d:%d 0 0 %d\r\n%s\r\n" % (n, k, len(value(n, k)), value(n, k)) for k in keys]
        batch += [b"get k%d:%d\r\n" % (n, k) for k in keys]
        batch += [b"incr shared%d 1\r\n" % (k % 8) for k in keys]
        batch += [b"touch k%d:%d 1000\r\n" % (n, keys[0]), b"delete k%d:%d\r\n" % (n, keys[-1])]
        s.sendall(b"".join(batch))
        for _ in keys:
            assert f.readline() == b"STORED\r\n"
        for k in keys:
            v = value(n, k)
            assert f.readline() == b"VALUE k%d:%d 0 %d\r\n" % (n, k, len(v))
            assert f.read(len(v) + 2) == v + b"\r\n" and f.readline() == b"END\r\n"
        for _ in keys:
            int(f.readline())
        assert f.readline() == b"TOUCHED\r\n" and f.readline() == b"DELETED\r\n"
        if r % 16 == n:
            s.sendall(b"stats items\r\nstats slabs\r\n")
            ends = 0
            while ends < 2:
                ends += f.readline() == b"END\r\n"
    s.close()


def memcached(port, rounds, out):
    s, f = connect(port)
    for k in range(8):
        s.sendall(b"set shared%d 0 0 1\r\n0\r\n" % k)
        assert f.readline() == b"STORED\r\n"
    in_threads(memcached_client, port, rounds)
    for k in range(8):
        s.sendall(b"get shared%d\r\n" % k)
        f.readline()
        out.write(b"shared%d %s" % (k, f.readline()))
        f.readline()
    s.sendall(b"stats\r\n")
    for line in iter(f.readline, b"END\r\n"):
        if line.split()[1] in (b"cmd_get", b"cmd_set", b"get_hits", b"curr_items", b"incr_hits"):
            out.write(line)
    out.flush()
    s.sendall(b"shutdown\r\n")


def resp(*words):
    words = [w if isinstance(w, bytes) else str(w).encode() for w in words]
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words)


def reply(f):
    line = f.readline()
    kind, rest = line[:1], line[1:-2]
    if kind == b"$":
        return f.read(int(rest) + 2)[:-2] if rest != b"-1" else None
    if kind == b"*":
        return [reply(f) for _ in range(int(rest))]
    assert kind in (b"+", b":"), line
    return int(rest) if kind == b":" else rest


def redis_client(n, port, rounds):
    s, f = connect(port)
    for r in range(rounds):
        keys = range(r * 4 % 256, r * 4 % 256 + 32)
        batch = [resp("SET", "k%d:%d" % (n, k), value(n, k)) for k in keys]
        batch += [resp("GET", "k%d:%d" % (n, k)) for k in keys]
        batch += [resp("INCR", "shared%d" % (k % 8)) for k in keys]
        batch += [resp("RPUSH", "list%d" % n, *range(64)), resp("HSET", "h%d" % n, "f%d" % r, r)]
        batch += [resp("UNLINK", "list%d" % n)] if r % 8 == 7 else []
        s.sendall(b"".join(batch))
        assert all(reply(f) == b"OK" for _ in keys)
        assert all(reply(f) == value(n, k) for k in keys)
        for _ in keys:
            reply(f)
        for _ in range(3 if r % 8 == 7 else 2):
            reply(f)
    s.close()


def redis(port, rounds, out):
    s, f = connect(port)
    in_threads(redis_client, port, rounds)
    for k in range(8):
        s.sendall(resp("GET", "shared%d" % k))
        out.write(b"shared%d %s\n" % (k, reply(f)))
    for n in range(CLIENTS):
        s.sendall(resp("HLEN", "h%d" % n) + resp("LLEN", "list%d" % n))
        out.write(b"%d: %d %d\n" % (n, reply(f), reply(f)))
    s.sendall(resp("DBSIZE") + resp("DEBUG", "SLEEP", 0) + resp("FLUSHALL", "ASYNC") + resp("DBSIZE"))
    for _ in range(4):
        try:
            out.write(b"%s\n" % str(reply(f)).encode())
        except AssertionError:
            out.write(b"refused\n")
    out.flush()
    s.sendall(resp("SHUTDOWN", "NOSAVE"))
