import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';
import { findServer, isProgram, notAServer, otherVersion, type Surroundings } from '../../src/discovery';

/** Surroundings in which exactly the given files are programs. */
function having(files: readonly string[], rest: Partial<Surroundings> = {}): Surroundings {
  return {
    setting: '',
    extension: '/ext',
    environment: { PATH: '/usr/bin:/opt/bin', HOME: '/home/me' },
    platform: 'linux',
    isProgram: (file) => files.includes(file),
    ...rest,
  };
}

test('the setting wins', () => {
  const around = having(['/my/sumac', '/ext/bin/sumac', '/usr/bin/sumac'], { setting: '/my/sumac' });
  assert.deepEqual(findServer(around), { program: '/my/sumac' });
});

test('the setting may begin with the home folder', () => {
  assert.deepEqual(findServer(having(['/home/me/b/sumac'], { setting: '~/b/sumac' })), { program: '/home/me/b/sumac' });
});

test('the setting may be a bare name on the search path', () => {
  assert.deepEqual(findServer(having(['/opt/bin/sumac-dev'], { setting: 'sumac-dev' })), { program: '/opt/bin/sumac-dev' });
});

test('a setting that leads nowhere is told even when another server is there', () => {
  const result = findServer(having(['/ext/bin/sumac'], { setting: '/gone/sumac' }));
  assert.ok('missing' in result && result.missing.includes('/gone/sumac'), JSON.stringify(result));
});

test('the bundled server comes before the search path', () => {
  assert.deepEqual(findServer(having(['/ext/bin/sumac', '/usr/bin/sumac'])), { program: '/ext/bin/sumac' });
});

test('the search path is last, in its order', () => {
  assert.deepEqual(findServer(having(['/opt/bin/sumac'])), { program: '/opt/bin/sumac' });
  assert.deepEqual(findServer(having(['/opt/bin/sumac', '/usr/bin/sumac'])), { program: '/usr/bin/sumac' });
});

test('no server at all: the message names the way out', () => {
  const result = findServer(having([], { environment: {} }));
  assert.ok('missing' in result && result.missing.includes('sumac.server.path'), JSON.stringify(result));
});

test('on Windows the program has its extension', () => {
  const result = findServer(having([path.join('/ext', 'bin', 'sumac.exe')], { platform: 'win32' }));
  assert.deepEqual(result, { program: path.join('/ext', 'bin', 'sumac.exe') });
});

test('a folder and a file that may not be run are no programs', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sumac-unit-'));
  try {
    const file = path.join(folder, 'sumac');
    assert.equal(isProgram(file), false);
    writeFileSync(file, '');
    chmodSync(file, 0o755);
    assert.equal(isProgram(file), true);
    assert.equal(isProgram(folder), false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a program that is no server is told, with what it prints', () => {
  assert.equal(notAServer('/usr/bin/sumac', 'sumac 0.1.0\n'), undefined);
  const silent = notAServer('/bin/true', '');
  assert.ok(silent?.includes('/bin/true is no Sumac language server') && silent.includes('prints nothing'), silent);
  const other = notAServer('/bin/echo', 'echo (GNU coreutils) 9.1\nmore');
  assert.ok(other?.includes('prints "echo (GNU coreutils) 9.1"'), other);
});

test('a server of another version is told', () => {
  assert.equal(otherVersion('/usr/bin/sumac', '0.1.0', '0.1.0'), undefined);
  assert.equal(otherVersion('/usr/bin/sumac', undefined, '0.1.0'), undefined);
  const other = otherVersion('/usr/bin/sumac', '0.0.9', '0.1.0');
  assert.ok(other?.includes('0.0.9') && other.includes('0.1.0'), other);
});
