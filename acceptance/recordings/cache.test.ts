import { describe } from 'bun:test';
import { testCachedAnswers } from '../../conformance/cache/cached-answers.ts';
import { requestsIn, testSameRequests } from '../../conformance/cache/same-requests.ts';
import { recordedExchanges } from '../../conformance/shared/recordings.ts';

const OF_EACH_KIND = 2;
/** One in this many requests has every member. */
const STEP = 3;

testCachedAnswers(recordedExchanges(), OF_EACH_KIND);

describe('recorded requests', () => {
  testSameRequests(requestsIn(recordedExchanges()).filter((_, index) => index % STEP === 0));
});
