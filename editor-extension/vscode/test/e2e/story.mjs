// The product's story, from opening the file to the applied edit on disk.

import assert from 'node:assert/strict';
import { insist, until } from './workbench.mjs';

const FILE = 'als_loss.dml';
const LOSS = 'loss = ';

export const name = 'story';

export async function run({ workbench, fixtures, step }) {
  const editor = await workbench.open({ copy: fixtures, show: FILE });
  const original = editor.file(FILE);
  const number = original.split('\n').findIndex((line) => line.startsWith(LOSS)) + 1;
  assert.ok(number > 0, `${FILE} has a line that begins with "${LOSS}"`);
  const written = original.split('\n')[number - 1];
  let suggestion = '';

  await step(editor, 'the suggestion stands behind the statement', async () => {
    const line = await until('hint', async () => {
      const shown = await editor.line(LOSS);
      return /⇒.*cheaper ✓/.test(shown) && shown;
    }, 60_000);
    assert.ok(line.startsWith(written), `the hint comes after the statement as written: ${line}`);
    suggestion = /⇒ (.*?)\s+~?\S+× cheaper ✓/.exec(line)?.[1] ?? '';
    assert.notEqual(suggestion, '', `the hint names the form and the gain: ${line}`);
    assert.ok(!suggestion.includes('…'), `the editor shows the hint in full: ${line}`);
  });

  await step(editor, 'a correct script has no diagnostics', async () => {
    assert.equal(await editor.squiggles().count(), 0);
  });

  await step(editor, 'the lens offers to time the statement', () => editor.lens('▶ time it').waitFor());

  await step(editor, 'hover tells shape, sparsity and cost', async () => {
    const text = (await editor.hover(LOSS, /^loss/, /loss/)).toLowerCase();
    for (const word of ['shape', 'sparsity', 'cost', 'flops']) {
      assert.ok(text.includes(word), `the hover has no "${word}": ${text}`);
    }
    await editor.screenshot('hover');
    await editor.page.keyboard.press('Escape');
  });

  await step(editor, 'a click on the lens measures both forms', async () => {
    await editor.lens('▶ time it').click();
    const shown = await until('measured lens', async () => (await editor.lenses()).find((lens) => /→.*measured/.test(lens)), 180_000);
    assert.match(shown, /×/);
    await editor.screenshot('measured');
  });

  await step(editor, 'the light bulb offers to apply and to explain', async () => {
    await editor.goTo(number);
    const offered = await editor.actions();
    for (const wanted of ['Apply optimized form', 'Show 3 alternatives', 'Explain, step by step']) {
      assert.ok(offered.includes(wanted), `"${wanted}" is not among ${JSON.stringify(offered)}`);
    }
    await editor.screenshot('actions');
  });

  await step(editor, 'explain opens the proof, step by step', async () => {
    await editor.choose('Explain, step by step');
    await until('the proof', async () => (await editor.tab()).endsWith('.md'));
    const text = await until('steps', async () => /\bsteps?\b|\b1\./i.test(await editor.text()) && editor.text());
    const inside = /=\s*(.*)$/.exec(written)[1];
    assert.ok(text.includes(inside), `the proof begins with the statement as written: ${text}`);
    await editor.screenshot('explain');
    await editor.closeTab();
    await editor.shows(FILE);
  });

  await step(editor, 'how the statement is fused opens as a program, with the line marked', async () => {
    await editor.goTo(number);
    await editor.actions();
    await editor.choose('Show how it is fused');
    await until('the plan', async () => (await editor.tab()).endsWith('.md'));
    const text = await until('operators', async () => /operator 1: /.test(await editor.text()) && editor.text());
    assert.ok(/loss = .*\| 1/.test(text), `the line of the loss is computed by operator 1: ${text}`);
    await editor.screenshot('fusion');
    await editor.closeTab();
    await editor.shows(FILE);
  });

  await step(editor, 'the alternatives stand side by side, and one of them can be chosen', async () => {
    await editor.goTo(number);
    await editor.actions();
    await editor.choose('Show 3 alternatives');
    const choices = await editor.choices('Choose a form for');
    assert.equal(choices.length, 4, choices.join('\n'));
    assert.ok(choices[0].includes(suggestion), `the suggestion comes first: ${choices[0]}`);
    const form = /× cheaper: (.*?)alternative 2: .* instead of /.exec(choices[2])?.[1];
    assert.ok(form !== undefined, `a choice says what it costs and how it differs: ${choices[2]}`);
    const beside = (await editor.beside()).join('\n');
    assert.ok(beside.includes('# The forms of') && beside.includes('| FLOPs '), `the forms are shown beside: ${beside}`);
    await editor.screenshot('alternatives');
    await editor.pick(2);
    await until('edited', async () => (await editor.line(LOSS)).startsWith(LOSS + form));
    await editor.closeBeside();
    await editor.focus();
    await editor.page.keyboard.press('Control+Z');
    await until('hint again', async () => /⇒.*✓/.test(await editor.line(written)), 60_000);
  });

  await step(editor, 'a form that was made for an earlier text is not applied', async () => {
    const asked = editor.page.locator('.quick-input-list .monaco-list-row').first();
    const ask = async () => (await asked.isVisible()) || editor.lens('compare alternatives').click({ timeout: 3_000 }).catch(() => undefined);
    await insist('the question', ask, () => asked.isVisible());
    // The question stays while the script is edited behind it.
    await editor.focus();
    await editor.toStart();
    await editor.page.keyboard.type('# a comment\n');
    await until('typed', async () => (await editor.line('# a comment')) !== '');
    await editor.pick(1);
    await editor.notification('has changed since');
    await editor.closeBeside();
    assert.ok((await editor.line(LOSS)).startsWith(written), 'the statement is as it was');
    await editor.focus();
    await insist('undone', () => editor.page.keyboard.press('Control+Z'), async () => (await editor.lines())[0] === original.split('\n')[0]);
    await until('hint again', async () => /⇒.*✓/.test(await editor.line(written)), 60_000);
  });

  await step(editor, 'the lens says why', async () => {
    await editor.lens('why').click();
    await until('the proof', async () => (await editor.tab()).endsWith('.md'));
    await editor.closeTab();
    await editor.shows(FILE);
  });

  await step(editor, 'applying writes the suggested form', async () => {
    await editor.goTo(number);
    await editor.actions();
    await editor.choose('Apply optimized form');
    await until('edited', async () => (await editor.line(LOSS)).startsWith(LOSS + suggestion));
    const saved = await editor.save(FILE);
    assert.equal(saved, original.replace(written, LOSS + suggestion), 'on disk only that statement has changed');
    await editor.screenshot('applied');
  });

  await step(editor, 'undo brings the statement and its hint back', async () => {
    await editor.pane.locator('.view-line').first().click();
    await editor.page.keyboard.press('Control+Z');
    await until('hint again', async () => /⇒.*✓/.test(await editor.line(written)), 60_000);
  });

  await step(editor, 'accepting the hint itself applies it', async () => {
    const isEdited = async () => (await editor.line(LOSS)).startsWith(LOSS + suggestion);
    const accept = async () => (await isEdited()) || editor.piece(LOSS, '⇒').dblclick({ timeout: 3_000 }).catch(() => undefined);
    await insist('edited', accept, isEdited);
    assert.equal(await editor.save(FILE), original.replace(written, LOSS + suggestion));
  });

  await step(editor, 'a restarted server answers again', async () => {
    await editor.focus();
    await insist('undone', async () => (await editor.line(written)) !== '' || editor.page.keyboard.press('Control+Z'), async () => (await editor.line(written)) !== '');
    await until('hint again', async () => /⇒/.test(await editor.line(written)), 60_000);
    // A process that is being started carries its parent's name for a moment.
    await until('one server for one workspace', () => workbench.servers().length === 1);
    const before = workbench.servers();
    await editor.command('Sumac: Restart the Language Server');
    await until('another server process', () => workbench.servers().length === 1 && workbench.servers()[0] !== before[0]);
    await until('hint from the new server', async () => /⇒.*cheaper ✓/.test(await editor.line(written)), 60_000);
  });

  await editor.close();
}
