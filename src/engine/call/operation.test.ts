import { describe, expect, test } from 'bun:test';
import type { Channel } from '../../domain/catalog/channel.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { Billable } from '../../domain/money/quantity.ts';
import type { Target } from '../directory/target.ts';
import type { RequestBounds } from '../ports/billing.ts';
import type { Lane, LaneRequest, ResponseStream, WholeResponse } from './lane.ts';
import type { Job, KnownResponse, Operation, Streaming } from './operation.ts';
import * as answers from './testing/sample-answers.ts';
import { expectOver, type Gateway, gateway, told } from './testing/sample-gateway.ts';
import { channelOf, directoryOf, MODEL } from './testing/sample-routes.ts';

/* Covers what no present operation does: audio responses, GET requests, and answers known before any target is asked. */

const SOUND = Uint8Array.from([0xff, 0xfb, 0x00, 0x80, 0xc3, 0x28]);
const NOTHING_SERVED = { model: null, serviceTier: null };
const BILLABLE: Billable = { quantities: [{ unit: 'input_token', amount: 3 }], source: 'reported' };
const [A, B] = [channelOf('a', 'chatting'), channelOf('b', 'chatting', { priority: 1 })];

const heard = (bytes: Uint8Array<ArrayBuffer> = SOUND) => ({
  headers: { 'content-type': 'audio/mpeg', 'x-request-id': 'theirs-1' },
  pieces: [bytes.subarray(0, 2), bytes.subarray(2)],
});

const bounds = (): RequestBounds => {
  const size = { inputTokens: 3, outputTokens: 0 };
  return { certain: () => size, counted: async () => size, isPlausible: () => true, plausible: () => size };
};

/** Makes a lane to a sound that is either ready or still being generated. */
function soundLane(sent: Partial<LaneRequest>, answer: Partial<WholeResponse>): Lane {
  const request = { body: null, headers: null, losses: [], extras: null, ...sent };
  return {
    isRelayed: true,
    request: () => (request.body === null ? { ...request, method: 'GET' } : request),
    answer: (bytes, headers) => {
      if (bytes.length === 0) return new Failure('upstream_error', { kind: 'garbage', message: 'There is no sound.' });
      const contentType = headers.get('content-type') ?? 'text/plain';
      return { body: Uint8Array.from(bytes), contentType, billable: BILLABLE, served: NOTHING_SERVED, ...answer };
    },
  };
}

interface Setting {
  readonly channels?: readonly Channel[];
  readonly sent?: Partial<LaneRequest>;
  readonly answer?: Partial<WholeResponse>;
  readonly job?: (made: Gateway) => Partial<Job>;
}

/** Sends a request to a gateway with an operation of this test, and returns the client's response. */
function sounding({ channels = [A, B], sent = {}, answer = {}, job }: Setting = {}) {
  const directory = directoryOf(channels);
  const made = gateway({ directory: () => directory });
  const operation: Operation = {
    read: (_, { outcome }) => ({
      modelId: MODEL,
      route: (found) => {
        const ways = found.routesTo(MODEL, 'acme', 'openai-chat');
        if (ways === null) return new Failure('model_not_found', { message: 'There is no such model.' });
        outcome.names(MODEL);
        const own = { modelId: MODEL, stream: false, ways, bounds, lane: () => soundLane(sent, answer) };
        return { ...own, ...job?.(made) };
      },
    }),
  };
  return { made, listen: () => made.run(operation) };
}

const bodyOf = (outbound: Awaited<ReturnType<ReturnType<typeof sounding>['listen']>>) =>
  outbound.kind === 'whole' ? outbound.body : null;

