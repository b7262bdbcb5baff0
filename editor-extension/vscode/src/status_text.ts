// The words for the server's state. Plain data in, text out: knows no editor.

/** Work under way. */
export interface Running {
  readonly what: string;
  readonly uri: string | null;
  readonly milliseconds: number;
}

/** What `sumac/status` answers and `sumac/statusChanged` tells. */
export interface Status {
  readonly saturations: number;
  readonly remembered: number;
  readonly restored: number;
  readonly running: readonly Running[];
  readonly waiting: number;
  readonly documents: number;
  readonly memory: { readonly resident: number | null; readonly cached: number; readonly limit: number };
}

/** Kinds of work that a person may want to know of, what counts most first. Answers are there before they could be read of. */
const VERBS: readonly (readonly [what: string, verb: string])[] = [
  ['timing', 'timing'],
  ['sketch', 'searching by a sketch'],
  ['alternatives', 'comparing forms'],
  ['search', 'searching'],
  ['asserts', 'deciding asserts'],
  ['index', 'reading the workspace'],
  ['analysis', 'analysing'],
];

/** The text of the item in the status bar while the server is dead. */
export const STOPPED = '$(error) Sumac: not running';

/** The text of the item in the status bar: the work that counts most, and how often it goes on. */
export function headline(status: Status | undefined): string {
  const kinds = (status?.running ?? []).map((work) => work.what);
  const most = VERBS.find(([what]) => kinds.includes(what));
  if (most === undefined) {
    return '$(check) Sumac';
  }
  const [what, verb] = most;
  const count = kinds.filter((kind) => kind === what).length;
  return `$(sync~spin) Sumac: ${verb}${count > 1 ? ` ${count}` : ''}`;
}

/** One piece of work: `searching loss.dml`; `undefined` for what is not worth a line. */
export function title(work: Running): string | undefined {
  const verb = VERBS.find(([what]) => what === work.what)?.[1];
  const name = work.uri === null ? '' : ` ${decodeURIComponent(work.uri.slice(work.uri.lastIndexOf('/') + 1))}`;
  return verb === undefined ? undefined : verb + name;
}

/** For how long: `0.3 s`. */
export function duration(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** The caches in one line. */
export function caches(status: Status): string {
  const { cached, limit, resident } = status.memory;
  const whole = resident === null ? '' : `, ${size(resident)} in all`;
  return `${size(cached)} of at most ${size(limit)}${whole}`;
}

/** `12 MB`. */
export function size(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
