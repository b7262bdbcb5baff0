// What the server speaks beyond the protocol's standard, in one place. The Neovim plugin mirrors it in lua/sumac/init.lua, status.lua and alternatives.lua.

import { NotificationType, RequestType, RequestType0, type WorkspaceEdit } from 'vscode-languageclient/node';
import type { Status } from './status_text';

/** The scheme of documents that only the server knows: comparisons, proofs. They are opened by `window/showDocument`. */
export const SCHEME = 'sumac';

/** Commands of the server, run by `workspace/executeCommand`. Their arguments are the server's own business. */
export const ServerCommand = {
  time: 'sumac.time',
  explain: 'sumac.explain',
  whyNone: 'sumac.whyNoSuggestion',
  fusion: 'sumac.fusion',
  schedule: 'sumac.schedule',
  apply: 'sumac.apply',
  applyAll: 'sumac.applyAll',
} as const;

/** Commands of the client, which the server's lenses and actions use. */
export const ClientCommand = {
  /** Shows places: the document and the position that they are about, and the locations. */
  showReferences: 'sumac.showReferences',
  /** Lets the person choose a form of a statement; the arguments are {@link AlternativesParams}, in order. */
  pickAlternative: 'sumac.pickAlternative',
  /** Lets the person choose a sketch for the loops of a product; the arguments are {@link SchedulesParams}, in order. */
  pickSchedule: 'sumac.pickSchedule',
} as const;

/** What the server is told at its start. */
export interface InitializationOptions {
  /** Whether the person trusts the workspace: only then may scripts be run. */
  readonly trusted: boolean;
  /** That {@link ClientCommand.showReferences} is there, so lenses may use it. */
  readonly showsReferences: boolean;
  /** That {@link ClientCommand.pickAlternative} is there, so lenses and actions may use it. */
  readonly picksAlternatives: boolean;
  /** That {@link ClientCommand.pickSchedule} is there, so lenses and actions may use it. */
  readonly picksSchedules: boolean;
  /** `expressions`: only hints, hovers, actions and diagnostics of languages beside DML. */
  readonly only?: 'expressions';
}

export interface DocumentParams {
  readonly uri: string;
}

export interface DocumentResult {
  readonly text: string;
  readonly languageId: string;
}

/** The text of a document of scheme {@link SCHEME}. */
export const documentRequest = new RequestType<DocumentParams, DocumentResult, void>('sumac/document');

export interface AlternativesParams {
  readonly uri: string;
  readonly line: number;
  /** The version of the text that the person saw; the server refuses any other. */
  readonly version: number | undefined;
  /** Whether the forms are those that the sketches of the workspace lead to. */
  readonly sketches: boolean;
}

export interface AlternativesResult {
  /** What is chosen. */
  readonly title: string;
  /** Why there is nothing to choose, if there is nothing. */
  readonly message: string | null;
  /** The forms side by side, as a document of scheme {@link SCHEME}. */
  readonly document: string | null;
  readonly items: readonly { readonly title: string; readonly detail: string; readonly edit: WorkspaceEdit }[];
}

/** The forms of the statement in a line. */
export const alternativesRequest = new RequestType<AlternativesParams, AlternativesResult, void>('sumac/alternatives');

export interface SchedulesParams {
  readonly uri: string;
  readonly line: number;
  /** The version of the text that the person saw; the server refuses any other. */
  readonly version: number | undefined;
}

export interface SchedulesResult {
  /** What is chosen. */
  readonly title: string;
  /** All sketches first, which is no sketch, then each. */
  readonly items: readonly { readonly title: string; readonly detail: string; readonly sketch: string | null }[];
}

/** The sketches that say loops for the product in a line. */
export const schedulesRequest = new RequestType<SchedulesParams, SchedulesResult, void>('sumac/schedules');

/** What the server is doing. */
export const statusRequest = new RequestType0<Status, void>('sumac/status');

/** That it is doing something else now; sent to clients whose experimental capabilities say `sumacStatus`. */
export const statusChanged = new NotificationType<Status>('sumac/statusChanged');

/** Calls off the work of a kind for a document; the result is how much that was. */
export const cancelRequest = new RequestType<{ readonly what: string; readonly uri: string | null }, number, void>('sumac/cancel');

/** Has the server forget what it can find again. */
export const clearCachesRequest = new RequestType0<null, void>('sumac/clearCaches');
