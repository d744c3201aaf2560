import { describe, expect, test } from 'bun:test';
import { Failure } from '../src/domain/failure/failure.ts';
import { clientFormats } from '../src/formats/index.ts';
import { textOf } from '../src/formats/shared/json-writer.ts';
import { Campaign, KINDS } from './fuzz/campaign.ts';
import { problemsOfRequest } from './fuzz/check-requests.ts';
import { callOf, LARGE_REQUESTS, manyTexts, stateRequests, withDeepMember } from './fuzz/made-requests.ts';
import { fuzzTargets } from './fuzz/targets.ts';
import { FORMATS } from './judges/index.ts';
import { recordingsMissing } from './shared/recordings.ts';

/** `bun conformance/fuzz/main.ts` runs as many as one wants. */
const CASES = { answers: 2_000, streams: 800, frames: 400, requests: 3_000 } as const;
const FIRST_SEED = 1_000_000;

const utf8 = new TextEncoder();
const targets = fuzzTargets();
/** One for each upstream format. */
const oneOfEach = [...new Map(targets.map((target) => [target.wire.name, target])).values()];

const note = recordingsMissing() === undefined ? '' : ' (of those that stand here: there are no recordings)';

describe(`no exchange fails by what is in it${note}`, () => {
  const campaign = new Campaign(5);

  test.each(KINDS)(
    'changed %s are answered, or refused by name',
    (kind) => {
      const findings = Array.from({ length: CASES[kind] }, (_, index) => campaign.run(kind, FIRST_SEED + index));
      expect(findings.filter((finding) => finding !== null)).toEqual([]);
    },
    60_000,
  );
});

describe.each(FORMATS)('a request of %s', (name) => {
  const format = clientFormats.get(name);
  if (format === undefined) throw new Error(`there is no format ${name}`);
  const call = callOf(name);
  const sent = (body: unknown) => utf8.encode(typeof body === 'string' ? body : JSON.stringify(body));

  test.each([10_000, 200_000])('that nests %p levels deep is refused', (levels) => {
    const parsed = format.parseRequest(sent(withDeepMember(name, levels)), call);
    expect(parsed).toBeInstanceOf(Failure);
    expect(parsed).toMatchObject({ status: 400, side: 'client' });
  });

  test('that has one text of five megabytes is carried', () => {
    const bytes = sent(manyTexts(name, 1, 'ä'.repeat(2_500_000)));
    expect(problemsOfRequest(format, call, bytes, oneOfEach)).toEqual([]);
  });

  test.each(Object.keys(LARGE_REQUESTS))('with ten times as many %s takes no hundred times as long', (kind) => {
    const make = LARGE_REQUESTS[kind];
    if (make === undefined) throw new Error(`nobody makes ${kind}`);
    const msFor = (count: number) => {
      const bytes = sent(make(name, count, 'a'));
      const started = performance.now();
      expect(problemsOfRequest(format, call, bytes, oneOfEach)).toEqual([]);
      return performance.now() - started;
    };
    msFor(200);
    // Generous, since others use the machine too: what is quadratic takes seconds.
    expect(msFor(2_000)).toBeLessThan(60 * msFor(200) + 500);
  });

  test('brings state back to its own family alone', () => {
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
