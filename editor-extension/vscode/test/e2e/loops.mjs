// Loop nests for a product: one sketch chosen among all, its nest run, shown and timed in a lens.

import assert from 'node:assert/strict';
import { insist, until } from './workbench.mjs';

export const name = 'loops';

const FILE = 'product.dml';
const STATEMENT = 'C = A %*% B';
const QUESTION = 'Loops for a product, 64 x 96 times 96 x 32';
const SCRIPT = `#@ A: 64 x 96
#@ B: 96 x 32
A = read($A)
B = read($B)
${STATEMENT}
print(sum(C))
`;

export async function run({ workbench, step }) {
  const editor = await workbench.open({ files: { [FILE]: SCRIPT }, show: FILE });

  await step(editor, 'a sketch for the loops of a product is chosen, and its nest is run and shown', async () => {
    await editor.goTo(5);
    // The editor forgets what an open menu would do when the actions are asked for again, as they are while a file is new.
    const schedule = async () => {
      await editor.actions();
      await editor.choose('Schedule with sketch …');
    };
    await insist('the question which loops', schedule, () => editor.isAsked(QUESTION));
    const choices = await editor.choices(QUESTION);
    const place = choices.findIndex((choice) => choice.startsWith('blocking'));
    assert.ok(choices[0].startsWith('all of them') && place > 0, choices.join('\n'));
    await editor.pick(place);
    await until('the nest', async () => (await editor.tab()).endsWith('.md'), 120_000);
    const text = await until('its time', async () => /\| blocking \| [0-9.]+/.test(await editor.text()) && editor.text());
    assert.ok(text.includes(STATEMENT), text);
    await editor.screenshot('loops');
    await editor.closeTab();
    await editor.shows(FILE);
  });

  await step(editor, 'the time of the nest stands above the product', async () => {
    await editor.lens('loops: blocking').waitFor({ timeout: 60_000 });
    await editor.screenshot('loops-lens');
  });
}
