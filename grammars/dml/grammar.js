/**
 * @file DML, the language of Apache SystemDS 3.4.
 * @license Apache-2.0 OR MIT
 *
 * The grammar accepts a little more than SystemDS does where that makes half-written code readable
 * (an index range without an end, a parameter without a type); whoever reads the tree reports those places.
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

// Tightest binds highest. `^` alone groups to the right.
const PREC = {
  or: 1,
  and: 2,
  not: 3,
  compare: 4,
  add: 5,
  multiply: 6,
  modulo: 7,
  matrix_multiply: 8,
  sign: 9,
  power: 10,
};

// What the language lexes as types of values, and therefore reserves.
const VALUE_TYPES = [
  'int', 'integer', 'string', 'boolean', 'double', 'unknown',
  'Int', 'Integer', 'String', 'Boolean', 'Double', 'Unknown',
];

const KEYWORDS = [
  'source', 'setwd', 'as', 'ifdef', 'if', 'else', 'for', 'in', 'parfor', 'while',
  'function', 'return', 'externalFunction', 'implemented', 'TRUE', 'FALSE',
];

/** One or more of `rule`, separated by commas. */
const commaSep1 = rule => seq(rule, repeat(seq(',', rule)));

/** Any number of `rule`, separated by commas. */
const commaSep = rule => optional(commaSep1(rule));

