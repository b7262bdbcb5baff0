// Tells a script of SystemDS from a file of Intel's Device Modeling Language, which has the same extension.
// Pure text in, an answer out: knows no editor.

/** Blank text and comments, of either language, at the start of a file. */
const LEADING = /^(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|#[^\n]*)*/;

/** Every file of the device language states its version first: `dml 1.4;`. No script of SystemDS can begin so. */
const VERSION = /^dml\s+\d+\.\d+\s*;/;

/** How much of a file is looked at: licences at the top are long, whole files longer. */
export const HEAD_LENGTH = 16_384;

/** Whether the text, or its first {@link HEAD_LENGTH} characters, belongs to the device language. */
export function isDeviceModel(text: string): boolean {
  const head = text.slice(0, HEAD_LENGTH).replace(/^\uFEFF/, '');
  return VERSION.test(head.slice(LEADING.exec(head)?.[0].length ?? 0));
}

/** Whether a file in Python imports a library of arrays. */
export function usesArrays(text: string): boolean {
  return /^[ \t]*(import|from)[ \t]+(numpy|scipy|jax|torch)\b/m.test(text);
}
