// What the person's settings switch, and what happens when the server cannot be found.

import assert from 'node:assert/strict';
import { ALS_LOSS } from './scripts.mjs';

export const name = 'settings';

export async function run({ workbench, step }) {
  await switches(workbench, step);
  await noServer(workbench, step);
}

async function switches(workbench, step) {
  const off = { 'sumac.inlayHints.enabled': false, 'sumac.codeLens.enabled': false };
  const editor = await workbench.open({ files: { 'script.dml': `${ALS_LOSS}bad = U %*% V\n`, '.vscode/settings.json': JSON.stringify(off) }, show: 'script.dml' });
  const hinted = async () => (await editor.line('loss = ')).includes('⇒');

  await step(editor, 'hints and lenses that are switched off stay away', async () => {
    await editor.squiggles().first().waitFor({ state: 'attached', timeout: 60_000 });
    assert.equal(await hinted(), false);
    assert.deepEqual(await editor.lenses(), []);
  });

  await step(editor, 'they come when they are switched on', async () => {
    await editor.write('.vscode/settings.json', '{}', 'hint', hinted);
    await editor.lens('▶ time it').waitFor();
  });

  await step(editor, 'they go when they are switched off', async () => {
    await editor.write('.vscode/settings.json', JSON.stringify(off), 'no hint', async () => !(await hinted()) && (await editor.lenses()).length === 0);
  });

  await editor.close();
}

async function noServer(workbench, step) {
  const settings = JSON.stringify({ 'sumac.server.path': '/nowhere/sumac' });
  const editor = await workbench.open({ files: { 'script.dml': ALS_LOSS, '.vscode/settings.json': settings }, show: 'script.dml' });
  await step(editor, 'a server that is not there is told, with its path', () => editor.notification('/nowhere/sumac', 60_000));

  await step(editor, 'a setting that is put right starts the server', async () => {
    await editor.write('.vscode/settings.json', '{}', 'hint', async () => (await editor.line('loss = ')).includes('⇒'));
  });
  await editor.close();
}
