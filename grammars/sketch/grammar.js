/**
 * @file Sketches: programs with holes that guide a search.
 * @license Apache-2.0 OR MIT
 *
 * Expressions are those of DML, with the same strengths, plus holes, alternatives and annotations. Which names are
 * operators, sketches or variables is for the reader of the tree to know.
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

// Tightest binds highest, as in DML. `|` joins alternatives; the `or` of DML is written `||`.
const PREC = {
  alternative: 1,
  annotation: 2,
  or: 3,
  and: 4,
  not: 5,
  compare: 6,
  add: 7,
  multiply: 8,
  modulo: 9,
  matrix_multiply: 10,
  sign: 11,
  power: 12,
  size: 13,
  label: 14,
};

// Words only behind a colon; names everywhere else.
const NAMED_TYPES = ['scalar', 'matrix', 'vector', 'row', 'column', 'dense'];

/** One or more of `rule`, separated by commas. */
const commaSep1 = rule => seq(rule, repeat(seq(',', rule)));

/** Any number of `rule`, separated by commas. */
const commaSep = rule => optional(commaSep1(rule));

export default grammar({
  name: 'sketch',

  word: $ => $.identifier,

  extras: $ => [/\s/, $.comment],

  supertypes: $ => [$.expression, $.type],

  reserved: {
    // Without this, a half-written guide would swallow the next one as a name.
    global: _ => ['import', 'def', 'rule', 'sketch', 'guide', 'goal', 'using', 'minimize', 'within'],
  },

  rules: {
    file: $ => repeat(choice($.import, $.abstraction, $.rule, $.sketch)),

    import: $ => seq('import', field('path', $.string)),

    abstraction: $ => seq(
      'def',
      field('name', $.identifier),
      optional(field('parameters', $.parameters)),
      '=',
      field('body', $.expression),
    ),

    // `rule square: A * A = A^2`: each name stands for any value.
    rule: $ => seq(
      'rule',
      field('name', $.identifier),
      ':',
      field('left', $.expression),
      '=',
      field('right', $.expression),
    ),

    sketch: $ => seq(
      'sketch',
      field('name', $.identifier),
      optional(field('parameters', $.parameters)),
      optional(seq('on', field('language', $.identifier))),
      '{',
      repeat(field('stage', $.stage)),
      '}',
    ),

    parameters: $ => seq('(', commaSep(field('parameter', $.identifier)), ')'),

    // Section - Guides and goals
    //
    // `guide a: …` names the guide; an annotated variable in that place needs parentheses.

    stage: $ => seq(
      field('kind', choice('guide', 'goal')),
      optional($._label),
      field('pattern', $.expression),
      repeat(choice($.rules, $.cost, $.limits)),
    ),

    _label: $ => prec(PREC.label, seq(field('label', $.identifier), ':')),

    rules: $ => seq('using', commaSep1(field('rule', $.identifier))),

    cost: $ => seq('minimize', field('model', $.identifier)),

    limits: $ => seq('within', commaSep1(field('limit', $.limit))),

    limit: $ => seq(field('count', $.number), field('unit', $.identifier)),

    // Section - Expressions

    expression: $ => choice(
      $.hole,
      $.identifier,
      $.number,
      $.call,
      $.unary_expression,
      $.binary_expression,
      $.alternative,
      $.annotation,
      $.parenthesized_expression,
    ),

    hole: _ => '?',

    parenthesized_expression: $ => seq('(', field('expression', $.expression), ')'),

    alternative: $ => prec.left(PREC.alternative, seq(
      field('left', $.expression), '|', field('right', $.expression),
    )),

    annotation: $ => prec.left(PREC.annotation, seq(
      field('expression', $.expression), ':', field('type', $.type),
    )),

    unary_expression: $ => choice(
      prec(PREC.sign, seq(field('operator', '-'), field('operand', $.expression))),
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
        [prec.left, PREC.or, ['||']],
      ];
      return choice(...table.map(([assoc, strength, signs]) => assoc(strength, seq(
        field('left', $.expression),
        field('operator', signs.length > 1 ? choice(...signs) : signs[0]),
        field('right', $.expression),
      ))));
    },

    call: $ => seq(field('function', $.identifier), field('arguments', $.arguments)),

    arguments: $ => seq('(', commaSep(field('argument', $.expression)), ')'),

    // Section - Annotations

    type: $ => choice($.shape, $.named_type, $.sparsity, $.array_type),

    shape: $ => seq(field('rows', $._size), 'x', field('columns', $._size)),

    named_type: _ => choice(...NAMED_TYPES),

    sparsity: $ => seq(
      'sparse',
      field('operator', choice('<', '<=', '>', '>=')),
      field('share', $.number),
    ),

    array_type: $ => prec.right(seq(
      '[', field('size', $._size), ']',
      optional(field('element', choice($.hole, $.array_type, $.identifier))),
    )),

    _size: $ => choice($.hole, $.identifier, $.number, $.scaled_size),

    scaled_size: $ => prec.left(PREC.size, seq(
      field('left', $._size), field('operator', choice('*', '/')), field('right', $._size),
    )),

    // Section - Words

    identifier: _ => /[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)*/,

    number: _ => token(choice(
      /[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?/,
      /\.[0-9]+([eE][+-]?[0-9]+)?/,
    )),

    string: _ => token(choice(/"[^"\r\n]*"/, /'[^'\r\n]*'/)),

    comment: _ => token(/#[^\r\n]*/),
  },
});
