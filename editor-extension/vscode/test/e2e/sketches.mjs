// Sketch files: what is wrong with them, completion, hover, going to definitions, renaming in every file.

import assert from 'node:assert/strict';
import { insist, until } from './workbench.mjs';

export const name = 'sketches';

const BASE = `# A matrix and its transpose.
def gram(X) = t(X) %*% X
`;
const MINE = `import "base.sketch"
# Two sums become one.
sketch together(X) {
  guide sums: summ(? + ?) using factor
  goal sum(X * gram(?)) using factor
}
`;

export async function run({ workbench, step }) {
  const files = { 'base.sketch': BASE, 'mine.sketch': MINE };
  const editor = await workbench.open({ files, show: 'mine.sketch' });

  await step(editor, 'a wrong operator in a sketch is marked, until it is put right', async () => {
    await editor.squiggles().first().waitFor({ timeout: 60_000 });
    assert.ok((await editor.problems()).some((problem) => problem.includes('did you mean `sum`')), (await editor.problems()).join('\n'));
    await editor.page.keyboard.press('Control+Shift+M');
    await editor.focus();
    await editor.goTo(4, 19);
    await editor.page.keyboard.press('Backspace');
    await editor.squiggles().first().waitFor({ state: 'detached' });
    await editor.screenshot('sketch');
  });

  await step(editor, 'parameters, operators and rules of a sketch have colours of their own', async () => {
    const colour = (word) => editor.colour('  goal sum', word);
    await until('colours', async () => {
      const all = await Promise.all(['X', 'sum', 'factor'].map(colour));
      return all.every((one) => one !== undefined) && new Set(all).size > 1;
    });
  });

  await step(editor, 'completion in a sketch offers what may stand there', async () => {
    await editor.goTo(5, 37);
    await editor.page.keyboard.type(', dist');
    await editor.suggestion('distribute');
    await editor.page.keyboard.press('Enter');
    await until('accepted', async () => (await editor.line('  goal')).endsWith('using factor, distribute'));
  });

  await step(editor, 'hover on a sketch says what it is for and what fits it', async () => {
    const hover = editor.page.locator('.monaco-hover', { hasText: 'Two sums become one.' }).first();
    await insist('the hover', () => editor.piece('sketch', /^together|together/).hover().catch(() => undefined), () => hover.isVisible());
    assert.ok((await hover.textContent()).replace(/\u00a0/g, ' ').includes('the cellwise product of'), await hover.textContent());
    await editor.screenshot('sketch-hover');
    await editor.page.keyboard.press('Escape');
  });

  await step(editor, 'an abstraction is renamed in every sketch file', async () => {
    await editor.goTo(5, 17);
    await editor.page.keyboard.press('F2');
    await editor.page.locator('.rename-box input').waitFor();
    await editor.page.keyboard.press('Control+A');
    await editor.page.keyboard.type('squared');
    await editor.page.keyboard.press('Enter');
    await until('renamed', async () => (await editor.line('  goal')).includes('squared(?)'));
  });

  await step(editor, 'an abstraction leads to its definition in another sketch file', async () => {
    await editor.goTo(5, 17);
    await editor.page.keyboard.press('F12');
    await editor.shows('base.sketch');
    await until('the renamed definition', async () => (await editor.text()).includes('def squared(X)'));
  });

  await editor.close();
}
