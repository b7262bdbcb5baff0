// A real VS Code workbench for tests: code-server with a throw-away profile, seen through headless Chromium.
// One instance serves all scenarios; each scenario gets a page, a workspace folder and an extension host of its own.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { Editor } from './editor.mjs';

const CHROMIUM_FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Nothing may move, pop up or be fetched while a test looks. */
const USER_SETTINGS = {
  'chat.disableAIFeatures': true,
  'editor.accessibilitySupport': 'off',
  'editor.autoClosingBrackets': 'never',
  'editor.minimap.enabled': false,
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'files.autoSave': 'off',
  'git.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'workbench.activityBar.location': 'hidden',
  'workbench.colorTheme': 'Default Dark Modern',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
};

export const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** Calls `probe` until it answers with something true, and returns that; a throw counts as "not yet". */
export async function until(what, probe, milliseconds = 20_000) {
  const end = Date.now() + milliseconds;
  for (;;) {
    let last;
    try {
      last = await probe();
      if (last) {
        return last;
      }
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) {
      throw new Error(`not within ${milliseconds / 1000} s: ${what}; last seen: ${last instanceof Error ? last.message : JSON.stringify(last)}`);
    }
    await sleep(100);
  }
}

/** Does again what the editor may lose while it is busy, a click on what is just drawn anew, until `check` holds. */
export async function insist(what, act, check, attempts = 8) {
  for (let attempt = 1; ; attempt += 1) {
    await act();
    try {
      return await until(what, check, 3_000);
    } catch (error) {
      if (attempt === attempts) {
        throw error;
      }
    }
  }
}

export class Workbench {
  /** @param {{server: string, vsix: string, node: string, codeServer: string, chromium: string, out: string}} options */
  static async start(options) {
    const workbench = new Workbench(options);
    try {
      await workbench.#start();
      return workbench;
    } catch (error) {
      await workbench.stop();
      throw error;
    }
  }

  #options;
  #home = fs.mkdtempSync(path.join(os.tmpdir(), 'sumac-e2e-'));
  #process;
  #browser;
  #port;

  constructor(options) {
    this.#options = options;
  }

  async #start() {
    const { server, vsix, node, codeServer, chromium: executablePath, out } = this.#options;
    const user = path.join(this.#home, 'data');
    write(path.join(user, 'User/settings.json'), USER_SETTINGS);
    // Settings of the machine's scope count only here.
    write(path.join(user, 'Machine/settings.json'), { 'sumac.server.path': server });
    const profile = [codeServer, '--user-data-dir', user, '--extensions-dir', path.join(this.#home, 'extensions')];
    const env = {
      ...process.env,
      EXTENSIONS_GALLERY: '{"serviceUrl":"","itemUrl":"","resourceUrlTemplate":""}',
      XDG_CONFIG_HOME: path.join(this.#home, 'config'),
      XDG_DATA_HOME: path.join(this.#home, 'share'),
      SUMAC_E2E_RUN: this.#home,
    };
    const installed = spawnSync(node, [...profile, '--install-extension', vsix], { encoding: 'utf8', env });
    assert.equal(installed.status, 0, `the extension cannot be installed: ${installed.stdout}${installed.stderr}`);

    this.#port = await freePort();
    const log = fs.openSync(path.join(out, 'code-server.log'), 'w');
    const flags = ['--bind-addr', `127.0.0.1:${this.#port}`, '--auth', 'none', '--disable-telemetry', '--disable-update-check', '--disable-workspace-trust', '--disable-getting-started-override'];
    this.#process = spawn(node, [...profile, ...flags], { stdio: ['ignore', log, log], detached: true, env });
    await until('code-server answers', async () => (await fetch(`http://127.0.0.1:${this.#port}/healthz`)).ok, 60_000);
    this.#browser = await chromium.launch({ executablePath, headless: true, args: CHROMIUM_FLAGS });
  }

  /** Opens a folder with the given files (name to text, or a folder to copy) and shows one of them. */
  async open({ files = {}, copy, show }) {
    const folder = fs.mkdtempSync(path.join(this.#home, 'workspace-'));
    if (copy !== undefined) {
      fs.cpSync(copy, folder, { recursive: true });
    }
    for (const [name, text] of Object.entries(files)) {
      write(path.join(folder, name), text);
    }
    const context = await this.#browser.newContext({ viewport: { width: 1600, height: 720 }, permissions: [] });
    // Nothing outside this machine is asked for.
    await context.route((url) => url.hostname !== '127.0.0.1', (route) => route.abort());
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const payload = JSON.stringify([['openFile', `vscode-remote://127.0.0.1:${this.#port}${path.join(folder, show)}`]]);
    await page.goto(`http://127.0.0.1:${this.#port}/?folder=${encodeURIComponent(folder)}&payload=${encodeURIComponent(payload)}`, { timeout: 60_000 });
    await page.locator('.monaco-workbench').waitFor({ timeout: 60_000 });
    const editor = new Editor(page, folder, this.#options.out);
    await editor.shows(show, 60_000);
    await page.keyboard.press('Control+B');
    await page.locator('.part.sidebar').waitFor({ state: 'hidden' });
    return editor;
  }

  /** The process ids of the language servers that this workbench started. */
  servers() {
    const name = path.basename(this.#options.server);
    return fs.readdirSync('/proc').filter((pid) => {
      try {
        const ours = fs.readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`SUMAC_E2E_RUN=${this.#home}`);
        const [program, ...rest] = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return ours && rest.includes('lsp') && [program, ...rest].some((word) => path.basename(word) === name);
      } catch {
        return false;
      }
    });
  }

  /** Ends everything; the language servers must end by themselves when their editor does. */
  async stop() {
    await this.#browser?.close();
    if (this.#process !== undefined) {
      const gone = new Promise((done) => this.#process.once('exit', done));
      process.kill(-this.#process.pid, 'SIGTERM');
      await Promise.race([gone, sleep(10_000)]);
    }
    const logs = path.join(this.#home, 'data/logs');
    if (fs.existsSync(logs)) {
      fs.cpSync(logs, path.join(this.#options.out, 'logs'), { recursive: true });
    }
    try {
      await until('the language servers end with the editor', () => this.servers().length === 0, 15_000);
    } finally {
      fs.rmSync(this.#home, { recursive: true, force: true });
    }
  }
}

function write(file, content) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

async function freePort() {
  return new Promise((done) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}
