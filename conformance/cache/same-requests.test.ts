import { describe } from 'bun:test';
import { RARE_REQUESTS } from '../requests/rare/index.ts';
import { ownExchanges } from '../shared/recordings.ts';
import { type Asked, requestsIn, testSameRequests, withModel } from './same-requests.ts';

function rareRequests(): readonly Asked[] {
  return Object.entries(RARE_REQUESTS).flatMap(([format, bodies]) =>
    Object.entries(bodies).map(([name, body]) => ({ name, format, body: withModel(format, body) })),
  );
}

describe("requests of the project's own exchanges", () => {
  testSameRequests(requestsIn(ownExchanges()));
});

describe('rare requests', () => {
  testSameRequests(rareRequests());
});
