"""ssh_hosts.py - private hosts on one machine that ssh can reach, for tests.

Each host is an sshd (Debian's openssh-server) as root, with a mount namespace and a host name of its own. Host keys,
user keys and configuration are in one folder; all ports are on the loopback interface. stop() ends every process that
start() has started.
"""
import os
import shutil
import subprocess
import time

from slurm_cluster import free_ports

PROGRAMS = ("sshd", "ssh", "ssh-keygen", "unshare", "parallel")
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def why_not():
    """The reason why the hosts cannot run here, or None."""
    if os.geteuid() != 0:
        return "hosts with namespaces of their own need root"
    for name in PROGRAMS:
        if not shutil.which(name, path=PATH):
            return f"{name} is not installed (script/install-deps test)"
    if subprocess.run(["unshare", "--mount", "--uts", "true"], capture_output=True).returncode:
        return "unshare is not allowed to create namespaces here"
    return None


class Hosts:
    def __init__(self, folder, setup):
        """setup: name of each host -> shell command that prepares its file systems."""
        self.folder, self.setup = folder, setup
        self.processes = {}
        self.env = dict(os.environ, PARALLEL_SSH=f"ssh -F {folder}/client")

    def start(self):
        os.makedirs(self.folder, mode=0o700)
        for key in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{self.folder}/{key}"], check=True)
        client = ""
        for (name, setup), port in zip(self.setup.items(), free_ports(len(self.setup))):
            with open(f"{self.folder}/{name}.conf", "w") as f:
                f.write(f"Port {port}\nListenAddress 127.0.0.1\nHostKey {self.folder}/host\nPidFile none\nUsePAM no\nStrictModes no\n"
                        f"AuthorizedKeysFile {self.folder}/user.pub\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n")
            client += (f"Host {name}\nHostName 127.0.0.1\nPort {port}\nIdentityFile {self.folder}/user\nIdentitiesOnly yes\nLogLevel ERROR\n"
                       f"UserKnownHostsFile {self.folder}/known\nStrictHostKeyChecking accept-new\n")
            # sshd needs the folder /run/sshd
            script = (f"mount --make-rprivate / && mount -t tmpfs none /run && mkdir -m 755 /run/sshd && hostname {name} && {setup} && "
                      f"exec {shutil.which('sshd', path=PATH)} -D -e -f {self.folder}/{name}.conf")
            with open(f"{self.folder}/{name}.log", "wb") as out:
                self.processes[name] = subprocess.Popen(["unshare", "--mount", "--uts", "sh", "-c", script], stdin=subprocess.DEVNULL,
                                                        stdout=out, stderr=out, start_new_session=True)
        with open(f"{self.folder}/client", "w") as f:
            f.write(client)
        for name in self.setup:
            self.wait(name)

    def run(self, host, command):
        return subprocess.run(["ssh", "-F", f"{self.folder}/client", host, command], capture_output=True, text=True, stdin=subprocess.DEVNULL)

    def wait(self, host, seconds=30):
        end = time.monotonic() + seconds
        while self.run(host, "true").returncode:
            if time.monotonic() > end or self.processes[host].poll() is not None:
                with open(f"{self.folder}/{host}.log") as f:
                    raise RuntimeError(f"sshd of {host} did not start: {f.read()}")
            time.sleep(0.1)

    def stop(self):
        for p in self.processes.values():
            p.terminate()
            p.wait()
