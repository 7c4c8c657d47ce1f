"""Reads the results of `pf suite` from its database (docs/format/suite.md): races found and overhead of each policy."""

import json
import math
import sqlite3


def variable(finding):
    """-> the variable, which the AtexRace paper counts as one race; if it has no name, the two functions"""
    names = {a.get("variable") for a in finding["accesses"]}
    if None not in names and "" not in names:
        return min(names)
    return " / ".join(sorted({a["function"] or "?" for a in finding["accesses"]}))


class Figures:
    """The results of one campaign; times in CPU seconds."""

    def __init__(self, state, policies):
        db = sqlite3.connect(state / "suite.db")
        self.policies = policies
        self.rounds = 1 + db.execute("SELECT max(round) FROM execution").fetchone()[0]
        findings = {i: json.loads(text) for i, text in db.execute("SELECT id, json FROM finding")}
        self.races = {p: set() for p in policies}
        for policy, finding in db.execute("SELECT DISTINCT e.policy, s.finding FROM sighting s JOIN execution e "
                                          "ON e.id=s.execution"):
            self.races.setdefault(policy, set()).add(finding)
        self.first = {p: sorted(n for n, in db.execute("SELECT min(e.round) FROM sighting s JOIN execution e ON e.id=s.execution "
                                                       "WHERE e.policy=? GROUP BY s.finding", (p,))) for p in policies}
        # Figure 9b counts every sighting of a race, not only distinct races.
        self.sightings = dict(db.execute("SELECT e.policy, sum(s.count) FROM sighting s JOIN execution e ON e.id=s.execution "
                                         "GROUP BY e.policy"))
        self.places = {i: sorted(f"{a.get('file')}:{a.get('line')}" for a in f["accesses"]) for i, f in findings.items()}
        self.variables = {p: {variable(findings[f]) for f in found} for p, found in self.races.items()}
        # Equation 1 over the executions that passed natively and under every policy.
        self.times = {}
        for test, number, policy, cpu in db.execute("SELECT test, round, policy, cpu_ns FROM execution WHERE "
                                                    "outcome='passed'"):
            self.times.setdefault((test, number), {})[policy] = cpu / 1e9
        wanted = {"native", *policies}
        self.complete = {k: v for k, v in self.times.items() if wanted <= set(v)}
        self.pairs = db.execute("SELECT max(pairs), max(frequent) FROM execution").fetchone()

    def seconds(self, policy, last=None):
        """-> (CPU seconds of the policy, of native), of all rounds or of the last ones"""
        some = [v for (_, n), v in self.complete.items() if last is None or n >= self.rounds - last]
        return sum(v[policy] for v in some), sum(v["native"] for v in some)


def overhead(seconds):
    """-> the overhead of several suites together over native: 0.1 is 10% more"""
    return sum(own for own, _ in seconds) / sum(native for _, native in seconds) - 1


def geo(overheads):
    return math.exp(sum(math.log(max(1 + v, 1e-3)) for v in overheads) / len(overheads)) - 1
