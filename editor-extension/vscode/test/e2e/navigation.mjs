// Finding one's way through scripts that source each other, by the keys that people press.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { until } from './workbench.mjs';

export const name = 'navigation';

/** The line number (from 1) and the column (from 1) of `inside` in the first line that contains `text`. */
function find(source, text, inside = text) {
  const lines = source.split('\n');
  const number = lines.findIndex((line) => line.includes(text));
  assert.ok(number >= 0, `"${text}" is not in the script`);
  return [number + 1, lines[number].indexOf(text) + text.indexOf(inside) + 1];
}

export async function run({ workbench, fixtures, step }) {
  const data = { '.vscode/settings.json': '{"editor.linkedEditing": true}',  'data/well1850.mtx.mtd': fs.readFileSync(path.join(fixtures, 'data/well1850.mtx.mtd'), 'utf8') };
  const editor = await workbench.open({ copy: path.join(fixtures, 'workspace'), files: { ...data, 'links.dml': 'X = read("data/well1850.mtx")\nprint(sum(X))\n' }, show: 'als.dml' });
  const { page } = editor;
  const status = (line, column) => page.locator('.statusbar-item', { hasText: `Ln ${line}, Col ${column}` });
  const at = async (file, text, inside) => editor.goTo(...find(editor.file(file), text, inside));
  const arrives = async (file, text, inside) => {
    await editor.shows(path.basename(file));
    await status(...find(editor.file(file), text, inside)).waitFor();
  };
  const open = async (file) => {
    await page.keyboard.press('Control+P');
    await page.locator('.quick-input-widget input').waitFor();
    await page.keyboard.type(path.basename(file));
    // The first row may be another file: what was opened last comes first.
    await page.locator('.quick-input-list .monaco-list-row', { has: page.getByText(path.basename(file), { exact: true }) }).first().click();
    await editor.shows(path.basename(file));
  };
  const rename = async (name) => {
    await page.keyboard.press('F2');
    await until('the box for the name', () => page.evaluate(() => Boolean(document.activeElement?.closest('.rename-box'))));
    await page.keyboard.press('Control+A');
    await page.keyboard.type(name);
    await page.keyboard.press('Enter');
  };
  const picks = () => page.locator('.quick-input-list .monaco-list-row').allTextContents();

  await step(editor, 'a call leads to the function in another file', async () => {
    await at('als.dml', 'losses::squared', 'squared');
    await editor.goToDefinition('losses.dml');
    await arrives('lib/losses.dml', 'squared = function');
    await open('als.dml');
  });

  await step(editor, 'a variable leads to its assignment, and its type to the function that made it', async () => {
    await at('als.dml', 'loss = next', 'next');
    await page.keyboard.press('F12');
    await arrives('als.dml', 'next = losses');
    await editor.command('Go to Type Definition');
    await arrives('lib/losses.dml', 'regularized = function');
    await open('als.dml');
  });

  await step(editor, 'references are found in files that are not open', async () => {
    await at('als.dml', 'losses::squared', 'squared');
    await page.keyboard.press('Shift+F12');
    const tree = page.locator('.zone-widget .ref-tree');
    await tree.waitFor();
    const files = await until('files', async () => {
      const shown = await tree.locator('.reference-file').allTextContents();
      return shown.length === 3 && shown;
    });
    for (const file of ['als.dml', 'losses.dml', 'report.dml']) {
      assert.ok(files.some((shown) => shown.includes(file)), `${file} is not among ${JSON.stringify(files)}`);
    }
    await editor.screenshot('references');
    await page.keyboard.press('Escape');
  });

  await step(editor, 'other places of a name are highlighted, reads and writes apart', async () => {
    const shown = async () =>
      (await editor.pane.locator('.wordHighlightStrong').count()) === 2 && (await editor.pane.locator('.wordHighlight').count()) === 1;
    await until('two writes, one read', async () => {
      // The editor asks when the cursor moves: one that came before the server was ready moves again.
      await editor.goTo(1);
      await at('als.dml', 'while (improving', 'improving');
      return until('the highlights', shown, 4_000).catch(() => false);
    });
  });

  await step(editor, 'the outline of a script is offered', async () => {
    await page.keyboard.press('Control+Shift+O');
    const shown = await until('symbols', async () => {
      const rows = await picks();
      return rows.length > 5 && rows;
    });
    assert.ok(shown.some((row) => row.includes('losses')) && shown.some((row) => row.includes('improving')), JSON.stringify(shown));
    await page.keyboard.press('Escape');
  });

  await step(editor, 'functions of the workspace are found by a part of their name', async () => {
    await page.keyboard.press('Control+T');
    await page.locator('.quick-input-widget input').waitFor();
    await page.keyboard.type('pena');
    await until('symbol', async () => (await picks()).some((row) => row.includes('penalty')));
    await page.keyboard.press('Enter');
    await arrives('lib/losses.dml', 'penalty = function');
    await open('als.dml');
  });

  await step(editor, 'callers are listed across files', async () => {
    await at('als.dml', 'losses::squared', 'squared');
    await page.keyboard.press('Shift+Alt+H');
    const tree = page.locator('.part.sidebar .monaco-list-row');
    await until('callers', async () => {
      const rows = (await tree.allTextContents()).join('\n');
      return ['als.dml', 'regularized', 'report.dml'].every((caller) => rows.includes(caller));
    });
    await editor.screenshot('call hierarchy');
    await page.keyboard.press('Control+B');
    await page.locator('.part.sidebar').waitFor({ state: 'hidden' });
    await open('als.dml');
  });

  await step(editor, 'a name that is taken is refused, and the message says by what', async () => {
    await at('als.dml', 'losses::squared', 'squared');
    await rename('penalty');
    await page.getByText('there is a function `penalty` already, at line 9 of losses.dml', { exact: false }).first().waitFor();
    await editor.screenshot('refused');
    await page.keyboard.press('Escape');
  });

  await step(editor, 'a function is renamed in every file', async () => {
    await at('als.dml', 'losses::squared', 'squared');
    await rename('frobenius');
    await until('renamed here', async () => (await editor.text()).includes('losses::frobenius('));
    await editor.command('File: Save All Files');
    for (const [file, count] of [['als.dml', 1], ['report.dml', 1], ['lib/losses.dml', 2]]) {
      await until(`renamed in ${file}`, () => editor.file(file).split('frobenius').length - 1 === count && !editor.file(file).includes('squared'));
    }
  });

  await step(editor, 'a namespace and its uses are edited together', async () => {
    await open('report.dml');
    const [line, column] = find(editor.file('report.dml'), 'as losses', 'losses');
    await editor.goTo(line, column + 'losses'.length);
    await until('linked', async () => (await editor.pane.locator('.linked-editing-decoration').count()) === 2);
    await page.keyboard.type('_of');
    await until('both', async () => {
      const text = await editor.text();
      return text.includes('as losses_of') && text.includes('losses_of::');
    });
    await editor.save('report.dml');
    await open('als.dml');
  });

  await step(editor, 'a file that changes on disk is followed', async () => {
    fs.appendFileSync(path.join(editor.folder, 'lib/updates.dml'), '\nlast = function() return (Double one) { one = 1 }\n');
    await until('symbol', async () => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+T');
      await page.locator('.quick-input-widget input').waitFor();
      await page.keyboard.type('last');
      await editor.page.waitForTimeout(300);
      return (await picks()).some((row) => row.includes('last') && row.includes('updates.dml'));
    });
    await page.keyboard.press('Escape');
  });

  await step(editor, 'paths are links to scripts and data', async () => {
    await open('links.dml');
    await until('a link', async () => (await editor.pane.locator('.detected-link').count()) > 0);
    await editor.goTo(1, 12);
    await editor.command('Open Link');
    await editor.shows('well1850.mtx.mtd');
  });

  await editor.close();
}
