import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { DEFAULT_CERTAINTY, LEAST_COSINE } from '../../domain/cache/cache.ts';
import { readQuestion } from './question.ts';
import { sameQuestion } from './same-question.ts';
import { DIFFERENT_QUESTIONS } from './testing/different-questions.ts';
import { SAME_QUESTIONS } from './testing/same-questions.ts';

const verdictOn = (asked: string, known: string, cosine = 0.97) =>
  sameQuestion(readQuestion(asked), readQuestion(known), cosine);
const accepts = (asked: string, known: string) => verdictOn(asked, known).certainty >= DEFAULT_CERTAINTY;

describe('a cached response is not reused for a question that differs in', () => {
  test.each(Object.entries(DIFFERENT_QUESTIONS))('%s', (_, pairs) => {
    expect(pairs.filter(([asked, known]) => accepts(asked, known))).toEqual([]);
    expect(pairs.filter(([asked, known]) => accepts(known, asked))).toEqual([]);
  });

  test('anything, in more than three hundred pairs', () => {
    expect(Object.values(DIFFERENT_QUESTIONS).flat().length).toBeGreaterThan(300);
  });
});

describe('a cached response is reused for the same question with another', () => {
  test.each(Object.entries(SAME_QUESTIONS))('%s', (_, pairs) => {
    const accepted = pairs.filter(([asked, known]) => accepts(asked, known));
    expect(accepted.length).toBeGreaterThanOrEqual(pairs.length / 2);
  });

  test('form, in most of more than sixty cases', () => {
    const pairs = Object.values(SAME_QUESTIONS).flat();
    expect(pairs.length).toBeGreaterThan(60);
    expect(pairs.filter(([asked, known]) => accepts(asked, known)).length).toBeGreaterThan(0.8 * pairs.length);
  });
});

describe('a verdict', () => {
  test('names the rule that refuses', () => {
    expect(verdictOn('What happened in 1914?', 'What happened in 1939?').refusedBy).toBe('numbers');
    expect(verdictOn('Why is it legal?', 'Why is it not legal?').refusedBy).toBe('negation');
    expect(verdictOn('Where is Paris?', 'Where is Rome?').refusedBy).toBe('names');
    expect(verdictOn('Buy this today?', 'Buy this tomorrow?').refusedBy).toBe('dates');
    expect(verdictOn('Is 5 kg too much?', 'Is 5 pounds too much?').refusedBy).toBe('units');
  });

  test('is symmetric and between 0 and 1', () => {
    const pairs = [...Object.values(DIFFERENT_QUESTIONS).flat(), ...Object.values(SAME_QUESTIONS).flat()];
    for (const [one, other] of pairs) {
      const verdict = verdictOn(one, other);
      expect(verdictOn(other, one)).toEqual(verdict);
      expect(verdict.certainty >= 0 && verdict.certainty <= 1).toBe(true);
    }
  });

  test('on equal text is certain, whatever the embeddings', () => {
    for (const text of ['', ' ', '?', 'a', '```x```', 'Was ist das?', 'x'.repeat(5_000)])
      expect(verdictOn(text, text, 0)).toEqual({ certainty: 1, refusedBy: null });
    expect(verdictOn(' What  is this?', 'What is this? ', 0).certainty).toBe(1);
  });

  test('rejects different texts whose embeddings are distant or not numbers', () => {
    const pair = ['How do I learn Java?', 'How can I learn Java?'] as const;
    expect(verdictOn(...pair, LEAST_COSINE - 0.01).refusedBy).toBe('cosine');
    expect(verdictOn(...pair, Number.NaN).refusedBy).toBe('cosine');
    expect(verdictOn(...pair, 0.97).refusedBy).toBeNull();
  });

  test('rejects a long text that differs in one word', () => {
    const document = Array.from({ length: 6 }, (_, at) => `In part ${at} the author tells of a village.`).join(' ');
    const ask = (what: string) => `${document} Who is the ${what} of it?`;
    expect(verdictOn(ask('hero'), ask('hero').replace('tells', 'writes')).certainty).toBe(0);
    expect(verdictOn(ask('hero'), ask('hero').toUpperCase().toLowerCase()).certainty).toBeGreaterThan(
      DEFAULT_CERTAINTY,
    );
    // Checked before the rules, some of which are slow for many words.
    expect(verdictOn(ask('hero'), ask('hero').replace('part 1', 'part 9')).refusedBy).toBe('length');
    const longer = `${'word '.repeat(400)}end`;
    expect(verdictOn(longer, longer.replace('end', 'and')).refusedBy).toBe('text');
    expect(verdictOn(`${longer}\n`, longer).certainty).toBe(1);
  });

  test('rejects code with different indentation', () => {
    expect(verdictOn('if a:\n  b()\nc()', 'if a:\n  b()\n  c()').certainty).toBe(0);
    expect(verdictOn('if a:\n  b()  \nc()', 'if a:\n  b()\nc()').certainty).toBe(1);
  });

  test('exists for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.lorem({ maxCount: 12 }), (one, other) => {
        for (const [left, right] of [
          [one, other],
          [`What is ${one}?`, `What is ${other}?`],
          [`${other} ${one}`, other],
        ] as const) {
          const verdict = verdictOn(left, right);
          expect(verdict.certainty >= 0 && verdict.certainty <= 1).toBe(true);
          expect(verdictOn(right, left)).toEqual(verdict);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('takes little time for hostile texts', () => {
    const parts = [
      'a',
      ' ',
      '"',
      "'",
      '`',
      '.',
      'a.',
      "a'",
      '1,',
      '-1',
      '9',
      '\n',
      'é',
      '😀',
      'one ',
      'and ',
      '\u0301',
      'ﷺ',
    ];
    for (const part of parts)
      for (const length of [100_000, 990]) {
        const text = part.repeat(length / part.length);
        expect(verdictOn(text, `${text}x`).certainty).toBeLessThanOrEqual(1);
      }
  });
});
