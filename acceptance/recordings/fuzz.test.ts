import { describe, expect, test } from 'bun:test';
import { Campaign } from '../../conformance/fuzz/campaign.ts';
import { testChangedExchanges } from '../../conformance/fuzz/changed-exchanges.ts';
import { problemsOfRequest } from '../../conformance/fuzz/check-requests.ts';
import { callOf, LARGE_REQUESTS } from '../../conformance/fuzz/made-requests.ts';
import { fuzzTargets } from '../../conformance/fuzz/targets.ts';
import { FORMATS } from '../../conformance/judges/index.ts';
import { allExchanges } from '../../conformance/shared/recordings.ts';
import { clientFormats } from '../../src/formats/index.ts';
import { expectLinear } from '../../tools/test/linear.ts';

/* The fuzzing of conformance/fuzz.test.ts over the recorded exchanges, with more cases and validated responses. */

const CASES = { answers: 2_000, streams: 800, frames: 400, requests: 3_000 };
const STRIDE = 5;

describe('no exchange makes the gateway fail', () => testChangedExchanges(new Campaign(allExchanges(), STRIDE), CASES));

/** One target per upstream format. */
const oneOfEach = [...new Map(fuzzTargets().map((target) => [target.wire.name, target])).values()];

describe.each(FORMATS)('a request of %s', (name) => {
  test.each(Object.entries(LARGE_REQUESTS))('with many %s takes time proportional to their number', (_, make) => {
    const format = clientFormats.get(name) ?? expect.unreachable();
    expectLinear(
      2_000,
      (count) => new TextEncoder().encode(JSON.stringify(make(name, count, 'a'))),
      (bytes) => expect(problemsOfRequest(format, callOf(name), bytes, oneOfEach)).toEqual([]),
    );
  });
});