describe('an operation other than text', () => {
  test('may use another method, no body, and a response of bytes with their own type', async () => {
    const { made, listen } = sounding();
    made.upstream.script('a', heard());
    const outbound = await listen();
    const { request } = made.upstream.sent[0] ?? {};
    expect(request).toMatchObject({ method: 'GET', body: null, headers: { authorization: 'Bearer key-of-a' } });
    expect(outbound).toMatchObject({ kind: 'whole', status: 200, headers: { 'content-type': 'audio/mpeg' } });
    expect(bodyOf(outbound)).toEqual(SOUND);
    expect(outbound.headers).toMatchObject({ 'x-request-id': 'req_1', 'x-ratelimit-limit': '10' });
    expect(JSON.parse(outbound.headers['x-routing'] ?? '')).toMatchObject({ channel: { id: 'a' }, retryCount: 0 });
    expect(made.records).toMatchObject([
      {
        status: 200,
        modelId: MODEL,
        billable: BILLABLE,
        costNanoUsd: 42n,
        upstreamRequestId: 'theirs-1',
        stream: false,
      },
    ]);
    await expectOver(made, null);
  });

  test('may have a status of its own, which is recorded', async () => {
    const { made, listen } = sounding({
      answer: { status: 202, contentType: 'application/json', body: '{"state":"queued"}' },
    });
    made.upstream.script('a', heard());
    const outbound = await listen();
    expect(outbound).toMatchObject({ kind: 'whole', status: 202, headers: { 'content-type': 'application/json' } });
    expect(await told(outbound)).toBe('{"state":"queued"}');
    expect(made.records).toMatchObject([{ status: 202, failureKind: null }]);
    await expectOver(made, null);
  });

  test('may replace the headers of the channel', async () => {
    const sent = { body: new TextEncoder().encode('--x--'), headers: { 'content-type': 'multipart/form-data' } };
    const { made, listen } = sounding({ sent });
    made.upstream.script('a', heard());
    await listen();
    const headers = { 'content-type': 'multipart/form-data', authorization: 'Bearer key-of-a' };
    expect(made.upstream.sent[0]?.request).toMatchObject({ method: 'POST', headers });
    expect(made.upstream.sent[0]?.text).toBe('--x--');
  });

  test('goes to the next channel if one fails or its response is unusable', async () => {
    const { made, listen } = sounding();
    made.upstream.script('a', heard(new Uint8Array(0))).script('b', heard());
    const outbound = await listen();
    expect(bodyOf(outbound)).toEqual(SOUND);
    expect(made.records).toMatchObject([{ channelId: 'b', failedAttempts: [{ channelId: 'a', kind: 'garbage' }] }]);
    await expectOver(made, null);
  });

  test('reports its losses in a header', async () => {
    const losses = [{ field: 'voice', verdict: 'dropped', why: 'It has one voice.' }] as const;
    const { made, listen } = sounding({ channels: [A], sent: { losses } });
    made.upstream.script('a', heard());
    expect((await listen()).headers['x-switchyard-losses']).toContain('voice');
  });

  test('without reported or countable usage succeeds, and its reservation is released', async () => {
    const { made, listen } = sounding({ answer: { billable: null } });
    made.upstream.script('a', heard());
    expect(await listen()).toMatchObject({ status: 200 });
    expect(made.records).toMatchObject([{ billable: null, costNanoUsd: 0n }]);
    expect(made.billing.reservations).toMatchObject([{ releases: 1, settled: [] }]);
    await expectOver(made, null);
  });

  test('that is free reserves nothing', async () => {
    const { made, listen } = sounding({ job: () => ({ bounds: () => null }) });
    made.upstream.script('a', heard());
    await listen();
    expect(made.steps).toEqual(['key used', 'admit', 'ask a', 'record']);
    expect(made.records).toMatchObject([{ billable: BILLABLE, costNanoUsd: 0n }]);
  });

  test('without streams fails as a bug if one is requested, and leaves nothing behind', async () => {
    const { made, listen } = sounding({ channels: [A], job: () => ({ stream: true }) });
    made.upstream.script('a', answers.sse('data: {}\n\n'));
    expect(await listen()).toMatchObject({ kind: 'whole', status: 500 });
    expect(made.lines.some(({ message }) => message === 'internal error')).toBe(true);
    await expectOver(made, 'internal_error');
  });
});

