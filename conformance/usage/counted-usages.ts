import { describe, expect, test } from 'bun:test';
import { completionTokens, promptTokens, type Usage } from '../../src/domain/exchange/usage.ts';
import { asObject } from '../shared/json.ts';
import { CONVENTIONS, type Convention, type Part } from './conventions.ts';
import type { RecordedUsage } from './recorded.ts';

const PROMPT_PARTS = ['cachedInput', 'written', 'inputAudio', 'inputImage', 'toolPrompts'] as const;
const ANSWER_PARTS = ['reasoning', 'outputAudio'] as const;
export const PARTS = [...PROMPT_PARTS, ...ANSWER_PARTS];

/** Quantities that have no member of their own. */
const COUNTED_OTHERWISE: Readonly<Record<string, string>> = {
  'anthropic/messages/194-anthropic-compaction-1.json': 'a compaction, in `iterations`',
  'anthropic/messages/195-anthropic-compaction-1.json': 'a compaction, in `iterations`',
  'anthropic/messages/186-anthropic-advisor-20250301-1.json': 'what the advisor was asked, in `iterations`',
  'anthropic/messages/187-anthropic-advisor-20260301-1.json': 'what the advisor was asked, in `iterations`',
};

/** Returns the conventions by provider and API. */
export function conventionsByGroup(): ReadonlyMap<string, Convention> {
  const known = new Map<string, Convention>();
  for (const one of CONVENTIONS) for (const name of one.providers) known.set(`${name} ${one.api}`, one);
  return known;
}

export function groupOf({ provider, api }: RecordedUsage): string {
  return `${provider} ${api}`;
}

/** Defines the tests that each usage matches the table of conventions. */
export function testUsages(recorded: readonly RecordedUsage[]): void {
  describe('recorded usage', () => {
    const known = conventionsByGroup();
    const groups = Map.groupBy(recorded, groupOf);

    test.each([...groups.keys()])('%s: the sums match the table', (name) => {
      const convention = known.get(name);
      for (const one of groups.get(name) ?? []) if (convention !== undefined) checkSums(one, convention);
    });

    test.each([...groups.keys()])('%s: every part matches its member', (name) => {
      const convention = known.get(name);
      for (const one of groups.get(name) ?? []) if (convention !== undefined) checkParts(one, convention);
    });

    test('a reported total is the sum of all parts', () => {
      const wrong = recorded.filter(({ usage }) => {
        const { total_tokens, totalTokens, totalTokenCount } = rawOf(usage);
        const total = total_tokens ?? totalTokens ?? totalTokenCount;
        return total !== undefined && total !== promptTokens(usage) + completionTokens(usage);
      });
      expect(wrong.map(({ file }) => file)).toEqual([]);
    });

    test('relaying and translating read the same usage', () => {
      const different = recorded.filter(
        ({ usage, relayed }) => relayed !== undefined && !Bun.deepEquals(usage, relayed),
      );
      expect(different.map(({ file }) => file)).toEqual([]);
    });
  });
}

function checkSums({ file, usage }: RecordedUsage, one: Convention): void {
  if (COUNTED_OTHERWISE[file] !== undefined) return;
  const raw = rawOf(usage);
  const sum = (whole: string, parts: readonly (Part | undefined)[]) =>
    parts.reduce(
      (total, part) => total + (part?.place === 'beside' ? (countOf(raw, part) ?? 0) : 0),
      countAt(raw, whole) ?? 0,
    );
  const prompt = sum(
    one.prompt,
    PROMPT_PARTS.map((part) => one[part]),
  );
  const answer = sum(
    one.answer,
    ANSWER_PARTS.map((part) => one[part]),
  );
  expect([file, promptTokens(usage), completionTokens(usage)]).toEqual([file, prompt, answer]);
}

function checkParts({ file, usage }: RecordedUsage, one: Convention): void {
  if (COUNTED_OTHERWISE[file] !== undefined) return;
  const raw = rawOf(usage);
  // Some providers report more of a part than of the whole; the part is capped.
  const partOf = (whole: string, part: Part | undefined) =>
    Math.min(countOf(raw, part) ?? 0, part?.place === 'inside' ? (countAt(raw, whole) ?? 0) : Number.POSITIVE_INFINITY);
  const expected = {
    cachedInput: partOf(one.prompt, one.cachedInput),
    written: partOf(one.prompt, one.written),
    writtenForAnHour: one.writtenForAnHour === undefined ? 0 : (countAt(raw, one.writtenForAnHour) ?? 0),
    inputAudio: partOf(one.prompt, one.inputAudio),
    inputImage: partOf(one.prompt, one.inputImage),
    reasoning: partOf(one.answer, one.reasoning),
    outputAudio: partOf(one.answer, one.outputAudio),
  };
  const {
    cachedInput,
    cacheWrite,
    cacheWrite1h = 0,
    inputAudio = 0,
    inputImage = 0,
    reasoning,
    outputAudio = 0,
  } = usage;
  const isInLists = one.api === 'generate-content';
  const found = {
    cachedInput,
    written: cacheWrite + cacheWrite1h,
    writtenForAnHour: cacheWrite1h,
    inputAudio: isInLists ? 0 : inputAudio,
    inputImage: isInLists ? 0 : inputImage,
    reasoning,
    outputAudio,
  };
  expect({ file, ...found }).toEqual({ file, ...expected });
}

/** Returns whether any usage has tokens of this part. */
export function isSeen(recorded: readonly RecordedUsage[], one: Convention, part: Part): boolean {
  return recorded.some(({ provider, api, usage }) => {
    return api === one.api && one.providers.includes(provider) && (countOf(rawOf(usage), part) ?? 0) > 0;
  });
}

function rawOf(usage: Usage): Readonly<Record<string, unknown>> {
  return asObject(usage.raw);
}

function countOf(raw: Readonly<Record<string, unknown>>, part: Part | undefined): number | undefined {
  return part?.paths.map((path) => countAt(raw, path)).find((count) => count !== undefined);
}

function countAt(raw: Readonly<Record<string, unknown>>, path: string): number | undefined {
  const value = path.split('.').reduce<unknown>((at, name) => asObject(at)[name], raw);
  return typeof value === 'number' ? value : undefined;
}
