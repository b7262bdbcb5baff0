// Diagnostics, their quick fixes, and what sumac.toml and `#@ allow` say of them.

import assert from 'node:assert/strict';
import { until } from './workbench.mjs';

export const name = 'diagnostics';

const SCRIPT = 'A = rand(rows=20, cols=10)\nB = rand(rows=5, cols=10)\nC = A %*% B\nprint(sum(C))\nx = 1\nx = 2\nprint(x)\n';

export async function run({ workbench, step }) {
  const files = { 'script.dml': SCRIPT, 'sumac.toml': '[diagnostics]\nunused-value = "warning"\n' };
  const editor = await workbench.open({ files, show: 'script.dml' });
  const marks = (severity) => editor.page.locator(`.squiggly-${severity}`);

  await step(editor, 'a mismatch is shown with the places that explain it', async () => {
    await marks('error').first().waitFor({ state: 'attached', timeout: 60_000 });
    const problems = await until('related place', async () => {
      const all = await editor.problems();
      return all.some((text) => text.includes('transposed, `B` would fit')) && all;
    });
    assert.ok(problems.some((text) => /20 x 10.*5 x 10/s.test(text)), problems.join('\n'));
    await editor.screenshot('related');
  });

  await step(editor, 'a quick fix transposes the operand that would fit', async () => {
    await editor.goTo(3, 7);
    await editor.actions();
    await editor.choose('Transpose `B`');
    await until('edited', async () => (await editor.line('C = ')).includes('t(B)'));
    await until('no error', async () => (await marks('error').count()) === 0);
  });

  await step(editor, 'sumac.toml decides how serious a diagnostic is, as soon as it is saved', async () => {
    await marks('warning').first().waitFor({ state: 'attached' });
    await editor.write('sumac.toml', '[diagnostics]\nunused-value = "error"\n', 'error', async () => (await marks('error').count()) > 0);
  });

  await step(editor, 'a wrong key of sumac.toml is a problem of that file', async () => {
    const problems = async (hasText) => (await editor.problems()).some((text) => text.includes(hasText));
    await editor.write('sumac.toml', '[diagnostics]\nunused-valeu = "error"\n', 'problem', () => problems('did you mean `unused-value`?'));
    await editor.write('sumac.toml', '[diagnostics]\nunused-value = "error"\n', 'no problem', async () => !(await problems('did you mean')));
  });

  await step(editor, 'a diagnostic can be allowed for one statement', async () => {
    await editor.goTo(5, 1);
    await editor.actions();
    await editor.choose('Allow `unused-value` for this statement');
    await until('edited', async () => (await editor.line('#@ allow')).includes('unused-value'));
    await until('no mark', async () => (await editor.squiggles().count()) === 0);
  });

  await step(editor, 'an assert that does not hold comes with the values that refute it', async () => {
    const [first, second] = (await editor.lines()).map((line) => line.length + 1);
    await editor.goTo(2, second);
    await editor.page.keyboard.insertText('\n#@ assert t(t(A)) == A');
    await editor.goTo(1, first);
    await editor.page.keyboard.insertText('\n#@ assert sum(A) == sum(A^2)');
    const refuted = async () => (await editor.problems()).filter((text) => text.includes('for A = matrix('));
    await until('problem', async () => (await refuted()).length > 0, 60_000);
    assert.equal((await refuted()).length, 1, 'the other one holds');
    await until('one mark', async () => (await marks('error').count()) === 1);
    await editor.hover('#@ assert sum', 'sum', 'for A = matrix(');
    await editor.screenshot('refuted');
    await editor.page.keyboard.press('Escape');
  });

  await editor.close();
}
