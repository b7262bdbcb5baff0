// Formatting: the whole document, a selection, and the line that is being typed.

import assert from 'node:assert/strict';
import { until } from './workbench.mjs';

export const name = 'formatting';

const SCRIPT = 'x=1   # one\ny=   2\nprint( x+y )\n';

export async function run({ workbench, step }) {
  const settings = JSON.stringify({ 'editor.formatOnType': true });
  const editor = await workbench.open({ files: { 'script.dml': SCRIPT, '.vscode/settings.json': settings }, show: 'script.dml' });

  await step(editor, 'a selection is formatted, and only that', async () => {
    await editor.goTo(2, 1);
    await editor.page.keyboard.press('Shift+End');
    await until('the line is formatted', async () => {
      await editor.command('Format Selection');
      return until('its text', async () => (await editor.line('y = ')) === 'y = 2', 5_000).catch(() => false);
    }, 60_000);
    assert.equal(await editor.line('print'), 'print( x+y )');
  });

  await step(editor, 'a document is formatted, comments and all', async () => {
    await editor.command('Format Document');
    await until('formatted', async () => (await editor.line('print')) === 'print(x + y)');
    assert.match(await editor.line('x = 1'), /^x = 1 +# one$/);
    await editor.screenshot('formatted');
  });

  await step(editor, 'a typed brace puts its line where it belongs', async () => {
    await editor.append('if (x > y) {\nprint(x)\n        }');
    await until('the brace has moved', async () => (await editor.lines()).at(-1) === '}');
  });

  await editor.close();
}
