'use strict';
// page_test.cjs MAKE_SAMPLES FOLDER: makes runs of each kind and looks at their report.html in Chromium, as a person would.
const assert = require('node:assert/strict');
const {execFileSync} = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const {chromium} = require(path.join(__dirname, '../../node_modules/playwright-core'));

const [makeSamples, folder] = process.argv.slice(2);
const hostile = 'alert(1)';

function findChromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  for (const directory of (process.env.PATH || '').split(':')) {
    for (const name of names) if (fs.existsSync(path.join(directory, name))) return path.join(directory, name);
  }
  console.error('No Chromium in PATH: run scripts/setup, which installs it.');
  process.exit(1);
}

const runs = {
  failed: {verdict: 'fail', first: 'lane 2 of link0 saw 900 errors in 1000000 bits', step: 'step-link/prbs', pictures: ['Timeline', 'Rail ramps, up (V)', 'Droop of vdd_core under bursts (V)', 'link0: link training', 'link0: bit error ratio per lane', 'tern hbm: windows per lane', 'tern hbm: read shmoo', 'Thermal resistance per zone', 'tensor: roofline', 'Loss of the perceptron in training', 'Temperatures (degC)', 'Voltages (V)']},
  passed: {verdict: 'marginal', pictures: ['Timeline', 'Rail ramps, up (V)', 'link0: link training', 'Thermal resistance per zone', 'Temperatures (degC)']},
  killed: {verdict: 'error', unsafe: true, first: 'The record ends while prbs was running', step: 'step-link/prbs', pictures: ['Timeline', 'Rail ramps, up (V)', 'Temperatures (degC)']},
  tripped: {verdict: 'fail', first: 'die.hottest is 106.2 degC', pictures: ['Timeline', 'Interlock overtemp: tripped (degC)']},
};
const views = [{width: 1280, scheme: 'light'}, {width: 1280, scheme: 'dark'}, {width: 400, scheme: 'light'}, {width: 400, scheme: 'dark'}];

