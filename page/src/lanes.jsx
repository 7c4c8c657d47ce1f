// lanes.jsx - draws the interleaving: one lane per thread, time runs downwards. The finding's accesses are marked, a
// lock is a band on the lane of the thread that holds it, and an arrow shows the creation of a thread.
import { useState } from 'preact/hooks';
import { isPair, place, shellWord } from './data.js';

const ROW = 46;
const LANE = 92;
const TOP = 44;
const TEXT = 560;

function lanesOf(steps) {
  const threads = new Set();
  for (const s of steps) {
    threads.add(s.thread);
    if (s.starts) threads.add(s.starts);
  }
  return [...threads].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
}

/** Returns [thread, lock, first row, last row] of each lock: from the step that takes it to the step that releases
 *  it, or to the last step for which it is held. */
function bands(steps) {
  const found = [];
  steps.forEach((s, i) => {
    if (!s.lock) return;
    let last = i;
    for (let k = i + 1; k < steps.length; k++) {
      const t = steps[k];
      if (t.thread !== s.thread) continue;
      if (s.access === undefined || t.access === s.access) last = k;
      if (t.releases === s.lock) break;
    }
    found.push([s.thread, s.lock, i, last]);
  });
  return found;
}

const TAKES = new Set(['lock', 'rdlock', 'wake']);
const RELEASES = new Set(['unlock', 'rdunlock', 'wait']);

/** Converts the schedule of the finding to the steps that Picture draws. */
function stepsOf(interleaving, threads) {
  const numbers = new Map((threads || []).map((t) => [t.name, t.thread]));
  return interleaving.map((m) => ({
    thread: m.thread,
    kind: m.marked ? 'access' : TAKES.has(m.op) ? 'lock' : m.op === 'fork' ? 'create' : 'other',
    text: [m.op, m.name].filter(Boolean).join(' '),
    lock: TAKES.has(m.op) ? m.name : undefined,
    releases: RELEASES.has(m.op) ? m.name : undefined,
    starts: m.op === 'fork' ? numbers.get(m.name) || (/^T\d+$/.test(m.name) ? m.name : m.thread) : undefined,
    value: m.value ?? undefined,
    from: m.from,
    file: m.file,
    line: m.line,
  }));
}

/** Text for the thread that wrote the value, or that holds the wanted lock. */
function originOf(s) {
  if (!s.from) return '';
  const at = s.from.file ? ` ${place(s.from)}` : '';
  return `${s.text.startsWith('wants') ? 'held by' : 'from'} ${s.from.thread === 'T0' ? 'main' : s.from.thread}${at}`;
}

const clip = (text, n) => (text.length > n ? `${text.slice(0, n - 1)}\u2026` : text);

function Picture({ steps, label }) {
  const threads = lanesOf(steps);
  const x = (thread) => 30 + LANE * threads.indexOf(thread);
  const y = (row) => TOP + ROW * row + ROW / 2;
  const width = 30 + LANE * threads.length + TEXT;
  const height = TOP + ROW * steps.length + 12;
  const pair = steps.map((s, i) => [s, i]).filter(([s]) => s.kind === 'access');
  const textAt = 30 + LANE * threads.length - 30;
  return (
    <svg class="lanes" viewBox={`0 0 ${width} ${height}`} width={width} role="img" aria-label={label}>
      {threads.map((t) => (
        <g key={t}>
          <text class="thread" x={x(t)} y={24} text-anchor="middle">{t === 'T0' ? 'main' : t}</text>
          <path class="lane" d={`M${x(t)} ${TOP - 8}V${height - 8}`} />
        </g>
      ))}
      {bands(steps).map(([t, lock, from, to], i) => (
        <g key={i}>
          <rect class="band" x={x(t) - 11} y={y(from)} width={22} height={Math.max(y(to) - y(from), 4)} rx={4}>
            <title>{lock}</title>
          </rect>
          <text class="lock" x={x(t) + 15} y={y(from) + 4}>{clip(lock, 9)}</text>
        </g>
      ))}
      {pair.length > 1 && (
        <path class="tie" d={pair.map(([s, i], k) => `${k ? 'L' : 'M'}${x(s.thread)} ${y(i)}`).join('')} />
      )}
      {steps.map((s, i) => (
        <g key={i} class={`step ${s.kind}`}>
          {s.kind === 'create' && (
            <path class="arrow" d={`M${x(s.thread)} ${y(i)}H${x(s.starts)}v8`} />
          )}
          <circle cx={x(s.thread)} cy={y(i)} r={s.kind === 'access' ? 8 : 4}>
            <title>{s.text}</title>
          </circle>
          <path class="lead" d={`M${x(s.thread) + 12} ${y(i)}H${textAt - 6}`} />
          <text x={textAt} y={y(i) - 3}>{clip(`${i + 1}. ${s.thread === 'T0' ? 'main' : s.thread} ${s.text}`, 64)}</text>
          <text class="at" x={textAt} y={y(i) + 13}>
            {clip([s.function, place(s), s.value !== undefined ? `value ${s.value}` : '', originOf(s)].filter(Boolean).join('  '), 84)}
          </text>
        </g>
      ))}
    </svg>
  );
}

/** The two orders to choose from, with their names: that of the clip and that of the recording; without a recording, a
 *  possible order and the same with the two accesses swapped. */
function ordersOf(f) {
  const given = f.interleaving?.length ? stepsOf(f.interleaving, f.threads) : null;
  const recorded = f.recorded?.length ? stepsOf(f.recorded, f.threads) : null;
  const first = given || f.narrative;
  // A schedule ends with the two accesses of a race, which may happen in either order.
  const swapped = given && isPair(f) ? [...given.slice(0, -2), given.at(-1), given.at(-2)] : f.swapped;
  const name = f.clip ? 'in the clip' : f.status === 'predicted' ? 'predicted order' : 'as observed';
  return [
    { name, steps: first, clip: given ? f.clip : null },
    recorded && given ? { name: 'as recorded', steps: recorded, clip: f.recording }
      : swapped && { name: 'the other order', steps: swapped, clip: null },
  ].filter(Boolean);
}

export function Lanes({ finding }) {
  const [swapped, setSwapped] = useState(false);
  const orders = ordersOf(finding);
  const shown = swapped && orders.length > 1 ? 1 : 0;
  return (
    <div>
      {orders.length > 1 && (
        <div class="choice" role="group" aria-label="order of the accesses">
          <button type="button" aria-pressed={!swapped} onClick={() => setSwapped(false)}>{orders[0].name}</button>
          <button type="button" id="other-order" aria-pressed={swapped} onClick={() => setSwapped(true)}>{orders[1].name}</button>
        </div>
      )}
      {orders.map((o, i) => ( // both are printed, because paper has no buttons
        <figure key={i} class={i === shown ? 'order' : 'order aside'}>
          <figcaption><span class="name">{o.name} </span>{o.clip && <code>pf replay {shellWord(o.clip)}</code>}</figcaption>
          <div class="scroll" tabIndex={0} role="group" aria-label={`interleaving, ${o.name}`}>
            <Picture steps={o.steps} label={`interleaving of ${finding.title}, ${o.name}`} />
          </div>
        </figure>
      ))}
    </div>
  );
}
