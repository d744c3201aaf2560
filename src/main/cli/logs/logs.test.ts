import { expect, test } from 'bun:test';
import { receivedRequest } from '../remote/received-request.ts';
import { COLORED, PLAIN } from '../remote/words.ts';
import { requestLine } from './request-line.ts';
import { requestStory } from './request-story.ts';

const LINE = {
  ...{ object: 'request', id: 'req_1', at: '2026-11-29T22:10:01.123Z', account: 'acme', key: 'laptop' },
  ...{ format: 'openai-chat', model: 'gpt-5', requested_model: 'gpt-5', channel: 'openai-main', stream: true },
  ...{ status: 200, error_code: null, error_message: null, error_side: null, client_gone: false, retry_count: 1 },
  ...{ latency_ms: 1_240, first_byte_ms: 300, cost_usd: '0.0123', cache: null },
  usage: {
    source: 'upstream',
    quantities: [
      { unit: 'input_token', amount: 1_000 },
      { unit: 'cached_input_token', amount: 234 },
      { unit: 'output_token', amount: 300 },
      { unit: 'reasoning_token', amount: 40 },
      { unit: 'image', amount: 2 },
    ],
  },
};

function lineOf(fields: object, paint = PLAIN): string {
  const request = receivedRequest({ ...LINE, ...fields });
  if (request === null) throw new Error('the line is not valid');
  return requestLine(request, paint);
}

test('a request is one line', () => {
  expect(lineOf({})).toBe(
    '2026-11-29T22:10:01Z 200  1.24s acme/laptop          gpt-5                    openai-main +1     ' +
      '   1.2k>340    $0.012 req_1',
  );
});

test('a failed request has its code and message, and ids of the client and the trace', () => {
  const failed = { status: 503, error_code: 'all_channels_failed', error_message: 'No channel answered.' };
  expect(
    lineOf({ ...failed, client_request_id: 'abc', trace_id: 'f'.repeat(32), cost_usd: null, usage: null }),
  ).toEndWith(` req_1 client=abc trace=${'f'.repeat(32)} all_channels_failed: No channel answered.`);
  expect(lineOf({ client_gone: true })).toEndWith('req_1 client disconnected');
});

test('colours mark the side at fault', () => {
  const [red, yellow, green] = ['31', '33', '32'].map((code) => `\u001b[${code}m`);
  expect(lineOf({}, COLORED)).toContain(`${green}200`);
  expect(lineOf({ status: 429, error_code: 'x', error_side: 'client' }, COLORED)).toContain(`${yellow}429`);
  expect(lineOf({ error_code: 'x', error_side: 'upstream' }, COLORED)).toContain(`${red}200`);
});

test('no name and no message can write to the terminal', () => {
  const evil = '\u001b[2J\u001b]0;title\u0007\r\n\u009b31m\u202egnp\u2066';
  const names = [
    'id',
    'at',
    'account',
    'key',
    'model',
    'channel',
    'client_request_id',
    'trace_id',
    'error_code',
    'error_message',
  ];
  const line = lineOf(Object.fromEntries(names.map((name) => [name, evil])));
  expect(line).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
});

test('wide characters keep the columns, and long names are cut', () => {
  const cells = lineOf({ model: '模型'.repeat(20), account: 'a'.repeat(100) });
  expect(Bun.stringWidth(cells)).toBe(Bun.stringWidth(lineOf({})));
});

test('the story of a request has its ids, attempts, times and cost', () => {
  const attempt = (channel: string, fields: object) => ({
    ...{ channel, provider: 'openai', outcome: 'failed', kind: null, message: null, status: null },
    ...{ upstream_request_id: null, began_ms: 0.5, headers_ms: 20, ended_ms: 21, ...fields },
  });
  const story = requestStory({
    ...{ ...LINE, account_name: 'Acme', client_request_id: 'abc', trace_id: 'f'.repeat(32), tags: { team: 'search' } },
    losses: [{ field: 'seed', verdict: 'dropped', why: 'the format has none' }],
    price: {
      total_usd: '0.0123',
      parts: [
        { kind: 'usage', amount_usd: '0.01', unit: 'input_token', amount: 1_000, unit_price_usd: '10', per: 1_000_000 },
        { kind: 'rounding', amount_usd: '0.0023' },
      ],
    },
    time_line: {
      ...{ admitted_ms: 0.2, cache_looked_up_ms: null, first_byte_ms: 300, charged_ms: 1_235, ended_ms: 1_240 },
      attempts: [
        attempt('openai-main', { kind: 'http_503', status: 503, message: 'Overloaded\u001b[2J' }),
        attempt('openai-spare', { outcome: 'answered', began_ms: 22, headers_ms: 290, ended_ms: 1_230, status: 200 }),
      ],
    },
  });
  expect(story).toBe(`request           req_1
client request    abc
trace             ffffffffffffffffffffffffffffffff
arrived           2026-11-29T22:10:01.123Z
account           acme (Acme)
key               laptop
format            openai-chat (stream)
model             gpt-5
answered by       openai-main
status            200
tags              team=search

time line
        0.0 ms  arrived
        0.2 ms  admitted: the key is valid and within its limits
        0.5 ms  attempt 1 at openai-main (openai) began
       20.0 ms  attempt 1 received the upstream's headers
       21.0 ms  attempt 1 failed: http_503, HTTP 503, Overloaded�[2J
       22.0 ms  attempt 2 at openai-spare (openai) began
      290.0 ms  attempt 2 received the upstream's headers
      300.0 ms  first byte to the client
     1230.0 ms  attempt 2 answered: HTTP 200
     1235.0 ms  charge durable
     1240.0 ms  ended

usage, as the upstream reported it
  1000 input_token
  234 cached_input_token
  300 output_token
  40 reasoning_token
  2 image

cost $0.0123
  $0.01          1000 input_token at $10 per 1000000
  $0.0023        rounding

lost in translation
  seed dropped: the format has none
`);
  expect(requestStory({ object: 'list' })).toBeNull();
});
