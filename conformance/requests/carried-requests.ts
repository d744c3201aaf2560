import { afterAll, beforeAll, expect, test } from 'bun:test';
import { FORMATS } from '../judges/index.ts';
import type { RequestVerdict } from './check-request.ts';
import { isCut } from './leaf-check.ts';
import type { ClientRequest } from './recorded-requests.ts';
import { type RequestBed, startRequestBed } from './request-bed.ts';
import { checkRequests, describeProblem } from './run-requests.ts';
import { TARGET_FORMATS } from './targets.ts';

const pairs = FORMATS.flatMap((format) =>
  TARGET_FORMATS.flatMap((target) => (target === format ? [] : [[format, target] as const])),
);

/**
 * Defines the tests that every request is carried over to every other format, or is refused with the field
 * named.
 *
 * @returns the verdicts, for tests that are defined after these
 */
export function testCarriedRequests(requests: readonly ClientRequest[]): () => readonly RequestVerdict[] {
  let bed: RequestBed;
  let verdicts: readonly RequestVerdict[] = [];

  beforeAll(async () => {
    bed = await startRequestBed();
    verdicts = await checkRequests(bed, requests);
  }, 600_000);

  afterAll(() => bed?.stop());

  test.each(pairs)('of %s over %s arrive valid and complete, or are refused with the field named', (format, target) => {
    const ofPair = verdicts.filter((one) => one.request.format === format && one.target === target);
    expect(ofPair.length).toBeGreaterThan(0);
    expect(ofPair.filter(({ outcome }) => outcome === 'failed').map(describeProblem)).toEqual([]);
    // Otherwise a gateway that refuses everything would pass.
    const carried = ofPair.filter(({ outcome }) => outcome === 'carried');
    expect(carried.length).toBeGreaterThan(ofPair.length / 2);
  });

  test('have no more losses than the list can hold', () => {
    expect(verdicts.filter(({ losses }) => isCut(losses)).map(describeProblem)).toEqual([]);
  });

  return () => verdicts;
}