export default grammar({
  name: 'dml',

  word: $ => $.identifier,

  extras: $ => [/\s/, $.comment, $.fact, $.skipped],

  supertypes: $ => [$.statement, $.expression],

  inline: $ => [$._target],

  reserved: {
    // Without this, a half-typed `y =` in front of `if (x)` would swallow it as a call of `if`.
    global: _ => [...KEYWORDS, ...VALUE_TYPES],
  },

  conflicts: $ => [
    // `a = b` and on the next line `[c, d] = f()`: only what follows `]` tells that `[` was no index.
    [$.expression, $.index_expression],
  ],

  rules: {
    program: $ => repeat($.statement),

    // Section - Statements
    //
    // A newline ends nothing, and simple statements own the semicolons behind them, so that
    // `if (a) b = 1; else c = 2` is one statement.

    statement: $ => choice(
      $.assignment,
      $.multiple_assignment,
      $.expression_statement,
      $.if_statement,
      $.while_statement,
      $.for_statement,
      $.parfor_statement,
      $.function_definition,
      $.external_function_definition,
      $.source_statement,
      $.setwd_statement,
    ),

    assignment: $ => prec.right(seq(
      field('target', $._target),
      field('operator', choice('=', '<-', '+=')),
      field('value', choice($.expression, $.ifdef_expression)),
      repeat(';'),
    )),

    multiple_assignment: $ => prec.right(seq(
      '[',
      commaSep1(field('target', $._target)),
      ']',
      field('operator', choice('=', '<-')),
      field('value', $.call),
      repeat(';'),
    )),

    _target: $ => choice($.identifier, $.index_expression),

    expression_statement: $ => prec.right(seq(field('expression', $.call), repeat(';'))),

    if_statement: $ => prec.right(seq(
      'if', '(', field('condition', $.expression), ')',
      field('consequence', $._body),
      optional(seq('else', field('alternative', $._body))),
    )),

    while_statement: $ => prec.right(seq(
      'while', '(', field('condition', $.expression), ')',
      field('body', $._body),
    )),

    for_statement: $ => prec.right(seq('for', $._loop_head, field('body', $._body))),

    parfor_statement: $ => prec.right(seq('parfor', $._loop_head, field('body', $._body))),

    _loop_head: $ => seq(
      '(',
      field('variable', $.identifier),
      'in',
      field('range', choice($.expression, $.range)),
      repeat(seq(',', field('option', $.named_argument))),
      ')',
    ),

    _body: $ => prec.right(choice($.block, seq($.statement, repeat(';')))),

    block: $ => seq('{', repeat(prec.right(seq($.statement, repeat(';')))), '}'),

    source_statement: $ => prec.right(seq(
      'source', '(', field('path', $.string), ')', 'as', field('alias', $.identifier), repeat(';'),
    )),

    setwd_statement: $ => prec.right(seq('setwd', '(', field('path', $.string), ')', repeat(';'))),

    // Section - Functions

    function_definition: $ => prec.right(seq(
      field('name', $.identifier),
      choice('=', '<-'),
      'function',
      field('parameters', $.parameters),
      optional(seq('return', field('results', $.parameters))),
      field('body', $.block),
      repeat(';'),
    )),

    external_function_definition: $ => prec.right(seq(
      field('name', $.identifier),
      choice('=', '<-'),
      'externalFunction',
      field('parameters', $.parameters),
      optional(seq('return', field('results', $.parameters))),
      'implemented', 'in',
      '(', commaSep(field('option', $.named_argument)), ')',
      repeat(';'),
    )),

    parameters: $ => seq('(', commaSep(field('parameter', $.parameter)), ')'),

    parameter: $ => seq(
      optional(field('type', $.type)),
      field('name', $.identifier),
      optional(seq('=', field('default', $.expression))),
    ),

    type: $ => choice(
      field('value', $.value_type),
      field('data', alias($.identifier, $.data_type)),
      seq(
        field('data', alias($.identifier, $.data_type)),
        '[',
        field('value', choice($.value_type, alias($.identifier, $.value_type))),
        ']',
      ),
    ),

    value_type: _ => choice(...VALUE_TYPES),

    // Section - Expressions

    expression: $ => choice(
      $.identifier,
      $.command_argument,
      $.integer,
      $.float,
      $.string,
      $.true,
      $.false,
      $.unary_expression,
      $.binary_expression,
      $.call,
      $.index_expression,
      $.parenthesized_expression,
      $.list,
    ),

    parenthesized_expression: $ => seq('(', field('expression', $.expression), ')'),

    list: $ => seq('[', commaSep1(field('element', $.expression)), ']'),

    unary_expression: $ => choice(
      prec(PREC.sign, seq(field('operator', choice('-', '+')), field('operand', $.expression))),
      prec(PREC.not, seq(field('operator', '!'), field('operand', $.expression))),
    ),

    binary_expression: $ => {
      const table = [
        [prec.right, PREC.power, ['^']],
        [prec.left, PREC.matrix_multiply, ['%*%']],
        [prec.left, PREC.modulo, ['%%', '%/%']],
        [prec.left, PREC.multiply, ['*', '/']],
        [prec.left, PREC.add, ['+', '-']],
        [prec.left, PREC.compare, ['<', '<=', '>', '>=', '==', '!=']],
        [prec.left, PREC.and, ['&', '&&']],
        [prec.left, PREC.or, ['|', '||']],
      ];
      return choice(...table.map(([assoc, strength, signs]) => assoc(strength, seq(
        field('left', $.expression),
        field('operator', signs.length > 1 ? choice(...signs) : signs[0]),
        field('right', $.expression),
      ))));
    },

    // The language allows semicolons behind a call wherever it stands: `print(f(x););`.
    call: $ => prec.right(seq(
      field('function', choice($.identifier, $.qualified_name)),
      field('arguments', $.arguments),
      repeat(';'),
    )),

    qualified_name: $ => seq(
      field('namespace', $.identifier),
      token.immediate('::'),
      field('name', $.identifier),
    ),

    arguments: $ => seq(
      '(',
      commaSep(field('argument', choice($.expression, $.named_argument))),
      ')',
    ),

    named_argument: $ => seq(field('name', $.identifier), '=', field('value', $.expression)),

    ifdef_expression: $ => seq(
      'ifdef',
      '(',
      field('argument', choice($.identifier, $.index_expression, $.command_argument)),
      ',',
      field('default', $.expression),
      ')',
    ),

    // Only a variable can be indexed.
    index_expression: $ => seq(
      field('operand', $.identifier),
      field('index', $.index),
    ),

    index: $ => seq(
      '[',
      optional(field('rows', choice($.expression, $.range))),
      optional(seq(field('comma', ','), optional(field('columns', choice($.expression, $.range))))),
      ']',
    ),

    range: $ => seq(
      optional(field('from', $.expression)),
      ':',
      optional(field('to', $.expression)),
    ),

    // Section - Words

    // Dots belong to a few names only (`as.scalar`); which ones is for the reader of the tree to know.
    identifier: _ => /[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)*/,

    command_argument: _ => /\$([A-Za-z][A-Za-z0-9_]*|[0-9]+)/,

    integer: _ => /[0-9]+[Ll]?/,

    float: _ => token(choice(
      /[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?[Ll]?/,
      /\.[0-9]+([eE][+-]?[0-9]+)?[Ll]?/,
      /[0-9]+[eE][+-]?[0-9]+[Ll]?/,
    )),

    true: _ => 'TRUE',

    false: _ => 'FALSE',

    // A string may run over several lines. Its text outranks comments, which may stand anywhere else.
    string: $ => choice(
      seq('"', repeat(choice(alias($._double_text, $.string_content), $.escape_sequence)), token.immediate('"')),
      seq('\'', repeat(choice(alias($._single_text, $.string_content), $.escape_sequence)), token.immediate('\'')),
    ),

    _double_text: _ => token.immediate(prec(2, /[^"\\]+/)),

    _single_text: _ => token.immediate(prec(2, /[^'\\]+/)),

    escape_sequence: _ => token.immediate(prec(2, /\\(.|\n)/)),

    // Section - Comments

    comment: _ => token(choice(
      /#([^\r\n]|\r+[^\r\n])*/,
      /\/\*[^*]*\*+([^/*][^*]*\*+)*\//,
    )),

    // What begins no token. The language itself complains and reads on as if it were not there.
    skipped: _ => token(choice(/\$\$?/, /[.@~`?\\]/, /[^\x00-\x7F]/)),

    // A statement of the author about the script; a comment to the language itself.
    fact: _ => token(prec(1, /#@([^\r\n]|\r+[^\r\n])*/)),
  },
});
