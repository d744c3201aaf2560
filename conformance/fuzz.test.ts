import { describe, expect, test } from 'bun:test';
import { Failure } from '../src/domain/failure/failure.ts';
import { clientFormats } from '../src/formats/index.ts';
import { textOf } from '../src/formats/shared/json/json-writer.ts';
import { Campaign } from './fuzz/campaign.ts';
import { testChangedExchanges } from './fuzz/changed-exchanges.ts';
import { problemsOfRequest } from './fuzz/check-requests.ts';
import { callOf, LARGE_REQUESTS, manyTexts, stateRequests, withDeepMember } from './fuzz/made-requests.ts';
import { fuzzTargets } from './fuzz/targets.ts';
import { FORMATS } from './judges/index.ts';
import { ownExchanges } from './shared/recordings.ts';

/** acceptance/recordings runs more cases over the recorded exchanges; `bun conformance/fuzz/main.ts` runs any number. */
const CASES = { answers: 500, streams: 200, frames: 100, requests: 600 };

const utf8 = new TextEncoder();
const targets = fuzzTargets();
/** One target per upstream format. */
const oneOfEach = [...new Map(targets.map((target) => [target.wire.name, target])).values()];

describe('no exchange causes a failure by its content', () =>
  testChangedExchanges(new Campaign(ownExchanges()), CASES));

describe.each(FORMATS)('a request of %s', (name) => {
  const format = clientFormats.get(name);
  if (format === undefined) throw new Error(`there is no format ${name}`);
  const call = callOf(name);
  const sent = (body: unknown) => utf8.encode(typeof body === 'string' ? body : JSON.stringify(body));

  test.each([10_000, 200_000])('a request that nests %p levels deep is refused', (levels) => {
    const parsed = format.parseRequest(sent(withDeepMember(name, levels)), call);
    expect(parsed).toBeInstanceOf(Failure);
    expect(parsed).toMatchObject({ status: 400, side: 'client' });
  });

  test('a request with one text of five megabytes is carried', () => {
    const bytes = sent(manyTexts(name, 1, 'ä'.repeat(2_500_000)));
    expect(problemsOfRequest(format, call, bytes, oneOfEach)).toEqual([]);
  });

  test.each(Object.entries(LARGE_REQUESTS))('a request with hundreds of %s is carried', (_, make) => {
    expect(problemsOfRequest(format, call, sent(make(name, 400, 'a')), oneOfEach)).toEqual([]);
  });

  test('reasoning state only returns to its own family', () => {
    for (const { family, secret, body } of stateRequests(name)) {
      const parsed = format.parseRequest(sent(body), call);
      if (parsed instanceof Failure) throw new Error(parsed.message);
      const request = format.decodeRequest(parsed);
      if (request instanceof Failure) throw new Error(request.message);
      for (const { wire, encoding } of oneOfEach) {
        const encoded = wire.encodeRequest(request, { ...encoding, stream: false });
        if (encoded instanceof Failure || wire.stateFamily === family) continue;
        expect([wire.name, family, textOf(encoded.body).includes(secret)]).toEqual([wire.name, family, false]);
      }
    }
  });
});
