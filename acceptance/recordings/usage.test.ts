import { describe, expect, test } from 'bun:test';
import { allExchanges } from '../../conformance/shared/recordings.ts';
import { CONVENTIONS } from '../../conformance/usage/conventions.ts';
import { conventionsByGroup, groupOf, isSeen, PARTS, testUsages } from '../../conformance/usage/counted-usages.ts';
import { recordedUsages } from '../../conformance/usage/recorded.ts';
import { completionTokens, promptTokens } from '../../src/domain/exchange/usage.ts';

/** Responses with several rounds of provider tools, each counted once in prompt and output. */
const ROUNDS: readonly (readonly [file: string, prompt: number, answer: number])[] = [
  ['anthropic/messages/186-anthropic-advisor-20250301-1.json', 1051 + 2728 + 3676, 35 + 3880 + 3356],
  ['anthropic/messages/194-anthropic-compaction-1.json', 60_385 + 612, 522 + 2819],
  ['anthropic/messages/196-anthropic-fallback.json', 412, 264],
  ['gemini/generateContent/009-blocking-multiple-code-execution-rounds.json', 43 + 255, 49 + 50],
  ['gemini/generateContent/018-streaming-multiple-code-execution-rounds.json', 43 + 276, 48 + 59],
  // Each chunk counts one round, and the last chunk counts all of them.
  ['gemini/generateContent/013-streaming-code-execution-on-gemini-3-flash.json', 89 + 112, 30 + 91],
];

const recorded = recordedUsages(allExchanges());

testUsages(recorded);

describe('the table of conventions', () => {
  test('lists exactly the providers with recorded usage', () => {
    expect([...conventionsByGroup().keys()].sort()).toEqual([...new Set(recorded.map(groupOf))].sort());
  });

  test.each(ROUNDS)("%s: counts every round of the provider's tools once", (file, prompt, answer) => {
    const one = recorded.find((usage) => usage.file === file);
    for (const usage of [one?.usage, one?.relayed]) {
      expect(usage && [promptTokens(usage), completionTokens(usage)]).toEqual([prompt, answer]);
    }
  });

  test('every part in the table was recorded, except those marked otherwise', () => {
    const wrong = CONVENTIONS.flatMap((one) =>
      PARTS.filter(
        (part) => one[part] !== undefined && isSeen(recorded, one, one[part]) === (one[part].unrecorded === true),
      ).map((part) => `${one.providers.join()} ${one.api} ${part}`),
    );
    expect(wrong).toEqual([]);
  });
});
