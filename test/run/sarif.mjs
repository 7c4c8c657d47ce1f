// sarif.mjs PACKAGES FILE... - validates SARIF files against the official schema, from an npm package.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [packages, ...files] = process.argv.slice(2);
const require = createRequire(`${packages}/`);
const Ajv = require('ajv-draft-04').default;
const schema = `${packages}/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json`;
const ajv = new Ajv({ allErrors: true, strict: false, unicodeRegExp: false });
require('ajv-formats').default(ajv);
const validate = ajv.compile(JSON.parse(readFileSync(schema, 'utf8')));
let failed = 0;
for (const file of files) {
  if (validate(JSON.parse(readFileSync(file, 'utf8')))) continue;
  failed = 1;
  for (const e of validate.errors.slice(0, 5)) console.error(`${file}: ${e.instancePath}: ${e.message}`);
}
process.exit(failed);
