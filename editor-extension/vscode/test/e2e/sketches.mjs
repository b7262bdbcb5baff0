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
    await editor.problem('did you mean `sum`');
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
    const text = (await editor.hover('sketch', /^together|together/, 'Two sums become one.')).replace(/\u00a0/g, ' ');
    assert.ok(text.includes('the cellwise product of'), text);
    await editor.screenshot('sketch-hover');
    await editor.page.keyboard.press('Escape');
  });

  await step(editor, 'an abstraction is renamed in every sketch file', async () => {
    await editor.goTo(5, 17);
    await editor.page.keyboard.press('F2');
    await until('the box for the name', () => editor.page.evaluate(() => Boolean(document.activeElement?.closest('.rename-box'))));
    await editor.page.keyboard.press('Control+A');
    await editor.page.keyboard.type('squared');
    await editor.page.keyboard.press('Enter');
    await until('renamed', async () => (await editor.line('  goal')).includes('squared(?)'));
  });

  await step(editor, 'a rule that does not hold is marked with values that show it', async () => {
    await editor.goTo(2);
    await editor.page.keyboard.press('Home');
    await editor.page.keyboard.type('rule halves: A * B = A + B\n');
    // Half-typed, it has other marks.
    const isMarked = (problem) => problem.includes('is not always') && problem.includes('with A = ');
    await until('the mark', async () => (await editor.problems()).some(isMarked), 60_000);
    await editor.page.keyboard.press('Control+Shift+M');
    await editor.focus();
    await editor.goTo(2, 22);
    await editor.page.keyboard.press('Shift+End');
    await editor.page.keyboard.type('B * A');
    await editor.squiggles().first().waitFor({ state: 'detached' });
  });

  await step(editor, 'a sketch file is laid out, comments and all', async () => {
    await editor.goTo(2);
    await editor.page.keyboard.press('End');
    await editor.page.keyboard.type('   # kept');
    await editor.command('Format Document');
    await until('laid out', async () => (await editor.line('rule halves')) === 'rule halves: A * B = B * A # kept');
  });

  await step(editor, 'an abstraction leads to its definition in another sketch file', async () => {
    await editor.goTo(6, 17);
    await editor.goToDefinition('base.sketch');
    await until('the renamed definition', async () => (await editor.text()).includes('def squared(X)'));
  });

  await editor.close();
  await onStatement({ workbench, step });
}

const LOSS = `#@ X: 20000 x 10000, sparsity 0.001
#@ U: 20000 x 10
#@ V: 10000 x 10
X = read($X)
U = read($U)
V = read($V)
loss = sum((X - U %*% t(V))^2)
print(loss)
`;
const LOSS_LINE = 7;
const LIBRARY = `sketch expand(X) {
  goal sum(X^2) - ? + ? using distribute minimize size
}
sketch far(X) {
  guide apart: contains(X^2 - ? + ?) using distribute minimize size
  goal contains(rowSums(?)) - ? using aggregate
}
`;

