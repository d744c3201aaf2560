import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { FORMATS } from './judges/index.ts';
import { checkLeafRequest, describeLeafProblem } from './leaves/check-leaf.ts';
import { asClientRequest } from './leaves/leaf-requests.ts';
import { sampledLeaves } from './leaves/sampled-leaves.ts';
import { type RequestBed, startRequestBed } from './requests/request-bed.ts';
import { checkRequests, describeProblem } from './requests/run-requests.ts';

/*
 * The published documents define more than recordings show: a leaf in a request must arrive in each other format, be reported as lost, or be
 * refused by name. This file tries a sample of each document; acceptance/recordings tries every leaf.
 */
describe('a leaf of the published document', () => {
  test.each(FORMATS)('of %s is carried, reported as lost or refused', async (format) => {
    const leaves = sampledLeaves(format);
    expect(leaves.length).toBeGreaterThan(16);
    const problems: string[] = [];
    for (const request of leaves) {
      for (const problem of await checkLeafRequest(request)) problems.push(describeLeafProblem(problem));
    }
    expect(problems).toEqual([]);
  });
});

/** One in eight samples also goes through a gateway over HTTP. */
const EVERY = 8;

describe('through a whole gateway', () => {
  let bed: RequestBed;

  beforeAll(async () => {
    bed = await startRequestBed();
  });
  afterAll(async () => {
    await bed?.stop();
  });

  test.each(FORMATS)('a leaf of %s has the same result', async (format) => {
    const sample = sampledLeaves(format).filter((_, index) => index % EVERY === 0);
    const verdicts = await checkRequests(bed, sample.map(asClientRequest));
    expect(verdicts.filter(({ outcome }) => outcome === 'failed').map(describeProblem)).toEqual([]);
  });
});