describe('an operation defines', () => {
  test('which targets replace those that may be called now', async () => {
    const asked: (readonly string[])[] = [];
    const candidates = (targets: readonly Target[]) => {
      asked.push(targets.map(({ channel }) => channel.id));
      return targets.slice(1).map((target) => ({ ...target, url: 'http://elsewhere.example/v1/sounds' }));
    };
    const { made, listen } = sounding({ job: () => ({ candidates }) });
    made.upstream.script('elsewhere', heard());
    await listen();
    expect([asked, made.upstream.asked]).toEqual([[['a', 'b']], ['elsewhere']]);
    expect(made.records).toMatchObject([{ channelId: 'b' }]);
  });

  test('which target comes first', async () => {
    const affinity = ({ channel }: Target) => (channel.id === 'b' ? 0 : 1);
    const { made, listen } = sounding({ job: () => ({ affinity }) });
    made.upstream.script('b', heard());
    await listen();
    expect(made.upstream.asked).toEqual(['b']);
  });

  test('what is stored before the client has the response, and who learns which target responded', async () => {
    const kept: unknown[] = [];
    const { made, listen } = sounding({
      job: ({ steps }) => ({
        keep: async (answer, { target, isRelayed }) => {
          steps.push('keep');
          kept.push([answer, target.channel.id, isRelayed]);
        },
        answeredBy: ({ channel }) => void steps.push(`answered by ${channel.id}`),
      }),
    });
    made.upstream.script('a', heard());
    await listen();
    expect(kept).toEqual([[SOUND, 'a', true]]);
    expect(made.steps).toEqual(['key used', 'admit', 'reserve', 'ask a', 'answered by a', 'charge', 'keep', 'record']);
  });

  test('that an object it names does not exist', async () => {
    const missingObject = new Failure('object_not_found', { message: 'There is no voice `v`.', param: 'voice' });
    const { made, listen } = sounding({ channels: [A], job: () => ({ missingObject }) });
    made.upstream.script('a', answers.refusal(404));
    expect(await told(await listen())).toContain('There is no voice `v`.');
    await expectOver(made, missingObject.kind);
  });

  test('the response if no target gave one', async () => {
    const instead: KnownResponse<Target>[] = [];
    const { made, listen } = sounding({
      channels: [A],
      job: () => ({
        repeats: 0,
        withoutResponse: ({ failure }, otherwise) => {
          expect([failure?.kind, otherwise().kind]).toEqual(['reset', 'reset']);
          return instead[0] ?? otherwise();
        },
      }),
    });
    made.upstream.script('a', answers.reset(), answers.reset());
    expect(await listen()).toMatchObject({ status: 502 });
    const [target] = made.ports.directory().routesTo(MODEL, 'acme', 'openai-chat')?.targets ?? [];
    const answer = { body: SOUND, contentType: 'audio/mpeg', billable: null, served: NOTHING_SERVED };
    instead.push({ answer, target: target!, routing: target!.routing });
    expect(bodyOf(await listen())).toEqual(SOUND);
    expect(made.records).toMatchObject([
      { status: 502, failureKind: 'reset', costNanoUsd: 0n },
      { status: 200, failureKind: null, costNanoUsd: 0n, failedAttempts: [{ kind: 'reset' }] },
    ]);
    expect(made.billing.isEven).toBe(true);
    expect(made.calls.inFlight).toBe(0);
  });
});

describe('a known stream', () => {
  /** A stream that has already been sent completely. */
  const relay: ResponseStream = {
    ...{ push: () => new Uint8Array(0), end: () => new Uint8Array(0), failure: null, finished: true, started: true },
    served: NOTHING_SERVED,
  };
  const streaming: Streaming<ResponseStream> = {
    ...{ contentType: () => 'text/event-stream', ping: ':', encodeFailure: () => 'failed', isReported: () => true },
    billableOf: () => BILLABLE,
  };

  test('is sent whole and free of charge, without an upstream call', async () => {
    const known = ([target]: readonly Target[]): KnownResponse<Target> | null =>
      target === undefined
        ? null
        : {
            answer: { relay, bytes: SOUND },
            target,
            routing: target.routing.withCached('entry-1'),
            hit: { entryId: 'entry-1', match: 'semantic', ageMs: 1_999 },
          };
    const { made, listen } = sounding({ job: () => ({ stream: true, streaming, known }) });
    const outbound = await listen();
    if (outbound.kind !== 'stream') throw new Error('it is no stream');
    expect(outbound.headers['content-type']).toBe('text/event-stream');
    expect(outbound.headers['x-routing']).toContain('"cacheEntryId":"entry-1"');
    expect(outbound.headers).toMatchObject({ 'x-cache-entry-id': 'entry-1', age: '1' });
    expect(await outbound.stream.next()).toEqual(SOUND);
    expect(await outbound.stream.next()).toBeNull();
    expect([made.upstream.asked, made.billing.requests]).toEqual([[], []]);
    expect(made.records).toMatchObject([{ status: 200, channelId: 'a', costNanoUsd: 0n, billable: BILLABLE }]);
    expect(made.records).toMatchObject([{ cacheMatch: 'semantic', cacheEntryId: 'entry-1' }]);
    await expectOver(made, null);
  });
});

describe('a replayed response', () => {
  const own = channelOf('own', 'chatting', { owner: 'acme' });
  const hit = { entryId: 'entry-1', match: 'exact', ageMs: 5_000 } as const;
  const answer: WholeResponse = { body: SOUND, contentType: 'audio/mpeg', billable: BILLABLE, served: NOTHING_SERVED };
  const unplanned = () => {
    throw new Error('targets are planned');
  };

  test('is sent and recorded without planning targets', async () => {
    const target = directoryOf([own]).routesTo(MODEL, 'acme', 'openai-chat')?.targets[0];
    if (target === undefined) throw new Error('there is no target');
    const replayed = () => ({ answer, target, routing: target.routing.withCached('entry-1'), hit });
    const { made, listen } = sounding({
      channels: [own],
      job: () => ({ replayed, candidates: unplanned, known: unplanned }),
    });
    const outbound = await listen();
    expect(bodyOf(outbound)).toEqual(SOUND);
    expect(outbound.headers).toMatchObject({ 'x-cache-entry-id': 'entry-1', age: '5', 'x-ratelimit-limit': '10' });
    expect([made.upstream.asked, made.billing.requests]).toEqual([[], []]);
    expect(made.steps).toEqual(['key used', 'admit', 'record']);
    expect(made.records).toMatchObject([{ channelId: 'own', isPrivate: true, costNanoUsd: 0n, billable: BILLABLE }]);
    await expectOver(made, null);
  });

  test('that breaks is a failure like any other', async () => {
    const { made, listen } = sounding({ job: () => ({ replayed: unplanned }) });
    expect(await listen()).toMatchObject({ kind: 'whole', status: 500 });
    await expectOver(made, 'internal_error');
  });
});

