import { expect, test } from 'bun:test';
import type { StatusDocument } from '../../../transports/shared/status-document.ts';
import { receivedRequest } from '../remote/received-request.ts';
import { COLORED, PLAIN } from '../remote/words.ts';
import { ChannelRates } from './channel-rates.ts';
import { screenLines, type TopView } from './screen.ts';
import { Traffic } from './traffic.ts';

const LINE = {
  ...{ id: 'req_1', at: '2026-11-29T22:10:01Z', account: 'acme', key: 'laptop', format: 'openai-chat', model: 'gpt-5' },
  ...{ channel: 'openai-main', status: 200, error_code: null, error_side: null, retry_count: 0, latency_ms: 100 },
  ...{ first_byte_ms: 50, cost_usd: '0.01', cache: null },
  usage: {
    quantities: [
      { unit: 'input_token', amount: 100 },
      { unit: 'output_token', amount: 10 },
    ],
  },
};

function request(fields: object = {}) {
  const received = receivedRequest({ ...LINE, ...fields });
  if (received === null) throw new Error('the line is not valid');
  return received;
}

const channelOf = (channel: string, fields: object = {}) => ({
  ...{ channel, state: 'ready' as const, affected_models: [], reason: null, in_flight: 0, requests: 0, failures: 0 },
  ...{ first_byte_ms: null, ...fields },
});

const channels = (...list: ReturnType<typeof channelOf>[]) => ({ channels: { list } }) as unknown as StatusDocument;

const STATUS = {
  ...{ status: 'degraded', version: '1.0.0', uptime_seconds: 7_200, nodes: { count: 2, list: [] } },
  requests: { in_flight: 34, last_minute: { finished: 1, failed: 0, failure_rate: 0 } },
  problems: [
    {
      code: 'channel_resting',
      level: 'degraded',
      subject: 'openai-main',
      message: 'The channel openai-main is in cooldown.',
    },
  ],
} as unknown as StatusDocument;

function viewOf(fields: Partial<TopView> = {}): TopView {
  const traffic = new Traffic(60_000, 0);
  for (let count = 0; count < 90; count++) traffic.add(request(), 30_000, 10_000);
  for (let count = 0; count < 10; count++) {
    const failed = {
      status: 503,
      error_code: 'all_channels_failed',
      error_side: 'upstream',
      model: 'claude',
      latency_ms: 20_000,
    };
    traffic.add(request({ ...failed, id: `req_f${count}`, cost_usd: null, usage: null }), 30_000, 10_000);
  }
  return {
    ...{ url: 'http://127.0.0.1:8787', clock: '22:10:01', status: STATUS, notice: null, filters: '', isPaused: false },
    channels: [
      {
        name: 'openai-main',
        state: 'resting',
        inFlight: 3,
        perSecond: 1.5,
        failureRate: 0.25,
        firstByteMs: 320,
        reason: 'http_503',
      },
      {
        name: 'spare',
        state: 'ready',
        inFlight: 31,
        perSecond: null,
        failureRate: null,
        firstByteMs: null,
        reason: null,
      },
    ],
    sums: traffic.sums(60_000),
    rows: traffic.rows('model', 'requests', 60_000),
    requests: [
      {
        id: 'req_long',
        isRunning: true,
        durationMs: 65_000,
        status: null,
        isFailed: false,
        account: 'acme',
        model: 'gpt-5',
        channel: 'spare',
        problem: null,
      },
      {
        id: 'req_f9',
        isRunning: false,
        durationMs: 20_000,
        status: 503,
        isFailed: true,
        account: 'acme',
        model: 'claude',
        channel: 'spare',
        problem: 'all_channels_failed',
      },
    ],
    ...{ grouping: 'model', sorting: 'requests' },
    ...fields,
  };
}

test('the sums and groups cover the window', () => {
  const traffic = new Traffic(60_000, 0);
  traffic.add(request({ latency_ms: 10_000 }), 0, 10_000);
  traffic.add(request({ cache: { match: 'exact' }, cost_usd: '0' }), 50_000, 10_000);
  traffic.add(
    request({ model: 'b', status: 429, error_code: 'rate_limit_exceeded', error_side: 'client' }),
    55_000,
    10_000,
  );
  expect(traffic.sums(60_000)).toMatchObject({
    requests: 3,
    failed: 1,
    faults: 0,
    cached: 1,
    inputTokens: 300,
    p99Ms: 10_000,
  });
  expect(traffic.sums(60_001)).toMatchObject({ requests: 2, p99Ms: 100, costNanoUsd: 10_000_000n, seconds: 60 });
  expect(traffic.rows('channel', 'cost', 61_000).map(({ name }) => name)).toEqual(['openai-main', '(cache)']);
  expect(traffic.slowOrFailed.map(({ status }) => status)).toEqual([429, 200]);
  traffic.restart(70_000);
  expect(traffic.sums(75_000)).toMatchObject({ requests: 0, seconds: 5, p50Ms: 0, firstByteP95Ms: null });
});

test('the memory of a busy hour is bounded, and the rate stays right', () => {
  const traffic = new Traffic(60_000, 0);
  for (let index = 0; index < 70_000; index++) traffic.add(request(), index / 10, 10_000);
  const { requests, seconds } = traffic.sums(7_000);
  expect(requests).toBe(60_000);
  expect(requests / seconds).toBeCloseTo(10_000, -2);
});

