"""slurm_cluster.py - a private Slurm cluster on one machine, for tests.

One munged, one slurmctld and several slurmd (Debian's slurm-wlm and munge) run as root with their
configuration, state and sockets in one folder. All ports are on the loopback interface. stop()
ends every process that start() has started, by its process id.
"""
import os
import shutil
import signal
import socket
import subprocess
import time

DAEMONS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel")


def why_not():
    """The reason why the cluster cannot run here, or None."""
    if os.geteuid() != 0:
        return "the daemons of Slurm need root here"
    for name in DAEMONS:
        if not shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
            return f"{name} is not installed (script/install-deps test)"
    if not os.path.ismount("/sys/fs/cgroup"):
        return "slurmd needs a file system on /sys/fs/cgroup"
    return None


def free_ports(n):
    """n ports of the loopback interface that no process uses now."""
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Cluster:
    def __init__(self, folder, nodes=4, slots=1):
        self.folder = folder
        self.nodes = [f"n{i + 1}" for i in range(nodes)]
        self.slots = slots
        self.processes = {}
        self.env = dict(os.environ, SLURM_CONF=f"{folder}/slurm.conf",
                        PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")

    def _write(self):
        host = socket.gethostname().split(".")[0]
        ports = free_ports(1 + len(self.nodes))
        for name in ("state", "spool", "log"):
            os.makedirs(f"{self.folder}/{name}", mode=0o755, exist_ok=True)
        lines = [
            "ClusterName=pf", f"SlurmctldHost={host}(127.0.0.1)", f"SlurmctldPort={ports[0]}",
            "SlurmUser=root", "SlurmdUser=root", "AuthType=auth/munge",
            f"AuthInfo=socket={self.folder}/munge.socket", "CryptoType=crypto/munge",
            f"StateSaveLocation={self.folder}/state", f"SlurmdSpoolDir={self.folder}/spool/%n",
            f"SlurmctldPidFile={self.folder}/slurmctld.pid",
            f"SlurmdPidFile={self.folder}/slurmd-%n.pid",
            f"SlurmctldLogFile={self.folder}/log/slurmctld",
            f"SlurmdLogFile={self.folder}/log/slurmd-%n",
            "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "SwitchType=switch/none",
            "MpiDefault=none", "ReturnToService=2", "SlurmdTimeout=3", "SlurmctldTimeout=5",
            "InactiveLimit=0", "KillWait=2", "MinJobAge=3", "BatchStartTimeout=5",
            "CompleteWait=0", "SchedulerType=sched/builtin",
            "SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0",
            "SelectType=select/cons_tres", "SelectTypeParameters=CR_CPU", "MaxArraySize=10001",
            "JobAcctGatherType=jobacct_gather/none", "AccountingStorageType=accounting_storage/none",
        ]
        for name, port in zip(self.nodes, ports[1:]):
            lines.append(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
                         f"CPUs={self.slots} RealMemory=1000 State=UNKNOWN")
        lines.append(f"PartitionName=main Nodes={','.join(self.nodes)} Default=YES "
                     "MaxTime=60 State=UP OverSubscribe=NO")
        with open(f"{self.folder}/slurm.conf", "w") as f:
            f.write("\n".join(lines) + "\n")
        with open(f"{self.folder}/munge.key", "wb") as f:
            f.write(os.urandom(128))
        os.chmod(f"{self.folder}/munge.key", 0o400)

    def _spawn(self, name, argv):
        out = open(f"{self.folder}/log/{name}.out", "ab")
        self.processes[name] = subprocess.Popen(argv, env=self.env, stdin=subprocess.DEVNULL,
                                                stdout=out, stderr=out, start_new_session=True)
        out.close()

    def start_node(self, name):
        self._spawn(name, ["slurmd", "-D", "-N", name, "-f", f"{self.folder}/slurm.conf"])

    def start(self):
        os.makedirs(self.folder, mode=0o755, exist_ok=True)
        self._write()
        self._spawn("munged", ["munged", "--foreground", "--force",
                               f"--socket={self.folder}/munge.socket",
                               f"--key-file={self.folder}/munge.key",
                               f"--log-file={self.folder}/log/munged",
                               f"--pid-file={self.folder}/munged.pid",
                               f"--seed-file={self.folder}/munge.seed"])
        self.wait(lambda: os.path.exists(f"{self.folder}/munge.socket"), "munged")
        self._spawn("slurmctld", ["slurmctld", "-D", "-c", "-f", f"{self.folder}/slurm.conf"])
        for name in self.nodes:
            self.start_node(name)
        self.wait(lambda: len(self.idle()) == len(self.nodes), "the nodes")

    def wait(self, ready, what, seconds=60):
        end = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > end:
                raise RuntimeError(f"{what} did not start; see {self.folder}/log")
            time.sleep(0.1)

    def run(self, *argv):
        return subprocess.run(argv, env=self.env, capture_output=True, text=True)

    def idle(self):
        return self.run("sinfo", "-h", "-N", "-t", "idle", "-o", "%N").stdout.split()

    def processes_of(self, node):
        """slurmd of the node, its slurmstepd processes, and everything that these started."""
        parents, found = {}, {self.processes[node].pid}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat") as f:
                    parents[int(pid)] = int(f.read().rsplit(")", 1)[1].split()[1])
                with open(f"/proc/{pid}/cmdline", "rb") as f:
                    command = f.read().replace(b"\0", b" ")
                with open(f"/proc/{pid}/environ", "rb") as f:
                    environment = f.read().split(b"\0")
            except OSError:
                continue
            ours = f"SLURM_CONF={self.folder}/slurm.conf".encode() in environment
            on_node = f"SLURMD_NODENAME={node}".encode() in environment
            if b"slurmstepd" in command and ours and on_node:
                found.add(int(pid))
        grown = True
        while grown:
            more = {p for p, parent in parents.items() if parent in found} - found
            found |= more
            grown = bool(more)
        return found

    def kill_node(self, name):
        """Kills slurmd and every process of the node's jobs, as when the machine loses power."""
        for pid in self.processes_of(name):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.processes.pop(name).wait()

    def stop(self):
        self.run("scancel", "--full", "-u", "root")
        deadline = time.monotonic() + 5
        while self.run("squeue", "-h").stdout.strip() and time.monotonic() < deadline:
            time.sleep(0.2)
        for name in list(self.processes):
            p = self.processes.pop(name)
            p.terminate()
            try:
                p.wait(timeout=5)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()