describe('a known response', () => {
  const asked: (readonly string[])[] = [];
  const known =
    (changes: Partial<WholeResponse> = {}) =>
    (targets: readonly Target[]): KnownResponse<Target> => {
      asked.push(targets.map(({ channel }) => channel.id));
      const target = targets[0]!;
      const answer = { body: SOUND, contentType: 'audio/mpeg', billable: null, served: NOTHING_SERVED, ...changes };
      return { answer, target, routing: target.routing };
    };

  test.each([
    ['at once', known()],
    ['after a lookup', async (targets: readonly Target[]) => known()(targets)],
  ])('%s is sent and recorded once, without an upstream call, reservation or charge', async (_, look) => {
    const { made, listen } = sounding({ job: () => ({ known: look }) });
    const outbound = await listen();
    expect(outbound).toMatchObject({ kind: 'whole', status: 200, headers: { 'content-type': 'audio/mpeg' } });
    expect(bodyOf(outbound)).toEqual(SOUND);
    expect(JSON.parse(outbound.headers['x-routing'] ?? '')).toMatchObject({ channel: { id: 'a' }, retryCount: 0 });
    expect(asked.pop()).toEqual(['a', 'b']);
    expect(made.steps).toEqual(['key used', 'admit', 'record']);
    expect([made.upstream.asked, made.billing.requests, made.attempts]).toEqual([[], [], []]);
    expect(made.records).toMatchObject([
      { status: 200, channelId: 'a', billable: null, costNanoUsd: 0n, retryCount: 0, upstreamRequestId: null },
    ]);
    expect(made.records).toMatchObject([{ cacheMatch: null, cacheEntryId: null }]);
    expect(outbound.headers).not.toContainAnyKeys(['x-cache-entry-id', 'age']);
    await expectOver(made, null);
  });

  test('from the cache is named in the headers, the record and the log, with its original cost', async () => {
    const hit = { entryId: 'ce_1', match: 'exact', ageMs: 61_000 } as const;
    const { made, listen } = sounding({
      job: () => ({ known: (targets) => ({ ...known({ billable: BILLABLE })(targets), hit }) }),
    });
    const outbound = await listen();
    expect(outbound).toMatchObject({ status: 200, headers: { 'x-cache-entry-id': 'ce_1', age: '61' } });
    expect([made.upstream.asked, made.billing.requests, made.attempts]).toEqual([[], [], []]);
    const told = { channelId: 'a', billable: BILLABLE, costNanoUsd: 0n, cacheMatch: 'exact', cacheEntryId: 'ce_1' };
    expect(made.records).toMatchObject([told]);
    expect(made.limits.ended).toEqual([null]);
    expect(made.lines).toMatchObject([{ message: 'request', cached: 'exact', cacheEntryId: 'ce_1' }]);
    await expectOver(made, null);
  });

  test('has a status of its own, and is stored like any other', async () => {
    const kept: unknown[] = [];
    const keep = async (...[answer, { target, isRelayed }]: Parameters<NonNullable<Job['keep']>>) =>
      void kept.push([answer, target.channel.id, isRelayed]);
    const { made, listen } = sounding({ job: () => ({ known: known({ status: 203 }), keep }) });
    expect(await listen()).toMatchObject({ status: 203 });
    expect(kept).toEqual([[SOUND, 'a', false]]);
    expect(made.records).toMatchObject([{ status: 203 }]);
  });

  test.each([
    ['is missing', () => null],
    ['is missing after a lookup', async () => null],
  ])('that %s leads to an upstream call', async (_, look) => {
    const { made, listen } = sounding({ job: () => ({ known: look }) });
    made.upstream.script('a', heard());
    await listen();
    expect(made.steps).toEqual(['key used', 'admit', 'reserve', 'ask a', 'charge', 'record']);
  });

  test('that is a refusal is returned without an upstream call', async () => {
    const refusal = new Failure('invalid_value', { message: 'Not like this.' });
    const { made, listen } = sounding({ job: () => ({ known: () => refusal }) });
    expect(await listen()).toMatchObject({ status: 400 });
    expect(made.steps).toEqual(['key used', 'admit', 'record']);
    await expectOver(made, 'invalid_value');
  });
});