test('rates of channels are differences, also after a restart of the gateway', () => {
  const rates = new ChannelRates(60_000);
  const report = (requests: number, failures: number) => channels(channelOf('a', { requests, failures }));
  rates.add(report(100, 10), 0);
  expect(rates.rows(report(100, 10))).toMatchObject([{ perSecond: null, failureRate: null }]);
  rates.add(report(120, 15), 10_000);
  expect(rates.rows(report(120, 15))).toMatchObject([{ perSecond: 2, failureRate: 0.25 }]);
  rates.add(report(5, 5), 20_000);
  expect(rates.rows(report(5, 5))).toMatchObject([{ failureRate: 1 }]);
});

test('rates of channels need no more than two reports, and compare those of one machine', () => {
  const rates = new ChannelRates(60_000);
  const report = (host: string, requests: number) => ({ ...channels(channelOf('a', { requests })), host });
  rates.add(report('one', 100), 0);
  rates.add(report('one', 220), 60_010);
  expect(rates.rows(report('one', 220))).toMatchObject([{ perSecond: expect.closeTo(2) }]);
  rates.add(report('two', 9_000), 61_000);
  expect(rates.rows(report('two', 9_000))).toMatchObject([{ perSecond: null }]);
});

test('the screen of 80 columns', () => {
  expect(screenLines(viewOf(), { columns: 80, rows: 24 }, PLAIN).map((line) => line.trimEnd())).toEqual([
    'degraded  22:10:01  http://127.0.0.1:8787  1.0.0  up 2h  2 nodes',
    'requests 1.7/s  in flight 34  failed 10%  faults 10%  cached 0%',
    'tokens 150/s in, 15/s out  cost $54/h',
    'latency p50 100ms  p95 20.0s  p99 20.0s  first byte p95 50ms',
    'The channel openai-main is in cooldown.',
    '',
    'CHANNEL                STATE    LOAD  FAIL REQ/S   TTFB REASON',
    'openai-main            resting     3   25%   1.5  320ms http_503',
    'spare                  ready      31     -     -      -',
    '',
    'MODEL                                        REQ/S  FAIL    P95  TOK/S      COST',
    'gpt-5                                          1.5    0%  100ms    165     $0.90',
    'claude                                         0.2  100%  20.0s      0        $0',
    '',
    'REQUEST                    STATUS    TIME MODEL          CHANNEL      ACCOUNT',
    'req_long                   running  65.0s gpt-5          spare        acme',
    'req_f9                     503      20.0s claude         spare        acme',
    ...['', '', '', '', '', ''],
    'q quit  space pause  g group: model  s sort: requests',
  ]);
});

test('the screen of 40 columns leaves out the less important columns', () => {
  const lines = screenLines(viewOf({ filters: 'account acme' }), { columns: 40, rows: 16 }, PLAIN);
  expect(lines.map((line) => line.trimEnd())).toEqual([
    'degraded  22:10:01  http://127.0.0.1:87…',
    'requests 1.7/s  in flight 34  failed 10…',
    'tokens 150/s in, 15/s out  cost $54/h',
    'latency p50 100ms  p95 20.0s  p99 20.0s…',
    'only account acme',
    'The channel openai-main is in cooldown.',
    '',
    'CHANNEL        STATE    LOAD  FAIL REQ/S',
    'openai-main    resting     3   25%   1.5',
    '',
    'MODEL          REQ/S  FAIL    P95  TOK/S',
    'gpt-5            1.5    0%  100ms    165',
    '',
    'REQUEST                   STATUS    TIME',
    'req_long                  running  65.0s',
    'q quit  space pause  g group: model  s …',
  ]);
});

test('every screen has its size, whatever the names contain', () => {
  const evil = '\u001b[2J\u009b31m\r\n\u202e模型👩‍👩‍👧‍👦';
  const view = viewOf({
    url: evil,
    notice: evil,
    filters: evil,
    channels: viewOf().channels.map((row) => ({ ...row, name: evil, reason: evil })),
    rows: viewOf().rows.map((row) => ({ ...row, name: evil })),
    requests: viewOf().requests.map((row) => ({
      ...row,
      id: evil,
      model: evil,
      account: evil,
      channel: evil,
      problem: evil,
    })),
  });
  for (const columns of [1, 19, 20, 33, 40, 80, 200]) {
    for (const rows of [1, 8, 12, 24, 100]) {
      const lines = screenLines(view, { columns, rows }, PLAIN);
      expect(lines.length).toBeLessThanOrEqual(rows);
      for (const line of lines) {
        expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
        expect(line).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
      }
    }
  }
});

test('colours mark bad states, and do not change the width', () => {
  const [plain, colored] = [PLAIN, COLORED].map((paint) => screenLines(viewOf(), { columns: 80, rows: 24 }, paint));
  expect(colored?.some((line) => line.includes('\u001b[31mresting'))).toBe(true);
  expect(colored?.map((line) => Bun.stringWidth(line))).toEqual(plain?.map((line) => Bun.stringWidth(line)));
});
