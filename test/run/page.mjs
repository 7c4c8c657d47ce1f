// page.mjs PACKAGES CHROMIUM FOLDER - opens the HTML reports in FOLDER in headless Chromium and uses them with mouse
// and keyboard. Any console message, any error and any network request fails. Screenshots are written to FOLDER.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [packages, executablePath, folder] = process.argv.slice(2);
const { chromium } = createRequire(`${packages}/`)('playwright-core');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'], timeout: 180000 });
const troubles = [];

async function open(name, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.setDefaultTimeout(120000); // the machine may be busy
  page.on('console', (m) => troubles.push(`${name}: console: ${m.text()}`));
  page.on('pageerror', (e) => troubles.push(`${name}: ${e}`));
  page.on('request', (r) => r.url().startsWith('file:') || troubles.push(`${name}: requests ${r.url()}`));
  await page.goto(pathToFileURL(`${folder}/${name}.html`).href);
  await page.waitForSelector('main > *:not(.back)', { state: 'attached' });
  return page;
}
/** Waits until the element's text matches: the page renders asynchronously. */
const until = (page, selector, pattern) =>
  page.waitForFunction(
    ([css, re]) => new RegExp(re).test(document.querySelector(css)?.textContent || ''),
    [selector, pattern.source]
  );
const count = (page, pattern) => until(page, '#count', pattern);
const title = (page, pattern) => until(page, 'article h2', pattern);

/** A finding with the cause of one row and the variable of another one joins both rows. */
async function rows() {
  const { load } = await import(pathToFileURL(`${packages}/src/data.js`).href);
  const made = [['a', 'A', 'x'], ['b', 'B', 'y'], ['c', 'C', 'z'], ['d', 'B', 'x'], ['e', 'A', 'w']];
  const more = made.map(([, group, object]) => ({ group, object, location: { kind: 'global' } }));
  const findings = made.map(([id]) => ({ id, accesses: [] }));
  const { groups } = load(JSON.stringify({ document: { findings }, more }));
  assert.deepEqual(groups.map((g) => g.map((f) => f.id).join('')), ['abde', 'c']);
}

async function real() {
  const page = await open('real');
  await title(page, /data race on the global variable 'shared'/);
  assert.equal(await page.locator('section.access').count(), 2);
  const marked = await page.locator('section.access > .excerpt .line.marked').allTextContents();
  assert.deepEqual(marked.map((t) => t.replace(/^\d+/, '').trim()).sort(), ['shared = 1;', 'shared = 2;']);
  const boxes = await Promise.all([0, 1].map((i) => page.locator('section.access').nth(i).boundingBox()));
  assert.equal(boxes[0].y, boxes[1].y, 'the excerpts are side by side');
  await until(page, '.order:not(.aside) .step.access text', /T1 writes/);
  assert.equal(await page.locator('.order:not(.aside) .band').count(), 1, 'the lock is a band');
  await page.keyboard.press('o');
  await until(page, '.order:not(.aside) .step.access text', /main writes/); // the other order
  await page.locator('.stack button').first().click();
  await page.waitForSelector('.stack .excerpt');
  await page.screenshot({ path: `${folder}/real.png`, fullPage: true });
  await page.close();
}

async function predicted() {
  const page = await open('predicted');
  const steps = await page.locator('.order:not(.aside) .step text:not(.at)').allTextContents();
  assert.ok(steps.some((s) => /T1 lock m/.test(s)) && steps.some((s) => /T1 unlock m/.test(s)), steps.join('; '));
  assert.equal(await page.locator('.order:not(.aside) .step.access').count(), 2, 'the two accesses are marked');
  assert.match((await page.locator('.order:not(.aside) .step.access .at').allTextContents()).join(), /value 2/);
  assert.equal(await page.locator('.order:not(.aside) .band').count(), 2, 'both threads hold the lock for a while');
  await page.screenshot({ path: `${folder}/predicted.png` });
  await page.close();
}

/** A finding of pf check: both orders are recordings, and each has its clip. */
async function checked() {
  const page = await open('checked');
  await count(page, /^1 finding/);
  await until(page, '#explored', /2 free runs, \d+ schedules, \d+ events/);
  await until(page, '#curve', /\d+ behaviours .* in \d+ schedules/);
  assert.match(await page.locator('#curve polyline').getAttribute('points'), /^0,80 \S+$/);
  await until(page, 'article', /confirmed.*Replay it: pf replay \S+\.clip.*pf replay --gdb/);
  await until(page, '.stages', /hatch.*confirmed/);
  const marked = () => page.locator('.order:not(.aside) .step.access text:not(.at)').allTextContents();
  const names = async () => (await marked()).map((t) => t.replace(/^\d+\. (\S+) .*/, '$1'));
  const clip = () => page.locator('.order:not(.aside) figcaption code').textContent();
  const [first, firstClip] = [await names(), await clip()];
  assert.match((await page.locator('.order:not(.aside) .step.access .at').allTextContents()).join(), /value \d/);
  await page.keyboard.press('o');
  await until(page, '.choice [aria-pressed=true]', /as recorded/);
  assert.deepEqual(await names(), first.reverse(), 'the accesses are in the other order');
  assert.notEqual(await clip(), firstClip);
  await page.screenshot({ path: `${folder}/checked.png`, fullPage: true });
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.locator('.order .lanes:visible').count(), 2, 'both orders are printed');
  await page.close();
}

