// data.js - converts the data that pf report put into the page to the form that the views use.
const base = (path) => (path ? path.slice(path.lastIndexOf('/') + 1) : '');
export const place = (p) => (p?.file ? `${base(p.file)}:${p.line}` : p?.function || '?');

/** The word as a shell reads it: in quotes if it needs them. */
export const shellWord = (s) => (/^[\w\-+=./,:@%]+$/.test(s) ? s : `'${s.replaceAll("'", "'\\''")}'`);

/** True for a race between two accesses, which have no order of their own; the later one is listed first. */
export const isPair = (f) => f.kind === 'race' && f.accesses.length === 2;

export function load(text) {
  const raw = JSON.parse(text);
  const findings = raw.document.findings.map((f, i) => {
    const more = raw.more[i];
    const words = [f.id, more.title, f.kind, f.status, f.class, f.analysis, f.harm, ...(f.tests || [])];
    for (const a of f.accesses) {
      words.push(a.file, a.function, a.variable, ...a.locks);
      for (const p of a.stack) words.push(p.function);
    }
    return { ...f, ...more, text: words.filter(Boolean).join('\n').toLowerCase() };
  });
  return { ...raw, findings, groups: groupsOf(findings), causes: new Set(findings.map((f) => f.group)).size };
}

/** A key for the variable of a finding: a whole global or stack variable, or a member of the heap blocks of one allocation. Undefined: unknown. */
const variable = (f) => f.object && `${f.object} ${f.location.kind === 'heap' ? f.accesses[0]?.variable : ''}`;

/** The findings of the same variable or with the same cause, as arrays; such a row takes the place of its first member. The document has the order of the report. */
function groupsOf(findings) {
  const known = new Map();
  const at = new Map(findings.map((f, i) => [f, i]));
  for (const f of findings) {
    const keys = [f.group, variable(f)].filter(Boolean);
    const [row = [], other = row] = new Set(keys.map((k) => known.get(k)).filter(Boolean));
    if (other !== row) {
      row.push(...other);
      for (const [k, r] of known) if (r === other) known.set(k, row);
    }
    row.push(f);
    for (const k of keys) known.set(k, row);
  }
  return [...new Set(known.values())].map((row) => row.sort((a, b) => at.get(a) - at.get(b)));
}

/** The values of one field and how often each occurs, most frequent first. */
export function values(findings, pick) {
  const seen = new Map();
  for (const f of findings) for (const v of pick(f)) seen.set(v, (seen.get(v) || 0) + 1);
  return [...seen].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

export const FIELDS = {
  kind: (f) => [f.kind],
  status: (f) => [f.status],
  class: (f) => [f.class || 'not judged'],
  harm: (f) => [f.harm ? 'harm seen' : 'none seen'],
  counts: (f) => [f.counts === false ? 'suspicious' : 'counts'],
  stage: (f) => [...new Set((f.stages || []).map((s) => s.stage))],
  baseline: (f) => (f.accepted === undefined ? [] : [f.accepted ? 'accepted' : 'new']),
  test: (f) => f.tests || [],
};

/** Keeps the findings that contain every word of the query and have every chosen field value, and the groups of these. */
export function filter(groups, query, chosen) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const fields = Object.entries(chosen).filter(([, v]) => v);
  const matches = (f) => words.every((w) => f.text.includes(w)) && fields.every(([k, v]) => FIELDS[k](f).includes(v));
  return groups.map((g) => g.filter(matches)).filter((g) => g.length);
}

/** "3 findings", or "1 cause (3 findings)" if some have the same cause. */
export function countText(causes, findings) {
  const text = `${findings} ${findings === 1 ? 'finding' : 'findings'}`;
  return causes === findings ? text : `${causes} ${causes === 1 ? 'cause' : 'causes'} (${text})`;
}

/** The lines around a line of a file, as far as the report contains them. */
export function excerpt(sources, file, line, around) {
  const lines = sources[file];
  const found = [];
  for (let n = Math.max(1, line - around); lines && n <= line + around; n++)
    if (lines[n] !== undefined) found.push([n, lines[n]]);
  return found;
}
