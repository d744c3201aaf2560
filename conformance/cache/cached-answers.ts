import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { matrixCases } from '../matrix/cases.ts';
import { type MatrixBed, startMatrixBed } from '../matrix/matrix-run.ts';
import { sampleOf } from '../matrix/sampled-matrix.ts';
import { DRIVERS } from '../matrix/sdks/index.ts';
import type { RecordingRow } from '../shared/recordings.ts';
import { replayedTwice } from './replayed-twice.ts';

/*
 * Responses of all providers, cached and replayed to the official SDKs: texts, tool calls, reasoning, images, several candidates, and responses
 * that must not be cached.
 */

const AT_A_TIME = 8;

/** Defines the tests, with at most `ofEachKind` exchanges of each provider, API, form and outcome. */
export function testCachedAnswers(exchanges: readonly RecordingRow[], ofEachKind: number): void {
  describe('cached responses', () => {
    const cases = sampleOf(matrixCases(exchanges).cases, ofEachKind);
    let bed: MatrixBed;

    beforeAll(async () => {
      bed = await startMatrixBed(cases, { cache: { strategy: 'exact' } });
    });
    afterAll(() => bed?.stop());

    test.each(DRIVERS.map((driver) => [driver.name, driver] as const))(
      'give %s the same reading as the provider’s own',
      async (_name, driver) => {
        const problems: string[] = [];
        const waiting = cases.values();
        const work = async () => {
          for (const one of waiting) {
            const found = await replayedTwice(one, driver, bed);
            problems.push(...found.map((problem) => `${one.recording.file}: ${problem}`));
          }
        };
        await Promise.all(Array.from({ length: AT_A_TIME }, work));
        expect(problems).toEqual([]);
        expect(cases.length).toBeGreaterThan(0);
      },
      300_000,
    );
  });
}
