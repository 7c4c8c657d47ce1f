// source.jsx - source lines and stacks. The highlighter escapes its input; everything else is inserted as text.
import hljs from 'highlight.js/lib/core';
import cpp from 'highlight.js/lib/languages/cpp';
import { useState } from 'preact/hooks';
import { excerpt } from './data.js';

hljs.registerLanguage('cpp', cpp);

function Line({ number, text, marked, column }) {
  const html = hljs.highlight(text, { language: 'cpp', ignoreIllegals: true }).value;
  return (
    <div class={marked ? 'line marked' : 'line'}>
      <span class="number" aria-hidden="true">{number}</span>
      <code title={marked && column ? `column ${column}` : undefined} dangerouslySetInnerHTML={{ __html: html || ' ' }} />
    </div>
  );
}

export function Excerpt({ sources, place, around = 6 }) {
  if (!place?.file) return <p class="none">{place?.function ? `${place.function} has no source` : 'unknown position'}</p>;
  const lines = excerpt(sources, place.file, place.line, around);
  if (!lines.length) return <p class="none">The source of {place.file} was not found when the report was made.</p>;
  return (
    <div class="excerpt" tabIndex={0} role="group" aria-label={`${place.file}, line ${place.line}`}>
      {lines.map(([n, text]) => (
        <Line key={n} number={n} text={text} marked={n === place.line || place.merged_lines?.includes(n)} column={place.column} />
      ))}
    </div>
  );
}

const merged = (p) => (p.merged_lines ? ` (merged with line ${p.merged_lines.join(', ')})` : '');

/** A stack; a frame with source lines can be opened. */
export function Stack({ sources, stack }) {
  const [open, setOpen] = useState(-1);
  if (!stack.length) return <p class="none">The stack is unknown.</p>;
  return (
    <ol class="stack" start={0}>
      {stack.map((p, i) => {
        const has = p.file && sources[p.file]?.[p.line] !== undefined;
        const where = p.file ? `${p.file}:${p.line}${p.column ? `:${p.column}` : ''}${merged(p)}` : '';
        return (
          <li key={i}>
            {has ? (
              <button type="button" class="plain" aria-expanded={open === i} onClick={() => setOpen(open === i ? -1 : i)}>
                <b>{p.function}</b> <span class="where">{where}</span>
              </button>
            ) : (
              <span>
                <b>{p.function}</b> <span class="where">{where}</span>
              </span>
            )}
            {p.folded && <span class="where"> (recursion, repeats)</span>}
            {open === i && <Excerpt sources={sources} place={p} around={4} />}
          </li>
        );
      })}
    </ol>
  );
}
