import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { documentsMissing, FORMATS } from './judges/index.ts';
import type { RequestVerdict } from './requests/check-request.ts';
import { DEFAULTS } from './requests/default-values.ts';
import { LEFT_OUT, STRUCTURE } from './requests/equivalences.ts';
import { isCut } from './requests/leaf-check.ts';
import { rareRequests, recordedRequests } from './requests/recorded-requests.ts';
import { type RequestBed, startRequestBed } from './requests/request-bed.ts';
import { checkRequests, describeProblem } from './requests/run-requests.ts';
import { TARGET_FORMATS } from './requests/targets.ts';
import { recordingsMissing } from './shared/recordings.ts';

const missing = recordingsMissing();
if (missing !== undefined) test.skip(`recorded requests, beside the project's own (${missing})`, () => undefined);
const undocumented = documentsMissing();
if (undocumented !== undefined) test.skip(`translated requests are valid (${undocumented})`, () => undefined);

const pairs = FORMATS.flatMap((format) =>
  TARGET_FORMATS.flatMap((target) => (target === format ? [] : [[format, target] as const])),
);

describe('requests of every exchange', () => {
  let bed: RequestBed;
  let verdicts: readonly RequestVerdict[] = [];

  beforeAll(async () => {
    bed = await startRequestBed();
    verdicts = await checkRequests(bed, [...recordedRequests(), ...rareRequests()]);
  }, 120_000);

  afterAll(async () => {
    await bed?.stop();
  });

  test.each(pairs)('of %s over %s arrive valid and whole, or are refused by name', (format, target) => {
    const ofPair = verdicts.filter((one) => one.request.format === format && one.target === target);
    expect(ofPair.length).toBeGreaterThan(0);
    expect(ofPair.filter(({ outcome }) => outcome === 'failed').map(describeProblem)).toEqual([]);
    // Refusing everything would be no way of losing nothing.
    const carried = ofPair.filter(({ outcome }) => outcome === 'carried');
    expect(carried.length).toBeGreaterThan(ofPair.length / 2);
  });

  test('never lose so much that the list of losses is cut', () => {
    expect(verdicts.filter(({ losses }) => isCut(losses)).map(describeProblem)).toEqual([]);
  });

  // The project's own exchanges are too few to need them all.
  test.skipIf(missing !== undefined)('need each declared equivalence', () => {
    const used = new Set(verdicts.flatMap(({ leaves }) => [...(leaves?.equivalences.keys() ?? [])]));
    const unused = [LEFT_OUT, ...STRUCTURE, ...DEFAULTS].filter(({ name }) => !used.has(name));
    expect(unused.map(({ name }) => name)).toEqual([]);
  });
});
