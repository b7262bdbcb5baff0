// Runs the scenarios in the real workbench. The environment says where everything is; `cargo xtask test --only vscode` sets it.

import fs from 'node:fs';
import path from 'node:path';
import * as broken from './broken.mjs';
import * as diagnostics from './diagnostics.mjs';
import * as editing from './editing.mjs';
import * as formatting from './formatting.mjs';
import * as loops from './loops.mjs';
import * as navigation from './navigation.mjs';
import * as palette from './palette.mjs';
import * as python from './python.mjs';
import * as settings from './settings.mjs';
import * as sketches from './sketches.mjs';
import * as status from './status.mjs';
import * as story from './story.mjs';
import { Workbench } from './workbench.mjs';

/** Names of scenarios on the command line run those alone. */
const wanted = process.argv.slice(2);
const extension = path.resolve(import.meta.dirname, '../..');
const need = (name) => {
  const value = process.env[name];
  if (value === undefined || !fs.existsSync(value)) {
    console.error(`${name} must name a file; use \`cargo xtask test --only vscode\``);
    process.exit(64);
  }
  return path.resolve(value);
};
const out = path.resolve(process.env.SUMAC_E2E_OUT ?? path.join(extension, 'dist/e2e'));
fs.rmSync(out, { recursive: true, force: true });
fs.mkdirSync(out, { recursive: true });

const started = Date.now();
const log = (...words) => console.log(`[${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s]`, ...words);
let passed = 0;
const failed = [];

/** One step of a scenario: its failure is told with a picture, and the next step still runs. */
async function step(editor, title, act) {
  try {
    await act();
    passed += 1;
    log('ok    ', title);
  } catch (error) {
    failed.push(`${title}: ${error.message.slice(0, 500)}`);
    log('FAILED', title, '\n', error.message.slice(0, 2_000));
    await editor.screenshot(`FAILED ${title}`).catch(() => undefined);
    log('screen:\n' + (await editor.text().catch(() => '(none)')));
    await editor.page.keyboard.press('Escape').catch(() => undefined);
  }
}

const workbench = await Workbench.start({
  server: need('SUMAC_SERVER'),
  vsix: path.join(extension, 'dist/sumac.vsix'),
  node: need('SUMAC_E2E_NODE'),
  codeServer: need('SUMAC_E2E_CODE_SERVER'),
  chromium: need('SUMAC_E2E_CHROMIUM'),
  out,
});
log('the workbench is up');
try {
  for (const [name, scenario] of Object.entries({ story, navigation, broken, diagnostics, editing, formatting, palette, python, settings, sketches, loops, status })) {
    if (wanted.length > 0 && !wanted.includes(name)) {
      continue;
    }
    try {
      await scenario.run({ workbench, fixtures: path.resolve(extension, '../../fixtures'), step });
    } catch (error) {
      failed.push(`scenario ${name}`);
      log('FAILED', `scenario ${name}`, '\n', error);
    }
  }
} finally {
  try {
    await workbench.stop();
    log('everything has ended');
  } catch (error) {
    failed.push('the end');
    log('FAILED', error.message);
  }
}
console.log(`${passed} passed, ${failed.length} failed; screenshots and logs in ${out}`);
for (const title of failed) {
  console.log(`failed: ${title}`);
}
process.exit(failed.length > 0 ? 1 : 0);
