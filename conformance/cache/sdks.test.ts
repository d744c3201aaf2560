import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type MatrixCase, matrixCases } from '../matrix/cases.ts';
import { type MatrixBed, startMatrixBed } from '../matrix/matrix-run.ts';
import { DRIVERS } from '../matrix/sdks/index.ts';
import { recordingsMissing } from '../shared/recordings.ts';
import { replayedTwice } from './replayed-twice.ts';

/*
 * Recorded answers of all providers, kept and given again to the official SDKs: texts, tool calls, thoughts, pictures, several
 * candidates, and what is not to be kept.
 */

const missing = recordingsMissing();
if (missing !== undefined)
  test.skip(`recorded answers from the cache, beside the project's own exchanges (${missing})`, () => undefined);

const OF_EACH_KIND = 2;
const AT_A_TIME = 8;

/** A few of each kind, spread over its recordings. */
function sample(): readonly MatrixCase[] {
  const kinds = Map.groupBy(
    matrixCases().cases,
    ({ recording, form, outcome }) => `${recording.provider}/${recording.api}/${form}/${outcome}`,
  );
  return [...kinds.values()].flatMap((found) =>
    found.filter((_, index) => index % Math.ceil(found.length / OF_EACH_KIND) === 0),
  );
}

describe('recorded answers from the cache', () => {
  const cases = sample();
  let bed: MatrixBed;

  beforeAll(async () => {
    bed = await startMatrixBed(cases, { cache: { strategy: 'exact' } });
  }, 60_000);
  afterAll(() => bed?.stop());

  test.each(DRIVERS.map((driver) => [driver.name, driver] as const))(
    '%s reads from them what it reads of the provider',
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
      expect(cases.length).toBeGreaterThan(10);
    },
    60_000,
  );
});
