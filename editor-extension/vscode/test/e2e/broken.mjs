// Scripts that are wrong, unfinished or not ours: clear messages, and nothing else is lost.

import assert from 'node:assert/strict';
import { ALS_LOSS } from './scripts.mjs';
import { until } from './workbench.mjs';

export const name = 'broken';

export async function run({ workbench, step }) {
  const files = { 'script.dml': ALS_LOSS, 'device.dml': '/* A device. */\ndml 1.4;\n\ndevice simple;\nbank regs { register r size 4 @ 0x0; }\n' };
  const editor = await workbench.open({ files, show: 'script.dml' });
  const hinted = async () => /⇒.*cheaper ✓/.test(await editor.line('loss = '));

  await step(editor, 'a half-typed line is marked, and the hint of another statement stays', async () => {
    await until('hint', hinted, 60_000);
    await editor.append('y = X %*%');
    await editor.squiggles().first().waitFor({ state: 'attached' });
    await until('hint beside the error', hinted, 60_000);
    await editor.screenshot('broken');
  });

  await step(editor, 'a repaired line is not marked any more', async () => {
    await editor.append(' V\nprint(sum(y))');
    await until('no mark', async () => (await editor.squiggles().count()) === 0);
    await until('hint', hinted, 60_000);
  });

  await step(editor, 'a shape mismatch names both shapes', async () => {
    await editor.append('\nbad = U %*% V\nprint(sum(bad))');
    await editor.squiggles().first().waitFor({ state: 'attached' });
    const message = await until('problem', async () => (await editor.problems()).find((text) => /100000/.test(text) && /50000/.test(text)));
    assert.match(message, /100000\D+10\b.*50000\D+10\b/s);
    await editor.screenshot('mismatch');
  });

  await step(editor, 'a device model with the same extension is left alone', async () => {
    await editor.page.keyboard.press('Control+P');
    await editor.page.locator('.quick-input-widget input').waitFor();
    await editor.page.keyboard.type('device.dml');
    await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: 'device.dml' }).first().waitFor();
    await editor.page.keyboard.press('Enter');
    await editor.shows('device.dml');
    await editor.page.locator('.statusbar-item', { hasText: 'Plain Text' }).waitFor();
    assert.equal(await editor.squiggles().count(), 0);
    assert.ok((await editor.problems()).every((text) => !text.includes('device.dml')));
  });

  await editor.close();
}
