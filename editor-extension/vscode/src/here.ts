// The palette's commands for the statement at the cursor. They find the lens or action that the server offers there
// and do what choosing it would do; nothing is decided here.

import * as vscode from 'vscode';
import { ClientCommand, ServerCommand } from './lsp_ext';

export async function timeHere(): Promise<void> {
  await withEditor(async (editor, line) => {
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', editor.document.uri, Number.MAX_SAFE_INTEGER);
    const here = lenses.filter((l) => l.range.start.line <= line && line <= l.range.end.line);
    const lens = here.find((l) => l.command?.command === ServerCommand.time);
    if (lens?.command !== undefined) {
      return runCommand(lens.command);
    }
    // The lens of a statement whose forms are being timed is a text to read.
    if (here.some((l) => l.command?.command === '')) {
      return 'a timing under way';
    }
    if (vscode.workspace.isTrusted) {
      return 'nothing to time';
    }
    return tellOfTrust();
  });
}

export async function explainHere(): Promise<void> {
  await withEditor(async (editor) => {
    const action = (await actions(editor)).find((a) => commandOf(a) === ServerCommand.explain);
    return action === undefined ? 'no suggestion to explain' : run(action);
  });
}

export async function whyHere(): Promise<void> {
  await withEditor(async (editor) => {
    const action = (await actions(editor)).find((a) => commandOf(a) === ServerCommand.whyNone);
    return action === undefined ? 'nothing to say' : run(action);
  });
}

export async function fusionHere(): Promise<void> {
  await withEditor(async (editor) => {
    const action = (await actions(editor)).find((a) => commandOf(a) === ServerCommand.fusion);
    return action === undefined ? 'nothing to fuse' : run(action);
  });
}

export async function scheduleHere(): Promise<void> {
  await withEditor(async (editor) => {
    const action = (await actions(editor)).find((a) => commandOf(a) === ClientCommand.pickSchedule);
    if (action !== undefined) {
      return run(action);
    }
    return vscode.workspace.isTrusted ? 'no product of dense matrices with known sizes' : tellOfTrust();
  });
}

export async function alternativesHere(): Promise<void> {
  await withEditor(async (editor) => {
    const action = (await actions(editor)).find((a) => commandOf(a) === ClientCommand.pickAlternative);
    return action === undefined ? 'no suggestion with alternatives' : run(action);
  });
}

export async function applyHere(): Promise<void> {
  await withEditor(async (editor) => {
    const offered = await actions(editor);
    const action = offered.find((a) => commandOf(a) === ServerCommand.apply) ?? offered.find((a) => a.title.startsWith('Apply optimized form'));
    return action === undefined ? 'no suggestion to apply' : run(action);
  });
}

/** Says why nothing is run, and where that can be changed. */
async function tellOfTrust(): Promise<undefined> {
  const manage = 'Manage Workspace Trust';
  if ((await vscode.window.showInformationMessage('Sumac runs nothing in a workspace that is not trusted.', manage)) === manage) {
    await vscode.commands.executeCommand('workbench.trust.manage');
  }
}

/** Applies all suggestions of the file; the server shows what that changes, and asks. */
export async function applyAllHere(): Promise<void> {
  await withEditor(async (editor, line) => {
    await vscode.commands.executeCommand(ServerCommand.applyAll, editor.document.uri.toString(), line, editor.document.version);
    return undefined;
  });
}

/** Calls `act` with the active editor and its cursor's line, and shows what it could not do. */
async function withEditor(act: (editor: vscode.TextEditor, line: number) => Promise<string | undefined>): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return;
  }
  const line = editor.selection.active.line;
  const complaint = await act(editor, line);
  if (complaint !== undefined) {
    void vscode.window.showInformationMessage(`Sumac has ${complaint} at line ${line + 1}.`);
  }
}

async function actions(editor: vscode.TextEditor): Promise<vscode.CodeAction[]> {
  const at = new vscode.Range(editor.selection.active, editor.selection.active);
  // The last argument has that many actions completed, as the menu would do for the chosen one.
  return vscode.commands.executeCommand<vscode.CodeAction[]>('vscode.executeCodeActionProvider', editor.document.uri, at, undefined, 50);
}

function commandOf(action: vscode.CodeAction): string | undefined {
  return action.command?.command;
}

async function run(action: vscode.CodeAction): Promise<undefined> {
  if (action.edit !== undefined) {
    await vscode.workspace.applyEdit(action.edit);
  }
  if (action.command !== undefined) {
    await runCommand(action.command);
  }
}

async function runCommand(command: vscode.Command): Promise<undefined> {
  await vscode.commands.executeCommand(command.command, ...((command.arguments ?? []) as unknown[]));
}
