import { describe, expect, test } from 'bun:test';
import type { FoundPage } from '../../../../domain/exchange/web-search.ts';
import { CitationMarks, type MarkedPiece } from './citation-marks.ts';

const PAGES: readonly FoundPage[] = ['a', 'b', 'c'].map((name) => ({
  ...{ url: `https://${name}.example/`, title: name, text: name, published: null },
}));

/** Reads the text in pieces of this length. Returns the text, and each citation with the text that it covers. */
function read(text: string, length: number) {
  const marks = new CitationMarks(PAGES, false);
  const pieces: MarkedPiece[] = [];
  for (let at = 0; at < text.length; at += length) pieces.push(...marks.push(text.slice(at, at + length)));
  pieces.push(...marks.end());
  const plain = pieces.map((piece) => ('text' in piece ? piece.text : '')).join('');
  const cited = pieces.flatMap((piece) =>
    'citation' in piece
      ? [`${piece.citation.title}: ${plain.slice(piece.citation.start ?? 0, piece.citation.end ?? 0)}`]
      : [],
  );
  return { plain, cited };
}

describe('Marks in a text', () => {
  const CASES: Readonly<Record<string, readonly [plain: string, ...cited: string[]]>> = {
    'One [[cite:1]]. Two.[[cite:2]] Three': ['One. Two. Three', 'a: One', 'b: Two.'],
    'Both [[cite:1, 3]][[cite:2]]\n\nNext': ['Both\n\nNext', 'a: Both', 'c: Both', 'b: Both'],
    'x[[1]] = [[cite:9]] [[cite:]] [[cit': ['x[[1]] = [[cite:9]] [[cite:]] [[cit'],
    'No marks, [a](b) [[c]].': ['No marks, [a](b) [[c]].'],
  };
  for (const [text, [plain, ...cited]] of Object.entries(CASES)) {
    test(`are the same however the text is split: ${JSON.stringify(text)}`, () => {
      for (let length = 1; length <= text.length; length++) {
        expect([length, read(text, length)]).toEqual([length, { plain, cited }]);
      }
    });
  }
});

test('many line breaks at the end of a text are read once', () => {
  const marks = new CitationMarks([], false);
  const text = '\n'.repeat(200_000);
  expect(marks.push(text)).toEqual([{ text }]);
});
