// build.mjs OUT - bundles the page into ONE file that needs no network: style and script are inside, and the
// content security policy allows only that script. pf report --html replaces the marker by the findings.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];
const result = await build({
  entryPoints: [join(here, 'src/main.jsx')],
  bundle: true,
  minify: true,
  write: false,
  format: 'iife',
  target: ['es2020'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  charset: 'ascii',
});
const script = result.outputFiles[0].text.replaceAll('</script', '<\\/script');
const style = readFileSync(join(here, 'src/style.css'), 'utf8');
const hash = createHash('sha256').update(script).digest('base64');
const csp = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
writeFileSync(
  out,
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${csp}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>photofinish report</title>
<style>
${style}</style>
</head>
<body>
<div id="page"><noscript>This report needs JavaScript; pf report --text does not.</noscript></div>
<script type="application/json" id="pf-data">@@PF-DATA@@</script>
<script>${script}</script>
</body>
</html>
`
);
