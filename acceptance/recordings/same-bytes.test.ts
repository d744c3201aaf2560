import { describe } from 'bun:test';
import { recordedRequests } from '../../conformance/requests/recorded-requests.ts';
import { testSameBytes } from '../../conformance/requests/same-bytes.ts';
import { recordedExchanges } from '../../conformance/shared/recordings.ts';

describe('a recorded request to an upstream of its own format', () => {
  testSameBytes(recordedRequests(recordedExchanges()));
});
