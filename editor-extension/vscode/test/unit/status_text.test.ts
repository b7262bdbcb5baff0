import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caches, headline, size, title, type Running, type Status } from '../../src/status_text';

const work = (what: string, uri: string | null = 'file:///a/my%20loss.dml'): Running => ({ what, uri, milliseconds: 1_234 });
const status = (...running: Running[]): Status => ({
  saturations: 0,
  remembered: 0,
  restored: 0,
  running,
  waiting: 0,
  documents: 1,
  memory: { resident: null, cached: 1_500, limit: 1 << 30 },
});

test('a server at rest says its name', () => {
  assert.equal(headline(undefined), '$(check) Sumac');
  assert.equal(headline(status(work('answer'), work('lookup'))), '$(check) Sumac');
});

test('of several kinds of work the one that counts most is told, with its number', () => {
  assert.equal(headline(status(work('analysis'))), '$(sync~spin) Sumac: analysing');
  assert.equal(headline(status(work('analysis'), work('search'), work('search'))), '$(sync~spin) Sumac: searching 2');
  assert.equal(headline(status(work('search'), work('timing'))), '$(sync~spin) Sumac: timing');
});

test('work is named with its document', () => {
  assert.equal(title(work('search')), 'searching my loss.dml');
  assert.equal(title(work('index', null)), 'reading the workspace');
  assert.equal(title(work('answer')), undefined);
});

test('sizes are short, and a memory that is not known is left out', () => {
  assert.deepEqual([0, 1023, 1024, 15 << 20, 1 << 30].map(size), ['0 bytes', '1023 bytes', '1.0 kB', '15 MB', '1.0 GB']);
  assert.equal(caches(status()), '1.5 kB of at most 1.0 GB');
  assert.equal(caches({ ...status(), memory: { resident: 1 << 20, cached: 0, limit: 1024 } }), '0 bytes of at most 1.0 kB, 1.0 MB in all');
});
