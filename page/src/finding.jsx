// finding.jsx - shows one finding.
import { isPair, place, shellWord } from './data.js';
import { Lanes } from './lanes.jsx';
import { Excerpt, Stack } from './source.jsx';

const OPS = {
  read: 'reads', write: 'writes', 'atomic-read': 'atomically reads', 'atomic-write': 'atomically writes',
  lock: 'locks', free: 'frees', fail: 'fails', wait: 'waits',
  unlock: 'unlocks', destroy: 'destroys', create: 'starts the thread', end: 'ends', call: 'makes the call',
};

/** The kinds whose accesses list the locks that were held; in the others, an empty list means nothing. */
const WITH_LOCKS = ['race', 'vptr-race', 'external-race', 'descriptor-race', 'atomicity', 'atomic-set', 'deadlock'];

/** The memory errors: only a watched replay checks accesses. */
const needsWatch = (kind) => /-overflow$|^use-after-|^double-free$/.test(kind);

function Access({ sources, access, later, knowsLocks }) {
  return (
    <section class="access">
      <h3>
        {access.thread === 'T0' ? 'The main thread' : `Thread ${access.thread}`} {OPS[access.op] || access.op}{' '}
        {access.op !== 'free' && access.size > 0 && `${access.size} byte${access.size === 1 ? '' : 's'}`}
        {access.variable && <span> of <code>{access.variable}</code></span>}
        {later !== null && <small>{later ? 'later' : 'earlier'}</small>}
      </h3>
      <p class="where">
        {access.function} {place(access)}
        {access.locks.length > 0 && <span>, holding {access.locks.join(', ')}</span>}
        {!access.locks.length && knowsLocks && <span>, holding no lock</span>}
      </p>
      <Excerpt sources={sources} place={access} />
      <h4>Stack</h4>
      <Stack sources={sources} stack={access.stack} />
    </section>
  );
}

function Memory({ sources, location }) {
  if (!location || location.kind === 'unknown') return null;
  const size = location.size ? `${location.size} bytes` : '';
  return (
    <section>
      <h3>The memory</h3>
      <p>
        {location.kind === 'global' && <span>global <code>{location.name}</code>, {size} {location.file && place(location)}</span>}
        {location.kind === 'heap' && <span>a heap block of {size}, allocated by {location.thread}{location.freed && ', freed since'}</span>}
        {location.kind === 'stack' && <span>on the stack of {location.thread}</span>}
        {location.kind === 'descriptor' && <span>file descriptor {location.number}, opened by {location.thread}</span>}
        {location.kind === 'tls' && <span>thread-local storage of {location.thread}</span>}
      </p>
      {location.stack && <Stack sources={sources} stack={location.stack} />}
    </section>
  );
}

