// The item in the status bar, and what is behind it.

import assert from 'node:assert/strict';
import { ALS_LOSS } from './scripts.mjs';
import { until } from './workbench.mjs';

export const name = 'status';

export async function run({ workbench, step }) {
  const editor = await workbench.open({ files: { 'script.dml': ALS_LOSS }, show: 'script.dml' });
  const item = editor.page.locator('.statusbar-item', { hasText: 'Sumac' }).first();
  const text = async () => ((await item.textContent()) ?? '').trim();
  const hinted = async () => /⇒.*cheaper ✓/.test(await editor.line('loss = '));

  await step(editor, 'the item says when the server is at rest', async () => {
    await until('hint', hinted, 60_000);
    await until('rest', async () => (await text()) === 'Sumac', 60_000);
  });

  await step(editor, 'a click shows what is running and what the caches hold', async () => {
    await item.click();
    const offered = await editor.choices('Sumac: what is running');
    assert.match(offered[0], /Nothing is running\d+ blocks searched/);
    assert.match(offered[1], /Clear the caches.* of at most 1\.0 GB/);
    assert.match(offered[2], /Open the server's log/);
    await editor.screenshot('status');
  });

  await step(editor, 'cleared caches hold nothing', async () => {
    await editor.pick(1);
    await editor.command('Sumac: Show What Is Running', { asks: true });
    const offered = await editor.choices('Sumac: what is running');
    assert.match(offered[1], /0 bytes of at most/);
    await editor.page.keyboard.press('Escape');
  });

  await step(editor, 'what is measured is told while it runs', async () => {
    const seen = until('timing', async () => (await text()).includes('timing'), 60_000);
    await editor.lens('▶ time it').click();
    await seen;
    await until('rest again', async () => (await text()) === 'Sumac', 180_000);
  });

  await editor.close();
}
