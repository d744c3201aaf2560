import { describe, expect, test } from 'bun:test';
import { sampleRecord } from '../../ports/testing/samples.ts';
import { priceView, timeLineView } from './read-requests.ts';

const TIMES = {
  ...{ admittedMs: 0.34, lookedUpMs: null, askedMs: 130, heardMs: 150, upstreamStatus: 200 },
  ...{ answeredMs: 190, chargedMs: 192 },
};

test('lines of older versions have no story', () => {
  expect([priceView(sampleRecord()), timeLineView(sampleRecord())]).toEqual([null, null]);
});

test('an unknown price has no parts', () => {
  expect(priceView(sampleRecord({ applied: { prices: {} }, costNanoUsd: null }))).toBeNull();
});

test('the price lists quantities and their costs', () => {
  const billable = { source: 'reported', quantities: [{ unit: 'output_token', amount: 10 }] } as const;
  const applied = { prices: { output_token: '0.6' }, tokenFactor: 1_500_000 };
  expect(priceView(sampleRecord({ applied, billable, costNanoUsd: 9_000n }))).toEqual({
    total_usd: '0.000009',
    parts: [
      {
        ...{ kind: 'usage', amount_usd: '0.000009', unit: 'output_token', amount: 10 },
        ...{ unit_price_usd: '0.6', per: 1_000_000, factor: '1.5' },
      },
    ],
  });
});

describe('the time line', () => {
  const failed = {
    channelId: 'a',
    kind: 'http_503',
    latencyMs: 20,
    beganMs: 1,
    heardMs: 19,
    status: 503,
    provider: 'p',
  };

  test('has each attempt in order, ending with the successful one', () => {
    const record = sampleRecord({
      ...{ channelId: 'b', provider: 'q', upstreamRequestId: 'u', retryCount: 1, failedAttempts: [failed] },
      ...{ times: TIMES, latencyMs: 195, firstByteMs: 191, status: 200, failureKind: null, clientGone: false },
    });
    expect(timeLineView(record)).toEqual({
      ...{ admitted_ms: 0.3, cache_looked_up_ms: null, first_byte_ms: 191, charged_ms: 192, ended_ms: 195 },
      attempts: [
        {
          ...{ channel: 'a', provider: 'p', outcome: 'failed', kind: 'http_503', status: 503 },
          ...{ upstream_request_id: null, began_ms: 1, headers_ms: 20, ended_ms: 21 },
        },
        {
          ...{ channel: 'b', provider: 'q', outcome: 'answered', kind: null, status: 200 },
          ...{ upstream_request_id: 'u', began_ms: 130, headers_ms: 150, ended_ms: 190 },
        },
      ],
    });
  });

  test('does not repeat a failed attempt as the last one', () => {
    const record = sampleRecord({ failedAttempts: [failed], retryCount: 0, times: TIMES, failureKind: 'http_503' });
    expect(timeLineView(record)?.attempts.map(({ outcome }) => outcome)).toEqual(['failed']);
  });

  test('has no attempt if no target was called', () => {
    const times = { ...TIMES, askedMs: null, heardMs: null, upstreamStatus: null };
    expect(timeLineView(sampleRecord({ failedAttempts: [], times }))?.attempts).toEqual([]);
  });
});