async function darkPhoneAndPrint() {
  for (const [name, options] of [
    ['dark', { colorScheme: 'dark' }],
    ['phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  ]) {
    const page = await open('real', options);
    if (name === 'phone') {
      assert.equal(await page.locator('article').isVisible(), false, 'the list comes first');
      await page.locator('.row').first().tap();
      await page.waitForSelector('article', { state: 'visible' });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 390, `the page is wider than the phone: ${width}`);
    } else {
      const color = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      assert.ok(color.match(/\d+/g).slice(0, 3).every((c) => c < 60), color);
    }
    await page.screenshot({ path: `${folder}/${name}.png` });
    if (name === 'phone') {
      await page.locator('.back').tap();
      await page.waitForSelector('nav', { state: 'visible' });
    }
    await page.close();
  }
  const page = await open('some');
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  await page.waitForFunction(() => document.querySelectorAll('article').length === 12);
  await page.pdf({ path: `${folder}/paper.pdf` });
  assert.equal(await page.locator('.filters').isVisible(), false);
  await page.close();
}

async function keysAndFilters() {
  const page = await open('some');
  const at = (n) => page.waitForFunction((n) => document.querySelector('[aria-selected=true]')?.ariaPosInSet === n, `${n}`);
  await at(1);
  await page.keyboard.press('j');
  await at(2);
  await page.waitForFunction(() => /^#[0-9a-f]{16}$/.test(location.hash));
  await page.keyboard.press('k');
  await at(1);
  await page.keyboard.press('ArrowDown');
  await at(2);
  await page.keyboard.press('?');
  await page.waitForSelector('[role=dialog]');
  await page.keyboard.press('Escape');
  await page.waitForSelector('[role=dialog]', { state: 'detached' });
  await page.keyboard.press('/');
  await page.keyboard.type('variable7');
  await count(page, /^1 of 12 findings/);
  await title(page, /variable7/);
  await page.keyboard.press('Escape');
  await count(page, /^12 findings/);
  await page.selectOption('select[name=status]', 'confirmed');
  await count(page, /^4 of 12/);
  await page.selectOption('select[name=kind]', 'atomicity');
  await count(page, /^1 of 12/);
  await page.fill('input', 'no such thing');
  await until(page, 'main', /No finding matches/);
  await page.close();
  const linked = await open('some');
  await linked.evaluate(() => { location.hash = '#0000000000000004'; });
  await linked.waitForFunction(() => document.querySelector('article h2').id === 'title-0000000000000004');
  await linked.close();
  const none = await open('none');
  await until(none, 'main', /Nothing was found/);
  await none.close();
}

async function hostile() {
  const page = await open('hostile');
  const rows = await page.locator('.row').count();
  assert.equal(rows, 5, 'two findings of each name are about the same variable');
  assert.equal(await page.locator('.addresses dl').isVisible(), false, 'addresses are shown on demand only');
  await page.locator('.addresses summary').click();
  assert.match(await page.locator('.addresses dl').textContent(), /0x10.*0x20/);
  for (let i = 0; i < rows; i++) {
    await page.locator('.row').nth(i).click();
    assert.equal(await page.locator('article').count(), 1);
    await page.locator('.group a').click(); // the other finding with the same cause
    await page.waitForFunction(() => document.querySelector('article h2').id === `title-${location.hash.slice(1)}`);
  }
  assert.equal(await page.title(), 'photofinish report', 'a name became code');
  assert.equal(await page.evaluate(() => document.images.length), 0, 'a name became an element');
  assert.equal(await page.evaluate(() => document.scripts.length), 2);
  assert.match(await page.textContent('nav'), /<img src=x onerror=/, 'the names are shown');
  await page.screenshot({ path: `${folder}/hostile.png` });
  await page.close();
}

async function many() {
  const page = await open('many');
  await count(page, /^5000 findings/);
  assert.ok((await page.locator('.row').count()) < 60, 'only visible rows are in the document');
  await page.locator('.list').evaluate((e) => { e.scrollTop = e.scrollHeight; });
  await page.waitForFunction(() => document.querySelector('[aria-posinset="5000"]'));
  await page.locator('[aria-posinset="5000"]').click();
  for (let i = 0; i < 40; i++) await page.keyboard.press('k');
  await page.waitForFunction(() => document.querySelector('[aria-selected=true]')?.ariaPosInSet === '4960');
  await page.fill('input', 'variable4321');
  await count(page, /^1 of 5000/);
  await page.screenshot({ path: `${folder}/many.png` });
  await page.close();
}

try {
  for (const part of [rows, real, predicted, checked, darkPhoneAndPrint, keysAndFilters, hostile, many]) await part();
} finally {
  await browser.close();
}
assert.deepEqual(troubles, []);
