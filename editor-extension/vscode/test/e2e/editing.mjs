// What the editor shows and offers while a script is written: colours, folds, selections, completion, signatures,
// builtins' help, shapes, references.

import assert from 'node:assert/strict';
import { until } from './workbench.mjs';

export const name = 'editing';

const SCRIPT = `#@ X: 1000 x 500, sparsity 0.001
#@ w: 500 x 1
X = read($X)
w = read($w)
# Scales a matrix.
scaled = function(Matrix[Double] A, Double by = 2) return (Matrix[Double] B) {
  # the result
  B = A * by
}
p = X %*% w
q = scaled(p)
print(sum(q))
`;
const PRINT_LINE = 12;

export async function run({ workbench, step }) {
  const editor = await workbench.open({ files: { 'script.dml': SCRIPT, '.vscode/settings.json': '{}' }, show: 'script.dml' });
  const colour = (line, text) => editor.colour(line, text);

  await step(editor, 'sparse matrices and dense ones have colours of their own', async () => {
    await until('colours', async () => (await colour('p = ', 'X')) !== (await colour('p = ', 'w')), 60_000);
    await editor.screenshot('colours');
  });

  await step(editor, 'colours follow an edit', async () => {
    const state = async (fact) => {
      await editor.goTo(1, 1);
      await editor.page.keyboard.press('Shift+End');
      await editor.page.keyboard.type(fact);
    };
    await state('#@ X: 1000 x 500');
    await until('one colour', async () => (await colour('p = ', 'X')) === (await colour('p = ', 'w')));
    await state('#@ X: 1000 x 500, sparsity 0.001');
    await until('two colours', async () => (await colour('p = ', 'X')) !== (await colour('p = ', 'w')));
  });

  await step(editor, 'a function folds, and its closing brace stays', async () => {
    await editor.command('Fold All');
    await until('folded', async () => {
      const lines = await editor.lines();
      return lines.every((line) => !line.includes('B = A * by')) && lines.includes('}');
    });
    await editor.command('Unfold All');
    await until('unfolded', async () => (await editor.lines()).some((line) => line.includes('B = A * by')));
  });

  await step(editor, 'a selection grows from the word to the statement', async () => {
    await editor.goTo(PRINT_LINE, 11);
    // Each step is waited for: the status bar follows the selection after a moment.
    for (const wanted of ['sum(q)', 'print(sum(q))']) {
      await until(`${wanted} is selected`, async () => {
        const status = await editor.page.locator('.statusbar-item', { hasText: 'selected' }).allTextContents();
        const length = Number(/\((\d+) selected\)/.exec(status.join(' '))?.[1] ?? 0);
        if (length < wanted.length) {
          await editor.page.keyboard.press('Shift+Alt+ArrowRight');
          await until('the selection is counted', async () => (await editor.page.locator('.statusbar-item', { hasText: 'selected' }).allTextContents()).join() !== status.join(), 3_000);
        }
        return length === wanted.length;
      });
    }
    await editor.page.keyboard.press('Escape');
  });

  await step(editor, 'completion writes a function with its dots and its parentheses', async () => {
    await editor.append('r = as.sc');
    await editor.suggestion('as.scalar');
    await editor.page.keyboard.press('Control+Space');
    // The details are asked for when they are shown.
    await editor.page.locator('.suggest-details', { hasText: 'as.scalar(' }).waitFor();
    await editor.screenshot('completion');
    await editor.page.keyboard.press('Enter');
    await until('accepted', async () => (await editor.line('r = ')) === 'r = as.scalar()');
    await editor.page.keyboard.type('q');
    await until('the cursor is inside', async () => (await editor.line('r = ')) === 'r = as.scalar(q)');
  });

  await step(editor, 'signature help marks the parameter at the cursor', async () => {
    await editor.append('\nz = scaled(p, ');
    const widget = editor.page.locator('.parameter-hints-widget.visible');
    await widget.locator('.parameter.active', { hasText: 'Double by = 2' }).waitFor();
    await editor.screenshot('signature');
    await editor.page.keyboard.type('3)');
    await widget.waitFor({ state: 'hidden' });
  });

  await step(editor, 'hover of a builtin says what it does', async () => {
    await editor.hover('print(', /^sum/, 'sum(X: matrix)');
    await editor.page.keyboard.press('Escape');
  });

  await step(editor, 'shapes and references come when they are switched on', async () => {
    assert.ok((await editor.line('p')).startsWith('p = '), 'no shape before');
    const shown = JSON.stringify({ 'sumac.inlayHints.shapes': true, 'sumac.codeLens.references': true });
    await editor.write('.vscode/settings.json', shown, 'shape', async () => (await editor.line('p: 1000 x 1')) !== '');
    await editor.lens('2 references').waitFor();
    await editor.screenshot('shapes');
  });

  await step(editor, 'a click on the number of references shows them', async () => {
    await editor.lens('2 references').click();
    await editor.page.locator('.reference-zone-widget').waitFor();
    await editor.screenshot('references');
    await editor.page.keyboard.press('Escape');
  });

  await editor.close();
}
