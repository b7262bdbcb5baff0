// One page of the workbench, driven as a person would: keys, clicks, and what can be read on the screen.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { insist, until } from './workbench.mjs';

/** Text on the page has non-breaking and zero-width spaces. */
const plain = (text) => text.replace(/\u00a0/g, ' ').replace(/[\u200b\u200c\u200d]/g, '');

export class Editor {
  /** @param {import('playwright-core').Page} page */
  constructor(page, folder, out) {
    this.page = page;
    this.folder = folder;
    this.out = out;
    this.pane = page.locator('.editor-group-container.active .editor-instance .monaco-editor').first();
  }

  file(name) {
    return fs.readFileSync(path.join(this.folder, name), 'utf8');
  }

  /** Writes a file that the workbench watches, again until `check` holds: its watcher tells nothing of what was written before it was up. */
  async write(name, text, what, check) {
    await insist(what, () => fs.writeFileSync(path.join(this.folder, name), text), check, 20);
  }

  /** Waits for a message of the workbench that contains the text. */
  async notification(text, timeout = 20_000) {
    await this.page.locator('.notification-toast', { hasText: text }).first().waitFor({ timeout });
  }

  /** Waits until the tab with this label is the active one and its text is there. */
  async shows(label, timeout = 20_000) {
    await this.page.locator('.editor-group-container.active .tab.active', { hasText: label }).waitFor({ timeout });
    await until(`text of ${label}`, async () => (await this.text()) !== '', timeout);
  }

  /** The name of the file in the active tab. */
  async tab() {
    return (await this.page.locator('.editor-group-container.active .tab.active').first().getAttribute('data-resource-name')) ?? '';
  }

  /** The visible lines from top to bottom, hints included. */
  lines() {
    return this.#linesOf(this.pane);
  }

  /** The visible lines of the document in the other group of editors. */
  beside() {
    return this.#linesOf(this.page.locator('.editor-group-container:not(.active) .editor-instance .monaco-editor').first());
  }

