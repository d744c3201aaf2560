import { expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { sampleRecord } from '../ports/testing/samples.ts';
import { logFailedAttempt, logRequest } from './log-lines.ts';

type Line = Readonly<Record<string, unknown>>;

function collected() {
  const lines: Line[] = [];
  const at = (level: string) => (fields: object, message: string) => void lines.push({ level, message, ...fields });
  return { lines, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}

const LINE = { method: 'POST', route: '/v1/chat/completions', path: '/v1/chat/completions' };
const FROM = { line: LINE, clientAddress: '203.0.113.7', trace: null };

test('the line of a request says who asked what, where it went, what it used and cost', () => {
  const { lines, logger } = collected();
  const quantities = [
    { unit: 'input_token', amount: 10 },
    { unit: 'cached_input_token', amount: 30 },
    { unit: 'output_token', amount: 7 },
  ] as const;
  const record = sampleRecord({
    ...{ requestId: 'req_1', clientRequestId: 'order-7', traceId: 'a'.repeat(32), costNanoUsd: 179_400n },
    billable: { quantities, source: 'reported' },
  });
  logRequest(logger, record, null, { ...FROM, trace: { context: { spanId: 'b'.repeat(16) } } });
  expect(lines).toMatchObject([
    {
      ...{ level: 'info', message: 'request', requestId: 'req_1', clientRequestId: 'order-7' },
      ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), clientAddress: '203.0.113.7', method: 'POST' },
      ...{ path: '/v1/chat/completions', inputTokens: 40, cachedInputTokens: 30, outputTokens: 7 },
      costUsd: '0.0001794',
    },
  ]);
});

test('a request without a valid key is logged at the level debug', () => {
  const { lines, logger } = collected();
  const failure = new Failure('invalid_api_key', { message: 'No.' });
  const record = sampleRecord({ accountId: null, errorCode: 'invalid_api_key', failureKind: 'invalid_api_key' });
  logRequest(logger, record, failure, FROM);
  expect(lines).toMatchObject([{ level: 'debug', errorSide: 'client', clientAddress: '203.0.113.7' }]);
});

test.each([
  ['tls_certificate_expired', "The upstream's TLS certificate has expired."],
  ['dns', "The upstream's host name could not be resolved."],
  ['http_503', undefined],
  ['reset', undefined],
])('a failed attempt of the kind %s has the reason %p', (kind, reason) => {
  const { lines, logger } = collected();
  const message = reason ?? 'An answer that may repeat the prompt.';
  const attempt = { channelId: 'a', kind, latencyMs: 3.4, message };
  logFailedAttempt(logger, 'req_1', attempt, new Failure('upstream_error', { kind, message }));
  expect(lines).toMatchObject([{ level: 'warn', channelId: 'a', failureKind: kind, latencyMs: 3 }]);
  expect(lines[0]?.reason).toBe(reason);
});