async function onStatement({ workbench, step }) {
  const editor = await workbench.open({ files: { 'loss.dml': LOSS, 'mine.sketch': LIBRARY }, show: 'loss.dml' });
  await until('hint', async () => /⇒.*cheaper ✓/.test(await editor.line('loss = ')), 60_000);

  await step(editor, 'a sketch of the workspace is an action on the statement, and writes the form that fits', async () => {
    await editor.goTo(LOSS_LINE);
    const offered = await editor.actions();
    assert.ok(offered.includes('Optimize with sketch expand') && offered.includes('Optimize with sketch far'), offered.join('\n'));
    await editor.screenshot('sketch-actions');
    await editor.choose('Optimize with sketch expand');
    // What the form uses twice stands in a variable before it.
    await until('the form that fits', async () => (await editor.line('loss = ')).startsWith('loss = sum(X^2) - '));
    await editor.focus();
    const isUndone = async () => (await editor.line('loss = ')).startsWith('loss = sum((X - U %*% t(V))^2)');
    await insist('undone', async () => (await isUndone()) || editor.page.keyboard.press('Control+Z'), isUndone);
  });

  await step(editor, 'a sketch that does not fit says which guide was not reached', async () => {
    await editor.goTo(LOSS_LINE);
    await editor.actions();
    await editor.choose('Optimize with sketch far');
    await editor.notification('far(X) does not fit: the goal was not reached', 60_000);
    // The document takes the place beside the script.
    const isShown = async () => /does not fit/.test((await editor.beside()).join('\n')) || /does not fit/.test(await editor.text());
    await until('the document beside', isShown);
    const shown = [await editor.text(), (await editor.beside()).join('\n')].join('\n');
    assert.ok(shown.includes('guide apart: ') && shown.includes('^ missed'), shown);
    await editor.screenshot('sketch-missed');
    if ((await editor.tab()).endsWith('.md')) {
      await editor.closeTab();
    } else {
      await editor.closeBeside();
    }
    await editor.shows('loss.dml');
  });

  await step(editor, 'what sketches make of a statement is shown before one is chosen', async () => {
    await editor.goTo(LOSS_LINE);
    const offered = await editor.actions();
    assert.ok(offered.includes('Preview what sketches make of it'), offered.join('\n'));
    await editor.choose('Preview what sketches make of it');
    const choices = await editor.choices('Choose a sketch for');
    assert.ok(choices[0].includes('expand(X)'), choices.join('\n'));
    const beside = (await editor.beside()).join('\n');
    assert.ok(beside.includes('# What sketches make of') && beside.includes('## expand(X)'), beside);
    // Nothing is written before one is chosen.
    assert.ok((await editor.line('loss = ')).startsWith('loss = sum((X - U %*% t(V))^2)'), await editor.text());
    await editor.screenshot('sketch-preview');
    await editor.pick(0);
    await until('the form that was chosen', async () => (await editor.line('loss = ')).startsWith('loss = sum(X^2) - '));
    await editor.closeBeside();
    await editor.focus();
    const isUndone = async () => (await editor.line('loss = ')).startsWith('loss = sum((X - U %*% t(V))^2)');
    await insist('undone', async () => (await isUndone()) || editor.page.keyboard.press('Control+Z'), isUndone);
  });

  await step(editor, 'an edit of a statement becomes a sketch above it', async () => {
    await editor.goTo(LOSS_LINE, 8);
    await editor.page.keyboard.press('Shift+End');
    await editor.page.keyboard.type('sum(X^2 - 2 * (X * (U %*% t(V))) + (U %*% t(V))^2)');
    await editor.actions();
    await editor.choose('Turn my edit into a sketch');
    await until('the sketch', async () => (await editor.line('# sum((X - U')) !== '', 60_000);
    assert.ok((await editor.line('#@ sketch loss_form')) !== '', await editor.text());
    await editor.screenshot('sketch-from-edit');
    await editor.focus();
    const isUndone = async () => (await editor.line('loss = ')).startsWith('loss = sum((X - U %*% t(V))^2)') && (await editor.line('#@ sketch')) === '';
    await insist('undone', async () => (await isUndone()) || editor.page.keyboard.press('Control+Z'), isUndone, 20);
  });

  await step(editor, 'a sketch is written from the suggested form', async () => {
    await until('hint', async () => /⇒.*cheaper ✓/.test(await editor.line('loss = ')), 60_000);
    await editor.goTo(LOSS_LINE);
    const offered = await editor.actions();
    assert.ok(offered.includes('Write a sketch from this form'), offered.join('\n'));
    await editor.choose('Write a sketch from this form');
    await until('the sketch', async () => (await editor.line('#@ sketch loss_form')) !== '', 60_000);
    assert.ok((await editor.line('# sum((X - U')) !== '' && (await editor.line('#@   goal ')) !== '', await editor.text());
    await editor.screenshot('sketch-from-form');
    await editor.focus();
    const isUndone = async () => (await editor.line('loss = ')) !== '' && (await editor.line('#@ sketch')) === '';
    await insist('undone', async () => (await isUndone()) || editor.page.keyboard.press('Control+Z'), isUndone, 20);
  });

  await step(editor, 'a pinned sketch makes the hint, and a pin that leads nowhere is marked', async () => {
    await editor.focus();
    // Behind the line before it: a line break behind a fact begins another one.
    await editor.goTo(LOSS_LINE - 1, 1);
    await editor.page.keyboard.press('End');
    await editor.page.keyboard.type('\n#@ sketch expand(X)');
    await until('the hint of the sketch', async () => /⇒ .*sum\(\(U %\*% t\(V\)\)\^2\)/.test(await editor.line('loss = ')), 60_000);
    await editor.screenshot('sketch-pin');
    await editor.goTo(LOSS_LINE, 11);
    await editor.page.keyboard.press('Shift+End');
    await editor.page.keyboard.type('far(X)');
    await editor.squiggles().first().waitFor({ timeout: 60_000 });
    await editor.problem('the goal was not reached');
  });

  await step(editor, 'a sketch is renamed with the pins in scripts, and leads to them', async () => {
    await editor.goTo(LOSS_LINE, 12);
    await editor.page.keyboard.press('F2');
    await until('the box for the name', () => editor.page.evaluate(() => Boolean(document.activeElement?.closest('.rename-box'))));
    await editor.page.keyboard.press('Control+A');
    await editor.page.keyboard.type('distant');
    await editor.page.keyboard.press('Enter');
    await until('the pin', async () => (await editor.line('#@ sketch')).startsWith('#@ sketch distant(X)'));
    await editor.goTo(LOSS_LINE, 12);
    await editor.goToDefinition('mine.sketch');
    await until('the sketch', async () => (await editor.text()).includes('sketch distant(X) {'));
  });

  await editor.close();
  const library = await workbench.open({ files: { 'loss.dml': LOSS, 'mine.sketch': LIBRARY }, show: 'mine.sketch' });

  await step(library, 'a lens on a sketch says where it fits, and shows the places', async () => {
    await library.lens('fits 1 expression in this workspace').waitFor({ timeout: 60_000 });
    await library.screenshot('sketch-lens');
    await library.lens('fits 1 expression in this workspace').click();
    await library.page.locator('.reference-zone-widget').waitFor();
    await library.page.keyboard.press('Escape');
  });

  await library.close();
}
