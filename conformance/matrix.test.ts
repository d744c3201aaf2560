import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { documentsMissing } from './judges/index.ts';
import { type MatrixCase, matrixCases } from './matrix/cases.ts';
import { describeVerdict, failed } from './matrix/check.ts';
import { checkExchanges, exchangesOf, type MatrixBed, startMatrixBed } from './matrix/matrix-run.ts';
import { DRIVERS } from './matrix/sdks/index.ts';
import { recordingsMissing } from './shared/recordings.ts';

const missing = recordingsMissing();
if (missing !== undefined)
  test.skip(`the matrix of recorded traffic, beside the project's own exchanges (${missing})`, () => undefined);
const undocumented = documentsMissing();
if (undocumented !== undefined) test.skip(`answers to the SDKs are valid (${undocumented})`, () => undefined);

const OF_EACH_KIND = 4;

/** A few of each kind of exchange, spread over its recordings: the whole matrix is for `npm run conformance`. */
function sample(): readonly MatrixCase[] {
  const kinds = Map.groupBy(
    matrixCases().cases,
    ({ recording, form, outcome }) => `${recording.provider}/${recording.api}/${form}/${outcome}`,
  );
  return [...kinds.values()].flatMap((found) => {
    const step = Math.max(1, (found.length - 1) / (OF_EACH_KIND - 1));
    return found.filter((_, index) => Math.round(Math.round(index / step) * step) === index);
  });
}

describe('the matrix of providers and SDKs, sampled', () => {
  const cases = sample();
  let bed: MatrixBed;

  beforeAll(async () => {
    bed = await startMatrixBed(cases);
  }, 60_000);

  afterAll(async () => {
    await bed?.stop();
  });

  test.each(DRIVERS.map((driver) => [driver.name, driver] as const))(
    '%s gets from every upstream what the provider said',
    async (_name, driver) => {
      const verdicts = await checkExchanges(exchangesOf(cases, [driver]), bed.places);
      expect(verdicts.filter(failed).map(describeVerdict)).toEqual([]);
    },
    30_000,
  );
});
