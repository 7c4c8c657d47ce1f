"""tutorial.py PAGE - does what a page tells: writes its files, runs its commands, compares what they print.

    ```c file=NAME     the block becomes the file
    ```console         "$ COMMAND" is run in bash; "# exits N" behind it is the status wanted (0);
                       each line below must occur in what it prints, in this order
"""

import re
import subprocess
import sys
from pathlib import Path


def blocks(text):
    return re.findall(r"^```(\S+)(?: file=(\S+))?\n(.*?)^```$", text, re.M | re.S)


def steps(body):
    """-> [(command, status, wanted lines)]"""
    found = []
    for line in body.splitlines():
        if line.startswith("$ "):
            command, _, status = line[2:].partition("    # exits ")
            found.append((command, int(status or 0), []))
        else:
            found[-1][2].append(line)
    return found


def run(command, status, wanted):
    r = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if r.returncode != status:
        sys.exit(f"$ {command}\nexits {r.returncode}, not {status}:\n{r.stdout}")
    at = 0
    for line in wanted:
        found = r.stdout.find(line, at)
        if found < 0:
            sys.exit(f"$ {command}\nprints no '{line}':\n{r.stdout}")
        at = found + len(line)


def main():
    commands = 0
    for kind, name, body in blocks(Path(sys.argv[1]).read_text()):
        if name:
            Path(name).write_text(body)
        elif kind == "console":
            for step in steps(body):
                run(*step)
                commands += 1
    if commands < 5:
        sys.exit("hardly any command: is this the page?")
    print(f"{commands} commands")


main()
