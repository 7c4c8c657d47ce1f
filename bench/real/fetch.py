"""Fetches Debian source packages from the machine's own apt sources.

/etc is not changed: the entries found there get deb-src copies in a private apt folder. When the
installed release does not have a package, the upstream tarball of a later release is used.
"""
import glob
import os
import re
import shutil
import subprocess

from harness.flavour import Failed

LATER = ["trixie", "sid"]


def twins(suites=None):
    """-> deb-src copies of the machine's Debian sources, as one text of deb822 entries"""
    entries = []
    for path in sorted(glob.glob("/etc/apt/sources.list.d/*.sources")):
        with open(path) as f:
            for entry in re.split(r"\n\s*\n", f.read()):
                if re.search(r"(?m)^Types:.*\bdeb\b", entry) and "debian" in entry:
                    entry = re.sub(r"(?m)^#.*\n", "", entry.strip() + "\n")
                    entries.append(re.sub(r"(?m)^Types:.*", "Types: deb-src", entry))
    for path in ["/etc/apt/sources.list"] + sorted(glob.glob("/etc/apt/sources.list.d/*.list")):
        if not os.path.exists(path):
            continue
        with open(path) as f:
            for line in f:
                m = re.match(r"\s*deb\s+(\[[^]]*\]\s+)?(\S+debian\S*)\s+(\S+)\s+(.+)", line)
                if m:
                    entries.append("Types: deb-src\nURIs: %s\nSuites: %s\nComponents: %s\n"
                                   % (m.group(2), m.group(3), m.group(4).split("#")[0].strip()))
    if not entries:
        raise Failed("no Debian entries in /etc/apt: cannot fetch sources")
    if suites:
        main = [e for e in entries if "security" not in e][:1]
        entries = [re.sub(r"(?m)^Suites:.*", "Suites: " + s, e) for e in main for s in suites]
    return "\n".join(entries)


def apt(folder, suites=None):
    """-> options that make apt-get use only `folder`; runs apt-get update when the folder is new"""
    options = ["-o", "Dir::Etc::sourcelist=/dev/null", "-o", "APT::Sandbox::User=root"]
    for key, sub in [("Dir::Etc::sourceparts", "sources"), ("Dir::State::lists", "lists"),
                     ("Dir::Cache", "cache")]:
        path = os.path.join(folder, sub)
        os.makedirs(path, exist_ok=True)
        options += ["-o", "%s=%s" % (key, path)]
    listing = os.path.join(folder, "sources/source.sources")
    if not os.path.exists(listing):
        with open(listing + ".new", "w") as f:
            f.write(twins(suites))
        os.rename(listing + ".new", listing)
        done = subprocess.run(["apt-get", *options, "-q", "update"], capture_output=True, text=True)
        if done.returncode:
            os.unlink(listing)
            raise Failed("apt-get update: " + done.stderr[-1000:])
    return options


def unpack(tarball, into):
    os.makedirs(into)
    done = subprocess.run(["tar", "-xf", tarball, "-C", into, "--strip-components=1"],
                          capture_output=True, text=True)
    if done.returncode:
        shutil.rmtree(into)
        raise Failed("%s: %s" % (tarball, done.stderr))


def source(package, work):
    """-> the folder of the package's sources, with Debian's patches where they are available"""
    ready = os.path.join(work, "source", package)
    if os.path.isdir(ready):
        return ready
    load = os.path.join(work, "download", package)
    os.makedirs(load, exist_ok=True)
    os.makedirs(os.path.dirname(ready), exist_ok=True)
    why = ""
    for suites, words in [(None, []), (None, ["--tar-only"]), (LATER, ["--tar-only"])]:
        options = apt(os.path.join(work, "apt-later" if suites else "apt"), suites)
        done = subprocess.run(["apt-get", *options, "-q", "source", *words, package], cwd=load,
                              capture_output=True, text=True)
        if not words:
            trees = [t for t in glob.glob(os.path.join(load, "*/")) if not done.returncode]
            if trees:
                shutil.move(trees[0].rstrip("/"), ready)
                return ready
        else:
            tarballs = [t for t in glob.glob(os.path.join(load, "*.orig.tar.*"))
                        if not t.endswith(".asc")]
            if tarballs and not done.returncode:
                unpack(max(tarballs), ready)
                return ready
        why = done.stderr[-600:]
    raise Failed("source of %s: %s" % (package, why))
