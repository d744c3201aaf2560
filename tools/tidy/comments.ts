import type { CommentFact } from './facts.ts';

/**
 * Finds the comments of a file. Given the literals from the syntax tree, the rest of the text can be searched directly: outside of strings,
 * templates and regular expressions, `//` and `/*` always begin a comment.
 */
export function collectComments(
  text: string,
  literals: readonly { readonly start: number; readonly end: number }[],
  lineAt: (position: number) => number,
): CommentFact[] {
  const comments: CommentFact[] = [];
  const sorted = [...literals].sort((left, right) => left.start - right.start);
  let position = 0;
  let nextLiteral = 0;
  while (position < text.length) {
    const begin = nextCommentStart(text, position);
    if (begin === -1) break;
    while ((sorted[nextLiteral]?.end ?? Infinity) <= begin) nextLiteral += 1;
    const literal = sorted[nextLiteral];
    if (literal !== undefined && literal.start <= begin) {
      position = literal.end;
      continue;
    }
    const end = commentEnd(text, begin);
    comments.push(...linesOf(text.slice(begin, end), lineAt(begin)));
    position = end;
  }
  return comments;
}

function nextCommentStart(text: string, from: number): number {
  for (let slash = text.indexOf('/', from); slash !== -1; slash = text.indexOf('/', slash + 1)) {
    const next = text[slash + 1];
    if (next === '/' || next === '*') return slash;
  }
  return -1;
}

function commentEnd(text: string, begin: number): number {
  const isBlock = text[begin + 1] === '*';
  const end = text.indexOf(isBlock ? '*/' : '\n', begin + 2);
  if (end === -1) return text.length;
  return isBlock ? end + 2 : end;
}

/** Returns one fact per line, so that a violation in a long comment points at its own line. */
function linesOf(comment: string, firstLine: number): CommentFact[] {
  return comment.split('\n').map((text, index) => ({ text, line: firstLine + index }));
}
