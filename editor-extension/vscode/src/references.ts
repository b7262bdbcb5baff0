// The client's side of the lens that counts references: a click shows them.

import * as vscode from 'vscode';
import type { LanguageClient, Location, Position } from 'vscode-languageclient/node';
import { ClientCommand } from './lsp_ext';

/** Registers the command that the lens runs; `client` is asked anew each time, as it changes with a restart. */
export function registerReferences(client: () => LanguageClient | undefined): vscode.Disposable {
  return vscode.commands.registerCommand(ClientCommand.showReferences, async (uri: string, position: Position, locations: Location[]) => {
    const convert = client()?.protocol2CodeConverter;
    if (convert !== undefined) {
      const places = locations.map((location) => convert.asLocation(location));
      await vscode.commands.executeCommand('editor.action.showReferences', convert.asUri(uri), convert.asPosition(position), places);
    }
  });
}
