import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { RecordingRow } from '../shared/recordings.ts';
import { type MatrixCase, matrixCases } from './cases.ts';
import { describeVerdict, failed } from './check.ts';
import { checkExchanges, exchangesOf, type MatrixBed, startMatrixBed } from './matrix-run.ts';
import { DRIVERS } from './sdks/index.ts';

/**
 * Returns at most `ofEachKind` exchanges of each provider, API, form and outcome, spread over all of that
 * kind.
 */
export function sampleOf(cases: readonly MatrixCase[], ofEachKind: number): readonly MatrixCase[] {
  const kinds = Map.groupBy(
    cases,
    ({ recording, form, outcome }) => `${recording.provider}/${recording.api}/${form}/${outcome}`,
  );
  return [...kinds.values()].flatMap((found) => {
    const step = Math.max(1, (found.length - 1) / Math.max(1, ofEachKind - 1));
    return found.filter((_, index) => Math.round(Math.round(index / step) * step) === index);
  });
}

/** Defines the tests that the official SDKs read the provider's response through the gateway. */
export function testMatrix(about: string, exchanges: readonly RecordingRow[], ofEachKind: number): void {
  describe(`the matrix of providers and SDKs: ${about}`, () => {
    const cases = sampleOf(matrixCases(exchanges).cases, ofEachKind);
    let bed: MatrixBed;

    beforeAll(async () => {
      bed = await startMatrixBed(cases);
    });

    afterAll(() => bed?.stop());

    test.each(DRIVERS.map((driver) => [driver.name, driver] as const))(
      '%s gets from every upstream what the provider sent',
      async (_name, driver) => {
        const verdicts = await checkExchanges(exchangesOf(cases, [driver]), bed.places);
        expect(verdicts.length).toBeGreaterThan(0);
        expect(bed.refusals()).toEqual([]);
        expect(verdicts.filter(failed).map(describeVerdict)).toEqual([]);
      },
      300_000,
    );
  });
}
