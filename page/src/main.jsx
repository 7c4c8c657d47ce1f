// main.jsx - the page: filters, the list, the finding; handles keys and the address bar.
import { render } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Curve } from './curve.jsx';
import { FIELDS, countText, filter, load, values } from './data.js';
import { Finding } from './finding.jsx';
import { List } from './list.jsx';

const PRINTED = 100;
const KEYS = [
  ['j, \u2193', 'next finding'], ['k, \u2191', 'previous finding'], ['/', 'search'], ['Esc', 'back to the list, or clear the search'],
  ['o', 'the other order'], ['?', 'this help'],
];

function Filters({ data, query, setQuery, chosen, setChosen, search }) {
  const options = useMemo(
    () => Object.keys(FIELDS).map((k) => [k, values(data.findings, FIELDS[k])]).filter(([, v]) => v.length > 1),
    [data]
  );
  return (
    <form class="filters" role="search" onSubmit={(e) => e.preventDefault()}>
      <input ref={search} type="search" placeholder="search: function, file, variable, test  ( / )" aria-label="search"
        value={query} onInput={(e) => setQuery(e.currentTarget.value)} />
      {options.map(([name, found]) => (
        <label key={name}>
          {name}
          <select name={name} value={chosen[name] || ''} onChange={(e) => setChosen({ ...chosen, [name]: e.currentTarget.value })}>
            <option value="">all</option>
            {found.slice(0, 500).map(([v, n]) => <option key={v} value={v}>{v} ({n})</option>)}
          </select>
        </label>
      ))}
    </form>
  );
}

const countOf = (groups) => groups.reduce((n, g) => n + g.length, 0);

function Head({ data, shown }) {
  const d = data.document;
  const all = countText(data.causes, d.findings.length);
  const suite = d.suite;
  return (
    <header>
      <h1>photofinish</h1>
      <p id="count">
        {countOf(shown) === d.findings.length ? all : `${countOf(shown)} of ${all}`}
        {suite && `, ${suite.executions} executions of ${suite.tests} tests, ${suite.failed} failed`}
      </p>
      {d.check && (
        <p id="explored">
          explored: {d.check.runs} free runs, {d.check.schedules} schedules, {d.check.events} events
        </p>
      )}
      {d.check && <Curve points={d.check.curve} />}
      {d.command.length > 0 && <p class="command"><code>{d.command.join(' ')}</code></p>}
      {!d.complete && (
        <details class="incomplete">
          <summary>incomplete: there may be more findings</summary>
          <pre>{data.losses || 'unknown reason'}</pre>
        </details>
      )}
    </header>
  );
}

function Help({ onClose }) {
  return (
    <div class="help" role="dialog" aria-label="keys" onClick={onClose}>
      <dl>{KEYS.map(([k, what]) => <div key={k}><dt><kbd>{k}</kbd></dt><dd>{what}</dd></div>)}</dl>
    </div>
  );
}

function Page({ data }) {
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState({});
  const [selected, setSelected] = useState(location.hash.slice(1) || data.findings[0]?.id);
  const [opened, setOpened] = useState(location.hash.length > 1); // on a phone: show the finding instead of the list
  const [help, setHelp] = useState(false);
  const [printing, setPrinting] = useState(false);
  const search = useRef(null);
  const shown = useMemo(() => filter(data.groups, query, chosen), [data, query, chosen]);
  const group = shown.find((g) => g.some((f) => f.id === selected)) || shown[0];
  const current = group?.find((f) => f.id === selected) || group?.[0];

  const select = (id) => {
    setSelected(id);
    setOpened(true);
    history.replaceState(null, '', `#${id}`);
  };
  const now = useRef(null); // keys can arrive faster than the page is drawn
  now.current = { shown, group };
  const move = (by) => {
    const next = now.current.shown[now.current.shown.indexOf(now.current.group) + by];
    if (!next) return;
    now.current.group = next;
    select(next[0].id);
  };
  useEffect(() => {
    const onKey = (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      const typing = e.target.matches?.('input, select, textarea');
      if (e.key === 'Escape') {
        if (help) setHelp(false);
        else if (typing) { setQuery(''); e.target.blur(); } else setOpened(false);
      } else if (typing) return;
      else if (e.key === 'j' || e.key === 'ArrowDown') { move(1); e.preventDefault(); }
      else if (e.key === 'k' || e.key === 'ArrowUp') { move(-1); e.preventDefault(); }
      else if (e.key === '/') { setOpened(false); search.current.focus(); e.preventDefault(); }
      else if (e.key === 'o') document.getElementById('other-order')?.click();
      else if (e.key === '?') setHelp(!help);
    };
    const onHash = () => location.hash.length > 1 && setSelected(location.hash.slice(1));
    addEventListener('keydown', onKey);
    addEventListener('hashchange', onHash);
    return () => {
      removeEventListener('keydown', onKey);
      removeEventListener('hashchange', onHash);
    };
  });
  useEffect(() => {
    const before = () => setPrinting(true), after = () => setPrinting(false);
    addEventListener('beforeprint', before);
    addEventListener('afterprint', after);
    return () => {
      removeEventListener('beforeprint', before);
      removeEventListener('afterprint', after);
    };
  }, []);

  return (
    <div class={opened ? 'app opened' : 'app'}>
      <nav aria-label="findings">
        <Head data={data} shown={shown} />
        <Filters {...{ data, query, setQuery, chosen, setChosen, search }} />
        <List groups={shown} selected={current?.id} onSelect={select} />
        <footer><button type="button" class="plain" onClick={() => setHelp(true)}>keys: ?</button> photofinish {data.version}</footer>
      </nav>
      <main>
        <button type="button" class="back" onClick={() => setOpened(false)}>&larr; all findings</button>
        {printing ? (
          <div>
            {shown.slice(0, PRINTED).map((g) => <Finding key={g[0].id} finding={g[0]} group={g} sources={data.sources} />)}
            {shown.length > PRINTED && <p>{shown.length - PRINTED} more are not printed.</p>}
          </div>
        ) : current ? (
          <Finding key={current.id} finding={current} group={group} sources={data.sources} />
        ) : (
          <p class="none">{data.findings.length ? 'No finding matches.' : 'Nothing was found.'}</p>
        )}
      </main>
      {help && <Help onClose={() => setHelp(false)} />}
    </div>
  );
}

const data = load(document.getElementById('pf-data').textContent);
const root = document.getElementById('page');
root.textContent = '';
render(<Page data={data} />, root);
