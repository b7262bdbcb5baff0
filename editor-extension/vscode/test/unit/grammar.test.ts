import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import * as oniguruma from 'vscode-oniguruma';
import { INITIAL, Registry, parseRawGrammar, type IGrammar } from 'vscode-textmate';

const GRAMMAR = 'syntaxes/systemds.tmLanguage.json';
let grammar: IGrammar;

before(async () => {
  await oniguruma.loadWASM(readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')));
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => parseRawGrammar(readFileSync(GRAMMAR, 'utf8'), GRAMMAR),
  });
  const loaded = await registry.loadGrammar('source.systemds');
  assert.ok(loaded !== null);
  grammar = loaded;
});

/** The innermost scope of each piece of text, the language's suffix cut off; pieces without a scope are left out. */
function scopes(text: string): [string, string][] {
  let state = INITIAL;
  return text.split('\n').flatMap((line) => {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    return result.tokens
      .map((token): [string, string] => [line.slice(token.startIndex, token.endIndex).trim(), (token.scopes.at(-1) ?? '').replace(/\.systemds$/, '')])
      .filter(([piece, scope]) => piece !== '' && scope !== 'source');
  });
}

test('a product, a power and builtins', () => {
  assert.deepEqual(scopes('loss = sum((X - U %*% t(V))^2)'), [
    ['=', 'keyword.operator'],
    ['sum', 'support.function'],
    ['-', 'keyword.operator'],
    ['%*%', 'keyword.operator.matrix'],
    ['t', 'support.function'],
    ['^', 'keyword.operator'],
    ['2', 'constant.numeric'],
  ]);
});

test('a variable is no builtin, and a dotted name is one piece', () => {
  assert.deepEqual(scopes('t = as.scalar(sum.of)'), [
    ['=', 'keyword.operator'],
    ['as.scalar', 'support.function'],
  ]);
});

test('facts are told apart from comments', () => {
  assert.deepEqual(scopes('#@ X: 100 x n, sparsity 1e-4'), [
    ['#@', 'keyword.other.fact'],
    ['X', 'variable.other'],
    [':', 'keyword.operator'],
    ['100', 'constant.numeric'],
    ['x', 'keyword.operator.size'],
    ['n,', 'meta.fact'],
    ['sparsity', 'keyword.other.fact'],
    ['1e-4', 'constant.numeric'],
  ]);
  assert.deepEqual(scopes('# X: 100'), [
    ['#', 'punctuation.definition.comment'],
    ['X: 100', 'comment.line.number-sign'],
  ]);
});

test('a block comment spans lines and ends', () => {
  const found = scopes('/* one\ntwo */ x = 1');
  assert.deepEqual(found.at(-1), ['1', 'constant.numeric']);
  assert.ok(found.some(([text, scope]) => text === 'two' && scope === 'comment.block'));
});

test('functions: keyword, types, arguments, namespace', () => {
  assert.deepEqual(scopes('f = function(matrix[double] X, int k = $1) return (double y) { y = m::g(X) }').map(([, scope]) => scope), [
    'keyword.operator',
    'keyword.other',
    'storage.type',
    'storage.type',
    'punctuation.separator',
    'storage.type',
    'keyword.operator',
    'variable.parameter',
    'keyword.control',
    'storage.type',
    'keyword.operator',
    'entity.name.namespace',
    'entity.name.function',
  ]);
});

test('a string that is not closed ends with its line', () => {
  assert.deepEqual(scopes('x = "abc\ny = TRUE').slice(-2), [
    ['=', 'keyword.operator'],
    ['TRUE', 'constant.language'],
  ]);
});

test('no number inside a name', () => {
  assert.deepEqual(scopes('x1 = y.2a'), [['=', 'keyword.operator']]);
});
