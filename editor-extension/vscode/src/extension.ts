// Entry point: wires the editor's events to the server's life.

import * as vscode from 'vscode';
import { registerAlternatives } from './alternatives';
import { isDeviceModel } from './dialect';
import { registerDocuments } from './documents';
import { alternativesHere, applyAllHere, applyHere, explainHere, fusionHere, scheduleHere, timeHere, whyHere } from './here';
import { registerReferences } from './references';
import { registerSchedules } from './schedules';
import { LANGUAGE, SKETCH_LANGUAGE, Server } from './server';

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const started = (server = new Server(context));
  context.subscriptions.push(
    started.status,
    registerDocuments(started.client),
    registerReferences(started.client),
    registerAlternatives(started.client),
    registerSchedules(started.client),
    vscode.commands.registerCommand('sumac.restart', () => started.restart()),
    vscode.commands.registerCommand('sumac.showLog', () => started.client()?.outputChannel.show()),
    vscode.commands.registerCommand('sumac.timeHere', timeHere),
    vscode.commands.registerCommand('sumac.explainHere', explainHere),
    vscode.commands.registerCommand('sumac.whyHere', whyHere),
    vscode.commands.registerCommand('sumac.fusionHere', fusionHere),
    vscode.commands.registerCommand('sumac.scheduleHere', scheduleHere),
    vscode.commands.registerCommand('sumac.applyHere', applyHere),
    vscode.commands.registerCommand('sumac.applyAllHere', applyAllHere),
    vscode.commands.registerCommand('sumac.alternativesHere', alternativesHere),
    vscode.workspace.onDidOpenTextDocument((document) => opened(document, started)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => started.restart()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('sumac.server')) {
        void started.restart();
      } else if (change.affectsConfiguration('sumac')) {
        started.refresh();
      }
    }),
  );
  await Promise.all(vscode.workspace.textDocuments.map((document) => opened(document, started)));
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}

/** Starts the server for the first script or sketch; hands a file of the other language with this extension back. */
async function opened(document: vscode.TextDocument, server: Server): Promise<void> {
  if (document.languageId === SKETCH_LANGUAGE) {
    await server.start();
    return;
  }
  if (document.languageId !== LANGUAGE) {
    return;
  }
  if (isDeviceModel(document.getText())) {
    const known = await vscode.languages.getLanguages();
    await vscode.languages.setTextDocumentLanguage(document, known.includes('dml') ? 'dml' : 'plaintext');
  } else {
    await server.start();
  }
}
