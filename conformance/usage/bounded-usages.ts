import { describe, expect, test } from 'bun:test';
import type { Model } from '../../src/domain/catalog/model.ts';
import { billableOf, completionTokens, promptTokens } from '../../src/domain/exchange/usage.ts';
import { BoundsOfRequest } from '../../src/engine/operations/text/request-bounds.ts';
import { clientFormats } from '../../src/formats/index.ts';
import type { ParsedRequest } from '../../src/formats/text/client-request.ts';
import { matrixCases } from '../matrix/cases.ts';
import type { RecordingRow } from '../shared/recordings.ts';
import { recordedUsages } from './recorded.ts';

/*
 * The usage that real providers reported is never held for an operator, and the reservation for a request
 * covers its real cost.
 */

/**
 * A model without catalog data, as most of the recorded models are not in a catalog under their recorded
 * name.
 */
const model = { capabilities: null } as Model;

/** Providers that prepend their own instructions, so that a prompt has more than one token per byte. */
const WITH_OWN_INSTRUCTIONS = /^(?:anthropic|azure|bedrock|llamacpp|openai|openrouter|venice|xai)\//;

/** Defines the tests that reported usage is plausible and within the reservation. */
export function testBoundedUsages(exchanges: readonly RecordingRow[]): void {
  describe('reported usage', () => {
    const recorded = boundedUsages(exchanges);

    test('is recorded', () => expect(recorded.length).toBeGreaterThan(0));

    test('is plausible', () => {
      expect(
        recorded.filter(({ bounds, usage }) => !bounds.isPlausible(billableOf(usage), 0)).map(({ file }) => file),
      ).toEqual([]);
    });

    test('with a billion more tokens is not plausible', () => {
      const times = (usage: (typeof recorded)[number]['usage']) => ({ ...usage, input: usage.input + 10 ** 9 });
      expect(recorded.filter(({ bounds, usage }) => bounds.isPlausible(billableOf(times(usage)), 0))).toEqual([]);
    });

    test('is within the certain bound, except for instructions that providers add', () => {
      const more = recorded.filter(({ bounds, usage }) => promptTokens(usage) > bounds.certain().inputTokens);
      expect(more.map(({ file }) => file).filter((file) => !WITH_OWN_INSTRUCTIONS.test(file))).toEqual([]);
      expect(more.length).toBeLessThan(30);
    });

    test('is also within the counted bound if the prompt is long and complete', async () => {
      const over: string[] = [];
      for (const { file, bounds, usage, bodyBytes } of recorded) {
        const isAllThere = bounds.certain().inputTokens < 1_000_000;
        if (bodyBytes < 8_000 || !isAllThere) continue;
        const counted = await bounds.counted(4_096);
        if (counted === null || promptTokens(usage) > counted.inputTokens) over.push(file);
      }
      expect(over).toEqual([]);
    });

    test("is within the request's bound for the output", () => {
      const over = recorded.filter(({ bounds, usage }) => completionTokens(usage) > bounds.certain().outputTokens);
      expect(over.length).toBeLessThan(8);
    });
  });
}

function boundedUsages(exchanges: readonly RecordingRow[]) {
  const usages = new Map(recordedUsages(exchanges).map(({ file, usage }) => [file, usage]));
  return matrixCases(exchanges).cases.flatMap(({ recording: { file, requestBody }, upstream }) => {
    const format = clientFormats.get(upstream.format);
    const usage = usages.get(file);
    const body = requestBody === null ? undefined : parsed(requestBody);
    if (format === undefined || usage === undefined || body === undefined || requestBody === null) return [];
    // The bounds are computed from this request.
    const request = { body } as ParsedRequest;
    const bodyBytes = Buffer.byteLength(requestBody);
    const bounds = new BoundsOfRequest({ accountId: 'acme', format, request, bodyBytes, model });
    return [{ file, usage, bounds, bodyBytes }];
  });
}

function parsed(json: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
