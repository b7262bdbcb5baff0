// What the server speaks beyond the protocol's standard, in one place. The Neovim plugin mirrors it in lua/sumac/init.lua.

import { RequestType } from 'vscode-languageclient/node';

/** The scheme of documents that only the server knows: plans, proofs. They are opened by `window/showDocument`. */
export const SCHEME = 'sumac';

/** Commands of the server, run by `workspace/executeCommand`. Their arguments are the server's own business. */
export const ServerCommand = {
  time: 'sumac.time',
  explain: 'sumac.explain',
  apply: 'sumac.apply',
} as const;

/** Commands of the client, which the server's lenses use. */
export const ClientCommand = {
  /** Shows places: the document and the position that they are about, and the locations. */
  showReferences: 'sumac.showReferences',
} as const;

/** What the server is told at its start. */
export interface InitializationOptions {
  /** Whether the person trusts the workspace: only then may scripts be run. */
  readonly trusted: boolean;
  /** That {@link ClientCommand.showReferences} is there, so lenses may use it. */
  readonly showsReferences: boolean;
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
