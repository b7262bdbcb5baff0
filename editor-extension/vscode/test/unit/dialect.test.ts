import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HEAD_LENGTH, isDeviceModel } from '../../src/dialect';

for (const [what, text] of [
  ['the version in the first line', 'dml 1.4;\ndevice x;'],
  ['an older version', 'dml 1.2;'],
  ['spaces and a byte order mark', '\uFEFF\n  dml   1.4 ;'],
  ['a licence before it', '/*\n  © someone\n*/\n// more\n\ndml 1.4;\n'],
] as const) {
  test(`a device model: ${what}`, () => assert.equal(isDeviceModel(text), true));
}

for (const [what, text] of [
  ['an empty file', ''],
  ['facts', '#@ X: 10 x 20\nX = read($X)'],
  ['a variable of that name', 'dml = 1.4;'],
  ['the words in a comment only', '# dml 1.4;\nx = 1'],
  ['the words in a block comment only', '/* dml 1.4; */ x = 1'],
  ['the words after the first statement', 'x = 1\ndml 1.4;'],
  ['a comment that never ends', '/* dml 1.4;'],
] as const) {
  test(`a script: ${what}`, () => assert.equal(isDeviceModel(text), false));
}

// A pattern that backtracks without bound would never end here.
test('a long file is not searched to its end', () => {
  assert.equal(isDeviceModel(`${'# '.repeat(HEAD_LENGTH)}\n dml 1.4;`), false);
  assert.equal(isDeviceModel(' '.repeat(HEAD_LENGTH) + '/'.repeat(HEAD_LENGTH)), false);
  assert.equal(isDeviceModel('#\n'.repeat(HEAD_LENGTH)), false);
});
