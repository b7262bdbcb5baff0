// Python beside DML: a file of NumPy gets hints, hovers and actions, and nothing that other extensions offer for Python.

import assert from 'node:assert/strict';
import { until } from './workbench.mjs';

export const name = 'python';

const MODEL = `import numpy as np


def sandwich(X, w, B):
    """X : array of shape (n, d); w : (n,); B : (d, d)"""
    meat = X.T @ np.diag(w) @ X
    spread = np.diag(X @ B @ X.T)
    return meat, spread


def loss(y, p):
    #@ y: n
    #@ p: n x 1
    return ((y - p) ** 2).mean()
`;

export async function run({ workbench, step }) {
  const editor = await workbench.open({ files: { 'model.py': MODEL }, show: 'model.py' });

  await step(editor, 'the cheaper form stands behind its statement', async () => {
    await until('hint', async () => /⇒ \(X\.T \* w\) @ X.*cheaper .*✓/.test(await editor.line('    meat = ')), 60_000);
    await until('second hint', async () => /⇒.*X @ B.*✓/.test(await editor.line('    spread = ')), 60_000);
    await editor.screenshot('hints');
  });

  await step(editor, 'a hover says what is known and why it is equal', async () => {
    const text = await editor.hover('    meat = ', 'meat', '(d, d)');
    assert.match(text, /propagated/);
    await editor.page.keyboard.press('Escape');
  });

  await step(editor, 'an accidental broadcast is marked', async () => {
    await until('problem', async () => (await editor.problems()).some((text) => text.includes('accidental-broadcast')), 30_000);
  });

  await step(editor, 'the light bulb applies the form', async () => {
    await editor.goTo(6, 14);
    const labels = await editor.actions();
    const wanted = labels.find((label) => label.startsWith('Apply optimized form: (X.T * w) @ X'));
    assert.ok(wanted, labels.join('\n'));
    await editor.page.locator('.action-widget .monaco-list-row', { hasText: 'Apply optimized form: (X.T * w) @ X' }).first().click();
    await until('edited', async () => (await editor.line('    meat = ')).startsWith('    meat = (X.T * w) @ X'));
  });

  await editor.close();
}