/** Relative luminance and contrast as WCAG 2.2 defines them, of every text that is shown. */
function findPaleTexts() {
  const channels = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => { const v = c / 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const background = (node) => {
    for (let n = node; n; n = n.parentElement) {
      const c = channels(getComputedStyle(n).backgroundColor);
      if (c.length === 3 || (c.length === 4 && c[3] > 0.99)) return c;
    }
    return [255, 255, 255];
  };
  const pale = new Set();
  for (const node of document.querySelectorAll('main *')) {
    if (node.closest('svg') || !node.checkVisibility() || ![...node.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
    const [a, b] = [luminance(channels(getComputedStyle(node).color)), luminance(background(node))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) pale.add(`${node.tagName}.${node.className}: ${contrast.toFixed(2)} "${node.textContent.slice(0, 30)}"`);
  }
  return [...pale];
}

async function looksRight(page, run, name) {
  assert.equal((await page.locator('.headline .verdict').first().textContent()).trim(), run.verdict, 'the verdict is the first thing on the page');
  assert.equal(await page.locator('.headline', {hasText: 'not safe'}).count(), run.unsafe ? 1 : 0, 'an unsafe bench is told in the headline');
  const card = page.locator('.card.failure');
  assert.equal(await card.count(), run.first ? 1 : 0);
  if (run.first) {
    assert.ok((await card.textContent()).includes(run.first), `the first failure says "${run.first}"`);
    const box = await card.boundingBox();
    assert.ok(box.y < 500, `the first failure is on the first screen (it begins at ${box.y} px)`);
  }
  const titles = await page.locator('figure h3').allTextContents();
  for (const title of run.pictures) assert.ok(titles.includes(title), `${name}: there is a picture "${title}" among ${titles.join(', ')}`);
  for (const figure of await page.locator('figure').all()) {
    const title = await figure.locator('h3').textContent();
    const marks = await figure.locator('svg path, svg rect, svg polyline').count();
    assert.ok(marks > 4, `picture "${title}" is drawn (${marks} marks)`);
    const box = await figure.locator('svg').boundingBox();
    assert.ok(box && box.width > 200 && box.height > 100, `picture "${title}" has room`);
    assert.ok(await figure.locator('[role=img]').getAttribute('aria-label'), `picture "${title}" has words for those who do not see it`);
  }
}

async function fits(page, width, when) {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(overflow <= width, `no horizontal scroll ${when}: ${overflow} px wide at ${width}`);
}

async function filtersWork(page, run) {
  const shown = () => page.locator('#tree details:visible').evaluateAll((all) => all.map((n) => [n.id, n.dataset.verdict, n.querySelectorAll('details:not([hidden])').length]));
  const all = await shown();
  await page.locator('#filters button', {hasText: 'only what failed'}).click();
  const bad = ['fail', 'aborted', 'error'];
  const failed = await shown();
  assert.ok(failed.length < all.length, 'the filter hides something');
  for (const [id, verdict, held] of failed) assert.ok(bad.includes(verdict) || held > 0, `${id} (${verdict}) is shown though nothing in it failed`);
  assert.equal(failed.length > 0, run.verdict !== 'marginal', 'what failed is shown');
  assert.equal(await page.getByText('No step failed.').isVisible(), run.verdict === 'marginal', 'an empty list says so');
  await page.locator('#filters button', {hasText: 'only marginal'}).click();
  assert.ok((await page.locator('#tree').textContent()).includes('The core rail settles'));
  assert.ok(await page.locator('[id="step-rails"]').isVisible());
  assert.ok(!(await page.locator('[id="step-chip"]').isVisible()));
  await page.locator('#filters button', {hasText: 'all'}).first().click();
  assert.equal((await shown()).length, all.length);
}

async function linkOpensTheStep(page, run) {
  if (!run.step) return;
  const target = page.locator(`[id="${run.step}"]`);
  await page.evaluate(() => { for (const d of document.querySelectorAll('details')) d.open = false; scrollTo(0, 0); });
  assert.ok(!(await target.isVisible()));
  await page.locator('a.tostep').focus();
  await page.keyboard.press('Enter');
  assert.ok(await target.isVisible(), 'the link unfolds what holds the step');
  assert.equal(await target.evaluate((n) => n.open), true);
  assert.equal(await page.evaluate(() => document.activeElement.parentElement.id), run.step, 'the focus goes along, for those who use the keyboard');
  const y = await target.evaluate((n) => n.getBoundingClientRect().top);
  assert.ok(y > -5 && y < 800, `the step is in sight (${y})`);
  await page.keyboard.press('Enter');
  assert.equal(await target.evaluate((n) => n.open), false, 'the keyboard folds it again');
}

async function unfoldsEverything(page, width) {
  await page.locator('#filters button', {hasText: 'unfold all'}).click();
  await page.locator('#ledger summary').click();
  await page.waitForFunction(() => [...document.querySelectorAll('#tree details')].every((d) => d.open && d.querySelector('.body')));
  await fits(page, width, 'with everything unfolded');
  const texts = await page.locator('#tree').innerText();
  assert.ok(texts.includes(hostile), 'what a step is called is shown as it is written');
  assert.ok(!texts.includes('rails.steps[0]'), 'a for_each shows as its steps');
  assert.ok(texts.includes('vdd_sram on'));
  assert.equal(await page.evaluate(() => document.querySelectorAll('main script, #tree b').length), 0, 'no text became markup');
  assert.equal(await page.locator('a[href^="files/"]').count(), 1);
  const pale = await page.evaluate(findPaleTexts);
  assert.deepEqual(pale, [], 'every text has a contrast of 4.5 or more');
}

async function check(browser, name, run, {width, scheme}) {
  const context = await browser.newContext({viewport: {width, height: 900}, colorScheme: scheme});
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`); });
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`));
  page.on('dialog', (dialog) => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  const file = `file://${path.resolve(folder, name, 'report.html')}`;
  await context.route('**/*', (route) => {
    if (route.request().url().split('#')[0] === file) return route.continue();
    complaints.push(`request: ${route.request().url()}`);
    return route.abort();
  });
  await page.goto(file);
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'true', undefined, {timeout: 60000});
  await looksRight(page, run, name);
  await fits(page, width, 'at first');
  await filtersWork(page, run);
  await linkOpensTheStep(page, run);
  await unfoldsEverything(page, width);
  assert.deepEqual(complaints, [], 'nothing to complain of');
  await context.close();
}

async function deepLinkOpensTheStep(browser) {
  const page = await browser.newPage();
  await page.goto(`file://${path.resolve(folder, 'passed', 'report.html')}#step-rails/on[vdd_core]`);
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'true', undefined, {timeout: 60000});
  assert.ok(await page.locator('[id="step-rails/on[vdd_core]"] .body').isVisible());
  await page.close();
}

(async () => {
  const executablePath = findChromium();
  execFileSync(makeSamples, [folder], {stdio: 'inherit'});
  const browser = await chromium.launch({executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']});
  let failed = 0;
  const attempt = async (what, run) => {
    try {
      await run();
      console.log(`ok      ${what}`);
    } catch (error) {
      ++failed;
      console.error(`FAILED  ${what}: ${error.message}`);
    }
  };
  try {
    for (const [name, run] of Object.entries(runs)) for (const view of views) await attempt(`${name} at ${view.width} px, ${view.scheme}`, () => check(browser, name, run, view));
    await attempt('a link to a step from outside', () => deepLinkOpensTheStep(browser));
  } finally {
    await browser.close();
  }
  process.exit(failed ? 1 : 0);
})().catch((error) => { console.error(error.message); process.exit(1); });
