import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { FORMATS } from './judges/index.ts';
import { checkLeafRequest, describeLeafProblem } from './leaves/check-leaf.ts';
import { asClientRequest } from './leaves/leaf-requests.ts';
import { sampledLeaves } from './leaves/sampled-leaves.ts';
import { type RequestBed, startRequestBed } from './requests/request-bed.ts';
import { checkRequests, describeProblem } from './requests/run-requests.ts';

/*
 * What can come is in the published documents, and not in recordings: a request for a leaf of them must arrive at each other format,
 * be named as lost, or be refused by name. Here are leaves from all over each document; acceptance/recordings has them all.
 */
describe('a leaf of the published document', () => {
  test.each(FORMATS)('of %s is carried, named or refused', async (format) => {
    const leaves = sampledLeaves(format);
    expect(leaves.length).toBeGreaterThan(16);
    const problems: string[] = [];
    for (const request of leaves) {
      for (const problem of await checkLeafRequest(request)) problems.push(describeLeafProblem(problem));
    }
    expect(problems).toEqual([]);
  });
});

/** Of the sample, those that also go through a gateway with its sockets. */
const EVERY = 8;

describe('through a whole gateway', () => {
  let bed: RequestBed;

  beforeAll(async () => {
    bed = await startRequestBed();
  });
  afterAll(async () => {
    await bed?.stop();
  });

  test.each(FORMATS)('a leaf of %s fares the same', async (format) => {
    const sample = sampledLeaves(format).filter((_, index) => index % EVERY === 0);
    const verdicts = await checkRequests(bed, sample.map(asClientRequest));
    expect(verdicts.filter(({ outcome }) => outcome === 'failed').map(describeProblem)).toEqual([]);
  });
});
