"""tutorial.py PAGE - executes a documentation page: writes its files, runs its commands, compares their output.

    ```c file=NAME     the block is written to the file
    ```console         "$ COMMAND" is run in bash; "# exits N" after it is the expected status (default 0);
                       the output must contain each line below it, in this order
"""

import re
import subprocess
import sys
from pathlib import Path


def blocks(text):
    return re.findall(r"^```(\S+)(?: file=(\S+))?\n(.*?)^```$", text, re.M | re.S)


def steps(body):
    """-> [(command, expected status, expected lines)]"""
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
        sys.exit(f"$ {command}\nexit status {r.returncode}, expected {status}:\n{r.stdout}")
    at = 0
    for line in wanted:
        found = r.stdout.find(line, at)
        if found < 0:
            sys.exit(f"$ {command}\ndoes not print '{line}':\n{r.stdout}")
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
        sys.exit("fewer than 5 commands on the page: wrong file?")
    print(f"{commands} commands")


main()
