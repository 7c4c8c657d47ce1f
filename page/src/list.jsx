// list.jsx - the list of groups: findings of the same variable, or with the same cause, share a row, which shows the first of them. Only the visible rows are in the page, so that thousands stay fast.
import { useEffect, useRef, useState } from 'preact/hooks';
import { place } from './data.js';

const ROW = 64;

export function List({ groups, selected, onSelect }) {
  const findings = groups.map((g) => g[0]);
  const box = useRef(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(800);
  const at = groups.findIndex((g) => g.some((f) => f.id === selected));

  useEffect(() => {
    const measure = () => box.current && setHeight(box.current.clientHeight || 800);
    measure();
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, []);
  useEffect(() => {
    const el = box.current;
    if (!el || at < 0) return;
    if (at * ROW < el.scrollTop) el.scrollTop = at * ROW;
    else if ((at + 1) * ROW > el.scrollTop + el.clientHeight) el.scrollTop = (at + 1) * ROW - el.clientHeight;
  }, [at]);

  const first = Math.max(0, Math.floor(top / ROW) - 5);
  const last = Math.min(findings.length, Math.ceil((top + height) / ROW) + 5);
  return (
    <div class="list" ref={box} tabIndex={0} role="listbox" aria-label="findings"
      aria-activedescendant={at >= first && at < last ? `row-${findings[at].id}` : undefined}
      onScroll={(e) => setTop(e.currentTarget.scrollTop)}>
      <div class="rows" style={{ height: `${findings.length * ROW}px` }}>
        {findings.slice(first, last).map((f, i) => (
          <div key={f.id} id={`row-${f.id}`} role="option" aria-selected={first + i === at}
            aria-setsize={findings.length} aria-posinset={first + i + 1}
            class={`row ${f.status}`} style={{ top: `${(first + i) * ROW}px` }} onClick={() => onSelect(f.id)}>
            <div class="head">
              <b>{f.accesses[0]?.variable || f.location?.name || f.kind}</b>
              <span class="count">{f.count}&times;</span>
            </div>
            <div class="sub">{f.accesses.map(place).slice(0, 2).join(' / ')}</div>
            <div class="sub">{f.kind}, {f.class || f.status}{f.harm ? ', harm' : ''}{f.counts === false ? ', suspicious' : ''}{f.accepted ? ', accepted' : ''}{groups[first + i].length > 1 ? `, ${groups[first + i].length - 1} more` : ''}</div>
          </div>
        ))}
      </div>
    </div>
  );
}
