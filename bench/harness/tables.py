"""Tables and means: turns medians into the Markdown page and the JSON file in bench/results."""
import datetime
import json
import math
import os
import platform
import subprocess
import sys

from harness.flavour import CLANG, ROOT


def geomean(values):
    values = [v for v in values if v]
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else None


def ratio(figures, one, other, what):
    if one in figures and other in figures and figures[other][what]:
        return figures[one][what] / figures[other][what]
    return None


def text(value, form="%.2f"):
    return "-" if value is None else form % value


def table(head, rows):
    """-> a Markdown table with padded columns, readable in a terminal too"""
    cells = [head] + [[str(c) for c in row] for row in rows]
    width = [max(len(row[i]) for row in cells) for i in range(len(head))]
    lines = []
    for n, row in enumerate(cells):
        words = [c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, width))]
        lines.append("| " + " | ".join(words) + " |")
        if n == 0:
            lines.append("|" + "|".join("-" * (w + 2) for w in width) + "|")
    return "\n".join(lines) + "\n"


def slowdown_table(programs):
    """programs: {name: {flavour: medians}} -> (text, means)"""
    rows, sums = [], {}
    columns = [("TSan/native", "tsan", "native", "cpu"), ("pf/native", "pf", "native", "cpu"),
               ("pf/TSan", "pf", "tsan", "cpu"), ("plain/native", "plain", "native", "cpu"),
               ("TSan mem", "tsan", "native", "rss"), ("pf mem", "pf", "native", "rss"),
               ("pf/TSan mem", "pf", "tsan", "rss")]
    for name, figures in programs.items():
        row = [name, text(figures.get("native", {}).get("cpu"))]
        for title, one, other, what in columns:
            value = ratio(figures, one, other, what)
            sums.setdefault(title, []).append(value)
            row.append(text(value))
        rows.append(row)
    means = {title: geomean(values) for title, values in sums.items()}
    rows.append(["geometric mean", ""] + [text(means[c[0]]) for c in columns])
    worst = max((v for v in sums.get("pf/TSan", []) if v), default=None)
    rows.append(["worst", "", "", "", text(worst), "", "", "", ""])
    return table(["program", "native s"] + [c[0] for c in columns], rows), \
        {**means, "worst pf/TSan": worst}


def means_table(groups):
    """groups: {name: means of slowdown_table} -> their means side by side"""
    titles = list(next(iter(groups.values())))
    return table(["programs"] + titles, [[name] + [text(means[t]) for t in titles] for name, means in groups.items()])


def contention_tables(programs, threads):
    """programs: {name: {threads: {flavour: medians}}} -> (CPU time over native with the same number of
    threads, wall time over the same flavour's run with the fewest threads)"""
    cpu, wall = [], []
    for name, by_threads in programs.items():
        cpu.append([name] + [text(ratio(by_threads[n], f, "native", "cpu"), "%.1f")
                             for n in threads for f in ("tsan", "pf")])
        row = [name]
        for n in threads[1:]:
            for f in ("native", "tsan", "pf"):
                now, first = by_threads[n].get(f), by_threads[threads[0]].get(f)
                row.append(text(now["wall"] / first["wall"] if now and first else None))
        wall.append(row)
    title = {"native": "native", "tsan": "TSan", "pf": "pf"}
    return table(["program"] + ["%s, %d threads" % (title[f], n)
                                for n in threads for f in ("tsan", "pf")], cpu), \
        table(["program"] + ["%s, %d threads" % (title[f], n)
                             for n in threads[1:] for f in ("native", "tsan", "pf")], wall)


def command(script):
    """-> the command line of this run for a result page: no path of this machine. Paths in the
    repository become relative to it; of other absolute paths only the last component is kept."""
    def word(text):
        option, sign, path = text.partition("=") if text.startswith("--") else ("", "", text)
        if not os.path.isabs(path):
            return text
        inside = os.path.relpath(os.path.realpath(path), os.path.realpath(ROOT))
        outside = inside == os.pardir or inside.startswith(os.pardir + os.sep)
        return option + sign + (os.path.join("...", os.path.basename(path)) if outside else inside)
    return " ".join([script] + [word(w) for w in sys.argv[1:]])


def machine():
    with open("/proc/cpuinfo") as f:
        model = next((l.split(":", 1)[1].strip() for l in f if l.startswith("model name")), "?")
    clang = subprocess.run([CLANG, "--version"], capture_output=True, text=True).stdout
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"],
                            capture_output=True, text=True).stdout.strip()
    return {"cpu": model, "cores": os.cpu_count(), "kernel": platform.release(),
            "compiler": clang.splitlines()[0] if clang else "?", "commit": commit,
            "load": round(os.getloadavg()[0], 2),
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")}


def write(folder, name, command, facts, sections, data):
    """sections: (title, remark, table). Writes both files; -> the page"""
    page = ["# %s\n" % name,
            "%s, `%s`, %s, %d cores, Linux %s, %s, commit %s, load %.2f at the start, %.2f at "
            "the end.\n" % (facts["date"], command, facts["cpu"], facts["cores"], facts["kernel"],
                            facts["compiler"], facts["commit"], facts["load"],
                            os.getloadavg()[0])]
    for title, remark, body in sections:
        page.append("## %s\n\n%s\n\n%s" % (title, remark, body))
    page = "\n".join(page)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name + ".md"), "w") as f:
        f.write(page)
    with open(os.path.join(folder, name + ".json"), "w") as f:
        json.dump({"version": 1, "command": command, "machine": facts, **data}, f, indent=1)
        f.write("\n")
    return page
