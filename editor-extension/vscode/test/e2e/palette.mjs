// The palette's commands for the statement at the cursor.

import assert from 'node:assert/strict';
import { ALS_LOSS, LOSS_LINE } from './scripts.mjs';
import { until } from './workbench.mjs';

export const name = 'palette';

export async function run({ workbench, step }) {
  const editor = await workbench.open({ files: { 'script.dml': ALS_LOSS }, show: 'script.dml' });
  const line = () => editor.line('loss = ');
  await step(editor, 'hints are there', () => until('hint', async () => /⇒.*cheaper ✓/.test(await line()), 60_000));

  await step(editor, 'a line without a suggestion is told', async () => {
    await editor.goTo(1);
    await editor.command('Sumac: Explain the Suggestion at the Cursor, Step by Step');
    await editor.notification('no suggestion to explain at line 1');
  });

  await step(editor, 'explain opens the proof', async () => {
    await editor.goTo(LOSS_LINE);
    await editor.command('Sumac: Explain the Suggestion at the Cursor, Step by Step');
    await until('the proof', async () => (await editor.tab()).endsWith('.md'));
    await editor.closeTab();
    await editor.shows('script.dml');
  });

  await step(editor, 'alternatives are compared', async () => {
    await editor.goTo(LOSS_LINE);
    await editor.command('Sumac: Compare Alternatives for the Statement at the Cursor', { asks: true });
    assert.equal((await editor.choices('Choose a form for')).length, 4);
    await editor.page.keyboard.press('Escape');
    await editor.closeBeside();
    assert.ok((await line()).startsWith('loss = sum((X - U %*% t(V))^2)'), 'nothing was chosen');
  });

  await step(editor, 'time measures', async () => {
    await editor.goTo(LOSS_LINE);
    await editor.command('Sumac: Time the Statement at the Cursor');
    await until('measured lens', async () => (await editor.lenses()).some((lens) => /→.*measured/.test(lens)), 180_000);
  });

  await step(editor, 'all suggestions are applied after a look at the changes, and none is if the answer is no', async () => {
    const question = 'Apply 1 suggestion to script.dml?';
    const ask = async () => {
      await editor.command('Sumac: Apply All Suggestions of This File', { asks: true });
      const [apply, leave] = await editor.choices(question);
      assert.ok(apply.startsWith('Apply') && leave.startsWith('Leave as it is'), `${apply}, ${leave}`);
    };
    // The document takes the place beside the script, or the script's own.
    const shown = async () => [await editor.text(), (await editor.beside()).join('\n')].join('\n');
    const close = async () => {
      if ((await editor.tab()).endsWith('.md')) {
        await editor.closeTab();
      } else {
        await editor.closeBeside();
      }
      await editor.shows('script.dml');
    };
    await ask();
    const diff = await until('the changes', async () => /^-loss = /m.test(await shown()) && (await shown()));
    assert.match(diff, /^\+loss = /m);
    await editor.pick(1);
    await close();
    assert.ok((await line()).startsWith('loss = sum((X - U %*% t(V))^2)'), 'nothing is applied');
    await ask();
    await editor.pick(0);
    await close();
    await until('edited', async () => !(await line()).startsWith('loss = sum((X - U %*% t(V))^2)'));
    await editor.focus();
    await editor.page.keyboard.press('Control+Z');
    await until('hint again', async () => /⇒.*✓/.test(await line()), 60_000);
  });

  await step(editor, 'apply edits', async () => {
    await editor.goTo(LOSS_LINE);
    await editor.command('Sumac: Apply the Optimized Form at the Cursor');
    await until('edited', async () => !(await line()).startsWith('loss = sum((X - U %*% t(V))^2)'));
  });

  await editor.close();
}