  async #linesOf(pane) {
    const lines = await pane.locator('.view-line').evaluateAll((elements) =>
      elements
        .map((element) => ({ top: parseFloat(element.style.top), text: element.textContent ?? '' }))
        .sort((a, b) => a.top - b.top)
        .map((line) => line.text),
    );
    return lines.map(plain);
  }

  async text() {
    return (await this.lines()).join('\n');
  }

  /** The visible line that begins with `start`. */
  async line(start) {
    return (await this.lines()).find((line) => line.startsWith(start)) ?? '';
  }

  /** The lenses, from top to bottom. */
  async lenses() {
    return (await this.pane.locator('.codelens-decoration a').allTextContents()).map(plain);
  }

  lens(text) {
    return this.pane.locator('.codelens-decoration a', { hasText: text }).first();
  }

  /** The innermost piece of the line that begins with `start` whose text contains `text`. */
  piece(start, text) {
    return this.pane.locator('.view-line', { hasText: start }).locator('span span', { hasText: text }).first();
  }

  /**
   * Rests the mouse on that piece until a hover shows this text, and returns its text. The editor drops a hover that is under
   * way whenever it draws the line anew (a lens or a hint arrives): then the mouse leaves and comes back.
   */
  async hover(start, piece, text) {
    const shown = this.page.locator('.monaco-hover:visible', { hasText: text }).first();
    return until(`a hover that says ${text}`, async () => {
      await this.page.mouse.move(0, 0);
      await this.piece(start, piece).hover({ timeout: 5_000 }).catch(() => undefined);
      return shown.waitFor({ timeout: 5_000 }).then(() => shown.textContent(), () => undefined);
    }, 60_000);
  }

  /** The colour in which a word of the line that begins with `start` is drawn. */
  async colour(start, word) {
    return this.pane.locator('.view-line', { hasText: start }).first().evaluate((line, wanted) => {
      const pieces = [...line.querySelectorAll('span span')];
      const found = pieces.find((piece) => (piece.textContent ?? '').split(/[^\w.$]+/).includes(wanted));
      return found === undefined ? undefined : getComputedStyle(found).color;
    }, word);
  }

  /** Asks for completion at the cursor and moves to the item of this label. */
  async suggestion(label) {
    const row = this.page.locator('.suggest-widget .monaco-list-row', { has: this.page.locator('.label-name', { hasText: new RegExp(`^${label.replace('.', '\\.')}$`) }) });
    await until(`${label} is offered`, async () => {
      await this.page.keyboard.press('Control+Space');
      await row.first().waitFor({ timeout: 5_000 });
      return true;
    });
  }

  squiggles() {
    return this.pane.locator('.squiggly-error, .squiggly-warning');
  }

  /** Puts the cursor into the line of this number (from 1), at its first word. */
  async goTo(number, column = 1) {
    await this.page.keyboard.press('Control+G');
    await this.page.locator('.quick-input-widget input').waitFor();
    await this.page.keyboard.type(`${number}:${column}`);
    await this.page.keyboard.press('Enter');
    // Where the cursor was there already, the place alone tells nothing: keys would still go to the box.
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    await this.page.locator('.statusbar-item', { hasText: `Ln ${number}, Col ${column}` }).waitFor();
  }

  /** Goes from the cursor to the definition of what is there, in the file of this name; asks again where the server was not ready. */
  async goToDefinition(name, timeout = 60_000) {
    await until(`the definition in ${name}`, async () => {
      // Another press after the jump would ask for something else.
      if (!(await this.tab()).endsWith(name)) {
        await this.page.keyboard.press('F12');
      }
      await this.shows(name, 5_000);
      return true;
    }, timeout);
  }

  /** Opens the menu of actions for the cursor's place and returns the labels in it. */
  async actions() {
    const rows = this.page.locator('.action-widget .monaco-list-row.action');
    // The bulb tells that the server has answered for this place; it may stay away where it was seen before.
    await this.pane.locator('[class*="codicon-gutter-lightbulb"]').first().waitFor({ timeout: 3_000 }).catch(() => undefined);
    // A menu that opens while an update arrives closes again at once: press until it stays.
    await until('the menu of actions stays open', async () => {
      await this.page.keyboard.press('Control+.');
      try {
        await rows.first().waitFor({ timeout: 3_000 });
        await this.page.waitForTimeout(300);
        return await rows.first().isVisible();
      } catch {
        await this.page.keyboard.press('Escape');
        return false;
      }
    });
    return (await rows.allTextContents()).map((label) => plain(label).trim());
  }

  /** Chooses from the menu that {@link actions} opened. */
  async choose(label) {
    await this.page.locator('.action-widget .monaco-list-row', { hasText: new RegExp(`^\\s*${label}\\s*$`) }).click();
  }

  /** Whether the question of this title is open. */
  async isAsked(title) {
    return this.page.locator('.quick-input-titlebar', { hasText: title }).isVisible();
  }

  /** What the question of this title offers, from top to bottom. */
  async choices(title) {
    const rows = this.page.locator('.quick-input-list .monaco-list-row');
    await this.page.locator('.quick-input-titlebar', { hasText: title }).waitFor({ timeout: 60_000 });
    await rows.first().waitFor();
    const found = await rows.evaluateAll((all) => all.map((row) => ({ index: Number(row.dataset.index), text: row.textContent ?? '' })).sort((a, b) => a.index - b.index));
    return found.map((row) => plain(row.text));
  }

  /** Answers the question that is open; places count from 0. */
  async pick(place) {
    await this.page.locator(`.quick-input-list .monaco-list-row[data-index="${place}"]`).click();
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  /** Puts the cursor into the script, as a click does. */
  async focus() {
    await this.pane.locator('.view-line').first().click({ position: { x: 4, y: 4 } });
  }

  /** Puts the cursor to the very start, without a box that would take the place of one that is open. */
  async toStart() {
    const isThere = () => this.page.locator('.statusbar-item', { hasText: /Ln 1, Col 1(?!\d)/ }).first().isVisible();
    await insist('the cursor is at the start', () => this.page.keyboard.press('Control+Home'), isThere);
  }

  /** Runs a command of the palette; one that asks something opens the same widget again. */
  async command(title, { asks = false } = {}) {
    await this.page.keyboard.press('F1');
    await this.page.locator('.quick-input-widget input').waitFor();
    await this.page.keyboard.type(title);
    // Several commands may match; Enter would run the most recently used one.
    await this.page.locator('.quick-input-list .monaco-list-row', { has: this.page.getByText(title, { exact: true }) }).first().click();
    if (!asks) {
      await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    }
  }

  /** Closes the active tab. */
  async closeTab() {
    const name = await this.tab();
    const isClosed = async () => (await this.tab()) !== name;
    const close = this.page.locator('.editor-group-container.active .tab.active .tab-actions .action-label');
    await insist('the tab is closed', async () => (await isClosed()) || close.click({ timeout: 3_000 }).catch(() => undefined), isClosed);
  }

  /** Closes the documents in the other group of editors. */
  async closeBeside() {
    const tabs = this.page.locator('.editor-group-container:not(.active) .tab');
    const isClosed = async () => (await tabs.count()) === 0;
    await insist('nothing is beside', async () => (await isClosed()) || tabs.first().locator('.tab-actions .action-label').click({ timeout: 3_000 }).catch(() => undefined), isClosed);
  }

  /** Appends text at the very end of the document. */
  async append(text) {
    await this.pane.locator('.view-line').first().click();
    await this.page.keyboard.press('Control+End');
    await this.page.keyboard.type(text);
  }

  async save(name) {
    await this.page.keyboard.press('Control+S');
    await this.page.locator('.tab.active.dirty').waitFor({ state: 'detached' });
    return this.file(name);
  }

  /** The messages in the panel of problems. */
  async problems() {
    const rows = this.page.locator('.markers-panel .monaco-list-row');
    if (!(await this.page.locator('.markers-panel').isVisible())) {
      await this.page.keyboard.press('Control+Shift+M');
      await this.page.locator('.markers-panel').waitFor();
    }
    return (await rows.allTextContents()).map(plain);
  }

  /** Waits until the panel of problems has a message with this text: a mark may be drawn before the panel has its row. */
  async problem(text, timeout = 60_000) {
    let seen = [];
    try {
      await until('the problem', async () => (seen = await this.problems()).some((problem) => problem.includes(text)), timeout);
    } catch {
      assert.fail(`no problem says "${text}": ${seen.join('\n') || 'there are none'}`);
    }
  }

  async screenshot(name) {
    await this.page.screenshot({ path: path.join(this.out, `${name}.png`) });
  }

  async close() {
    await this.page.context().close();
  }
}
