import { describe, expect, test } from 'bun:test';
import { sampleRecord } from '../../ports/testing/samples.ts';
import { priceView, requestView, shownRequestView, timeLineView } from './read-requests.ts';

const OPERATOR = { isOperator: true, traceUrl: 'https://traces.example/{trace_id}' };
const MEMBER = { isOperator: false, traceUrl: 'https://traces.example/{trace_id}' };

const TIMES = {
  ...{ admittedMs: 0.34, lookedUpMs: null, askedMs: 130, heardMs: 150, upstreamStatus: 200 },
  ...{ answeredMs: 190, chargedMs: 192 },
};

test('lines of older versions have no story', () => {
  expect([priceView(sampleRecord()), timeLineView(sampleRecord(), OPERATOR)]).toEqual([null, null]);
});

test('a line has what guards have found, or an empty list', () => {
  const guards = [{ guard: 'pii', rule: 'email', stage: 'input', action: 'mask', count: 2 }] as const;
  expect(requestView(sampleRecord({ guards })).guards).toEqual([...guards]);
  expect(requestView(sampleRecord()).guards).toEqual([]);
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
    message: 'boom',
  };

  test('has each attempt in order, ending with the successful one', () => {
    const record = sampleRecord({
      ...{ channelId: 'b', provider: 'q', upstreamRequestId: 'u', retryCount: 1, failedAttempts: [failed] },
      ...{ times: TIMES, latencyMs: 195, firstByteMs: 191, status: 200, failureKind: null, clientGone: false },
    });
    expect(timeLineView(record, OPERATOR)).toEqual({
      ...{
        admitted_ms: 0.3,
        cache_looked_up_ms: null,
        queue_ms: null,
        first_byte_ms: 191,
        charged_ms: 192,
        ended_ms: 195,
      },
      attempts: [
        {
          ...{
            channel: 'a',
            upstream_key: null,
            provider: 'p',
            outcome: 'failed',
            kind: 'http_503',
            status: 503,
            message: 'boom',
          },
          ...{ upstream_request_id: null, began_ms: 1, headers_ms: 20, ended_ms: 21 },
        },
        {
          ...{
            channel: 'b',
            upstream_key: null,
            provider: 'q',
            outcome: 'answered',
            kind: null,
            status: 200,
            message: null,
          },
          ...{ upstream_request_id: 'u', began_ms: 130, headers_ms: 150, ended_ms: 190 },
        },
      ],
    });
  });

  test('does not repeat a failed attempt as the last one', () => {
    const record = sampleRecord({ failedAttempts: [failed], retryCount: 0, times: TIMES, failureKind: 'http_503' });
    expect(timeLineView(record, OPERATOR)?.attempts.map(({ outcome }) => outcome)).toEqual(['failed']);
  });

  test('has no attempt if no target was called', () => {
    const times = { ...TIMES, askedMs: null, heardMs: null, upstreamStatus: null };
    expect(timeLineView(sampleRecord({ failedAttempts: [], times }), OPERATOR)?.attempts).toEqual([]);
  });
});

describe('a failed request', () => {
  const told = { message: 'The provider failed (HTTP 500): boom', param: 'size', hint: 'Try again.' };
  const failed = { errorCode: 'upstream_error', failureKind: 'http_500', told } as const;

  test('has what the client was told, and the side at fault', () => {
    expect(requestView(sampleRecord(failed))).toMatchObject({
      ...{ error_message: told.message, error_param: 'size', error_hint: 'Try again.', error_side: 'upstream' },
    });
    const side = 'client' as const;
    expect(requestView(sampleRecord({ ...failed, told: { ...told, side } }))).toMatchObject({ error_side: side });
  });

  test('of an older version has only its side, and one with an unknown code has none', () => {
    const old = { error_message: null, error_param: null, error_hint: null };
    expect(requestView(sampleRecord({ errorCode: 'invalid_value' }))).toMatchObject({ ...old, error_side: 'client' });
    expect(requestView(sampleRecord({ errorCode: 'from_the_future' }))).toMatchObject({ ...old, error_side: null });
  });

  test('has the model that the client wrote', () => {
    const none = { modelId: null } as const;
    expect(requestView(sampleRecord({ ...none, requestedModel: 'gpt-fünf' })).requested_model).toBe('gpt-fünf');
    expect(requestView(sampleRecord(none)).requested_model).toBeNull();
    expect(requestView(sampleRecord()).requested_model).toBe('gpt-4o-mini');
  });

  const attempts = [
    { channelId: 'shared', kind: 'http_500', latencyMs: 1, beganMs: 0, message: 'our contract with them' },
    { channelId: 'own', kind: 'http_500', latencyMs: 1, beganMs: 2, message: 'boom', isPrivate: true as const },
  ];
  const source = {
    names: async () => ({
      accounts: [{ id: 'acme', name: 'Acme Ltd' }],
      channels: [
        { id: 'shared', name: 'OpenAI main', owner: null },
        { id: 'own', name: 'Our own', owner: 'acme' },
        { id: 'openai-main', name: 'Of others', owner: 'globex' },
      ],
      keys: [{ accountId: 'acme', id: 'ci', name: 'CI' }],
    }),
  };
  const shown = (reader: typeof MEMBER) =>
    shownRequestView(
      source,
      { record: sampleRecord({ ...failed, failedAttempts: attempts, retryCount: 1, times: TIMES }), entries: [] },
      reader,
    );

  test("shows members the upstreams' messages of the account's own channels only", async () => {
    for (const [reader, messages] of [
      [OPERATOR, ['our contract with them', 'boom']],
      [MEMBER, [null, 'boom']],
    ] as const) {
      const view = await shown(reader);
      expect(view.failed_attempts.map(({ message }) => message)).toEqual([...messages]);
      expect(view.time_line?.attempts.map(({ message }) => message)).toEqual([...messages]);
    }
  });

  test('has names beside ids, but not that of a channel which another account owns now', async () => {
    const view = await shown(MEMBER);
    expect(view).toMatchObject({ account_name: 'Acme Ltd', key_name: 'CI', channel_name: null });
    expect(view.failed_attempts.map(({ channel_name }) => channel_name)).toEqual(['OpenAI main', 'Our own']);
    expect(view.time_line?.attempts.map(({ channel_name }) => channel_name)).toEqual(['OpenAI main', 'Our own']);
  });

  test("repeats the client's message for a last attempt that the client made fail", () => {
    const record = sampleRecord({ ...failed, failedAttempts: [], retryCount: 0, times: TIMES });
    expect(timeLineView(record, MEMBER)?.attempts).toMatchObject([{ outcome: 'failed', message: told.message }]);
  });
});
