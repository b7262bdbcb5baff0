// Finds the language server's program: the setting, then the one that comes with the extension, then the search path.
// Knows no editor: the caller says what the setting is and where the extension lies.

import { accessSync, constants, statSync } from 'node:fs';
import * as path from 'node:path';

/** What discovery depends on; all of it can be given by a test. */
export interface Surroundings {
  /** The value of `sumac.server.path`; empty when it is not set. */
  readonly setting: string;
  /** The folder of the installed extension. */
  readonly extension: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly isProgram: (file: string) => boolean;
}

/** The program, or why there is none, in words for the person. */
export type Discovery = { readonly program: string } | { readonly missing: string };

/** Looks in the three places, in order. A setting that leads nowhere is told, not passed over. */
export function findServer(around: Surroundings): Discovery {
  const name = around.platform === 'win32' ? 'sumac.exe' : 'sumac';
  const setting = expandHome(around.setting.trim(), around.environment);
  if (setting !== '') {
    const found = path.basename(setting) === setting ? onPath(setting, around) : setting;
    return found !== undefined && around.isProgram(found)
      ? { program: found }
      : { missing: `The setting sumac.server.path is "${around.setting}", and there is no program of that name.` };
  }
  const bundled = path.join(around.extension, 'bin', name);
  if (around.isProgram(bundled)) {
    return { program: bundled };
  }
  const found = onPath(name, around);
  return found === undefined
    ? { missing: `The language server was not found: there is no ${name} on the search path. Install it, or say where it is with the setting sumac.server.path.` }
    : { program: found };
}

/** What is wrong with a program that answers `--version` so; `undefined` where it is a server. */
export function notAServer(program: string, printed: string): string | undefined {
  if (/^sumac \d+\.\d+/.test(printed)) {
    return undefined;
  }
  const first = printed.trim().split('\n')[0] ?? '';
  const seen = first === '' ? 'prints nothing' : `prints "${first.slice(0, 80)}"`;
  return `${program} is no Sumac language server: asked for its version, it ${seen}. Say where the server is with the setting sumac.server.path.`;
}

/** That a server and the extension are of different versions, which may miss things of each other; `undefined` where they are not. */
export function otherVersion(program: string, server: string | undefined, extension: string): string | undefined {
  return server === undefined || server === extension
    ? undefined
    : `The language server ${program} has version ${server}, the extension has ${extension}: some things may be missing. Install both of one version.`;
}

/** Whether the file is there and may be run. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function onPath(name: string, around: Surroundings): string | undefined {
  const folders = (around.environment['PATH'] ?? '').split(around.platform === 'win32' ? ';' : ':');
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => path.join(folder, name))
    .find((file) => around.isProgram(file));
}

function expandHome(file: string, environment: Surroundings['environment']): string {
  const home = environment['HOME'] ?? environment['USERPROFILE'];
  return home !== undefined && /^~[/\\]/.test(file) ? path.join(home, file.slice(2)) : file;
}