function Stages({ stages }) {
  if (!stages || (stages.length === 1 && stages[0].status === 'observed')) return null;
  return (
    <table class="stages">
      <caption>Stages that saw it</caption>
      <tbody>
        {stages.map((s, i) => (
          <tr key={i}>
            <th scope="row">{s.stage}</th>
            <td>{s.analysis !== s.stage && s.analysis}</td>
            <td>{s.status}</td>
            <td>{s.count}&times;</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The steps of one order; the two accesses are marked with a star in the text. */
function Steps({ text }) {
  return (
    <ol class="steps">
      {text.split('\n').map((s, i) => (
        <li key={i}>{s.startsWith('*') ? <b>{s.slice(2)}</b> : s.slice(2)}</li>
      ))}
    </ol>
  );
}

/** What the class rests on: the reason, texts, and a clip of each order. */
function Judged({ judged: j }) {
  if (!j) return null;
  return (
    <section class="judged">
      <h3>Judged: {j.class}{j.k > 0 && ` (k = ${j.k})`}</h3>
      <p>{j.reason}</p>
      {j.adhoc && <p>One access is the test of ad hoc synchronisation.</p>}
      <dl>
        {j.evidence.filter((e) => !e.clip).map((e, i) => (
          <div key={i}>
            <dt>{e.kind}</dt>
            <dd><pre>{e.text}</pre></dd>
          </div>
        ))}
      </dl>
      <div class="orders">
        {j.evidence.filter((e) => e.clip).map((e) => (
          <section key={e.kind}>
            <h4>The {e.kind} order</h4>
            {e.text && <Steps text={e.text} />}
            <p><code>pf replay {shellWord(e.clip)}</code></p>
          </section>
        ))}
      </div>
    </section>
  );
}

/** Links to all findings of the same variable, or with the same cause. */
function Group({ group, shown }) {
  if (group.length < 2) return null;
  return (
    <details class="group" open={group.length <= 8}>
      <summary>{group.length} findings of this variable or cause</summary>
      <ul>
        {group.map((f) => (
          <li key={f.id}>{f === shown ? <b>{f.title}</b> : <a href={`#${f.id}`}>{f.title}</a>}, {f.status}, {f.count}&times;</li>
        ))}
      </ul>
    </details>
  );
}

/** The addresses of the memory and of the locks; they differ from run to run, so they are closed at first. */
function Addresses({ finding: f }) {
  const rows = [
    ...(f.location?.address ? [[f.location.name || 'the memory', f.location.address]] : []),
    ...f.accesses.filter((a) => a.address).map((a) => [`${a.thread} ${OPS[a.op] || a.op}`, a.address]),
    ...f.accesses.flatMap((a) => (a.held || []).map((l, i) => [a.locks[i], l.address])),
  ];
  if (!rows.length) return null;
  const seen = [...new Map(rows.map((r) => [r.join(), r])).values()];
  return (
    <details class="addresses">
      <summary>Addresses</summary>
      <dl>{seen.map(([what, address], i) => <div key={i}><dt>{what}</dt><dd><code>{address}</code></dd></div>)}</dl>
    </details>
  );
}

export function Finding({ finding: f, group, sources }) {
  return (
    <article class="finding" aria-labelledby={`title-${f.id}`}>
      <h2 id={`title-${f.id}`} tabIndex={-1}>{f.title}</h2>
      <p class="tags">
        <span class={`tag ${f.status}`}>{f.status}</span>
        {f.class && <span class={`tag ${f.class}`}>{f.class}</span>}
        {f.counts === false && <span class="tag">suspicious</span>}
        {f.accepted && <span class="tag">accepted</span>}
        <span>{f.analysis}</span>
        <span>seen {f.count} {f.count === 1 ? 'time' : 'times'}{f.executions && ` in ${f.executions} executions`}</span>
        <code>{f.id}</code>
      </p>
      {f.counts === false && <p>Suspicious: not shown to matter ({f.suspicious || 'no reason known'}). It does not count.</p>}
      {f.harm && <p class="harm">Harm: {f.harm}</p>}
      {f.child && <p>It happens in the forked child {f.child}.</p>}
      {f.clip && <p>Replay it: <code>pf replay {needsWatch(f.kind) && '--watch '}{shellWord(f.clip)}</code>, in gdb: <code>pf replay --gdb {shellWord(f.clip)}</code></p>}
      {f.input && <p>It needs another input: <code>{f.input.command || f.input.folder}</code></p>}
      {!f.clip && f.tries > 0 && (
        <p>{f.status === 'observed' ? 'Observed, not yet confirmed' : 'Not confirmed'}: {f.tries}{' '}
          {f.tries === 1 ? 'schedule' : 'schedules'} aimed at it did not show it again.</p>
      )}
      <Judged judged={f.judged} />
      <Group group={group} shown={f} />
      <Stages stages={f.stages} />
      <div class="pair">
        {f.accesses.map((a, i) => (
          <Access key={i} sources={sources} access={a} later={isPair(f) ? i === 0 : null} knowsLocks={WITH_LOCKS.includes(f.kind)} />
        ))}
      </div>
      {(f.interleaving?.length || f.narrative?.length) > 0 && (
        <section>
          <h3>Interleaving</h3>
          <Lanes finding={f} />
        </section>
      )}
      <Memory sources={sources} location={f.location} />
      <Addresses finding={f} />
      {f.threads?.some((t) => t.thread !== 'T0') && (
        <section>
          <h3>Threads</h3>
          {f.threads.filter((t) => t.thread !== 'T0').map((t) => (
            <div key={t.thread}>
              <p>{t.thread}{t.name && ` '${t.name}'`} ({t.state}), created by {t.created_by === 'T0' ? 'the main thread' : t.created_by}:</p>
              <Stack sources={sources} stack={t.stack} />
            </div>
          ))}
        </section>
      )}
      {f.tests?.length > 0 && (
        <section>
          <h3>Tests</h3>
          <ul class="tests">{f.tests.map((t) => <li key={t}><code>{t}</code></li>)}</ul>
        </section>
      )}
    </article>
  );
}
