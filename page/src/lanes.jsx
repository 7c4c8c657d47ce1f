// lanes.jsx - the interleaving: a lane a thread, time runs down. The finding's accesses are marked, locks
// are bands on the lane of who holds them, an arrow starts a thread.
import { useState } from 'preact/hooks';
import { place } from './data.js';

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

/** [thread, lock, first row, last row]: from where it is taken to where it is given back, or to the last step
 *  for which it is held. */
function bands(steps) {
  const found = [];
  steps.forEach((s, i) => {
    if (!s.lock) return;
    let last = i;
    for (let k = i + 1; k < steps.length; k++) {
      const t = steps[k];
      if (t.thread !== s.thread) continue;
      if (s.access === undefined || t.access === s.access) last = k;
      if (t.gives === s.lock) break;
    }
    found.push([s.thread, s.lock, i, last]);
  });
  return found;
}

const TAKES = new Set(['lock', 'rdlock', 'wake']);
const GIVES = new Set(['unlock', 'rdunlock', 'wait']);

/** A schedule that came with the finding, as steps of a picture. */
function stepsOf(interleaving, threads) {
  const numbers = new Map((threads || []).map((t) => [t.name, t.thread]));
  return interleaving.map((m) => ({
    thread: m.thread,
    kind: m.marked ? 'access' : TAKES.has(m.op) ? 'lock' : m.op === 'fork' ? 'create' : 'other',
    text: [m.op, m.name].filter(Boolean).join(' '),
    lock: TAKES.has(m.op) ? m.name : undefined,
    gives: GIVES.has(m.op) ? m.name : undefined,
    starts: m.op === 'fork' ? numbers.get(m.name) || (/^T\d+$/.test(m.name) ? m.name : m.thread) : undefined,
    value: m.value ?? undefined,
    from: m.from,
    file: m.file,
    line: m.line,
  }));
}

/** Where the value comes from, or who holds what is wanted. */
function handed(s) {
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
            {clip([s.function, place(s), s.value !== undefined ? `value ${s.value}` : '', handed(s)].filter(Boolean).join('  '), 84)}
          </text>
        </g>
      ))}
    </svg>
  );
}

/** The two orders with their names: what the clip shows and what was recorded before; else a possible order and the
 *  one with the two accesses changed. */
function ordersOf(f) {
  const given = f.interleaving?.length ? stepsOf(f.interleaving, f.threads) : null;
  const recorded = f.recorded?.length ? stepsOf(f.recorded, f.threads) : null;
  const first = given || f.narrative;
  // At the end of a schedule both accesses of a race are next: either may come first.
  const swapped = given && f.accesses.length === 2 ? [...given.slice(0, -2), given.at(-1), given.at(-2)] : f.swapped;
  const name = f.clip ? 'in the clip' : f.status === 'predicted' ? 'predicted order' : 'as it was seen';
  return [
    { name, steps: first, clip: given ? f.clip : null },
    recorded && given ? { name: 'as it was recorded', steps: recorded, clip: f.recording }
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
      {orders.map((o, i) => ( // paper has no buttons: both are printed
        <figure key={i} class={i === shown ? 'order' : 'order aside'}>
          <figcaption><span class="name">{o.name} </span>{o.clip && <code>pf replay {o.clip}</code>}</figcaption>
          <div class="scroll" tabIndex={0} role="group" aria-label={`interleaving, ${o.name}`}>
            <Picture steps={o.steps} label={`interleaving of ${finding.title}, ${o.name}`} />
          </div>
        </figure>
      ))}
    </div>
  );
}
