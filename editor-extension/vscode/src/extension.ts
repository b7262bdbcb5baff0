// Entry point: wires the editor's events to the server's life.

import * as vscode from 'vscode';
import { registerAlternatives } from './alternatives';
import { isDeviceModel, usesArrays } from './dialect';
import { registerDocuments } from './documents';
import { alternativesHere, applyAllHere, applyHere, explainHere, fusionHere, scheduleHere, timeHere, whyHere } from './here';
import { registerReferences } from './references';
import { registerSchedules } from './schedules';
import { ARRAYS, LANGUAGE, PYTHON, SCRIPTS, SKETCH_LANGUAGE, Server, looksAtPython } from './server';

let server: Server | undefined;
let arrays: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const started = (server = new Server(context, SCRIPTS));
  const forPython = (arrays = new Server(context, ARRAYS));
  context.subscriptions.push(
    ...(started.status === undefined ? [] : [started.status]),
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
    vscode.workspace.onDidOpenTextDocument((document) => opened(document, started, forPython)),
    vscode.workspace.onDidChangeTextDocument(({ document }) => openedPython(document, forPython)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => Promise.all([started.restart(), forPython.restartIfRunning()])),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('sumac.server.python')) {
        void (looksAtPython() ? Promise.all(vscode.workspace.textDocuments.map((document) => openedPython(document, forPython))) : forPython.stop());
      } else if (change.affectsConfiguration('sumac.server')) {
        void started.restart();
        void forPython.restartIfRunning();
      } else if (change.affectsConfiguration('sumac')) {
        started.refresh();
        forPython.refresh();
      }
    }),
  );
  await Promise.all(vscode.workspace.textDocuments.map((document) => opened(document, started, forPython)));
}

export async function deactivate(): Promise<void> {
  await Promise.all([server?.stop(), arrays?.stop()]);
}

/** Starts the server for the first script or sketch; hands a file of the other language with this extension back. */
async function opened(document: vscode.TextDocument, server: Server, forPython: Server): Promise<void> {
  if (document.languageId === SKETCH_LANGUAGE) {
    await server.start();
    return;
  }
  await openedPython(document, forPython);
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

/** Starts the server for Python with the first file that uses arrays. */
async function openedPython(document: vscode.TextDocument, server: Server): Promise<void> {
  if (document.languageId === PYTHON && server.client() === undefined && looksAtPython() && usesArrays(document.getText())) {
    await server.start();
  }
}
