import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES, type ErrorCode } from '../failure/error-codes.ts';
import { Failure, type FailureDetails } from '../failure/failure.ts';
import { type HealthEffect, healthEffectOf } from './health-effect.ts';

const EFFECTS: Readonly<Record<ErrorCode, HealthEffect>> = {
  invalid_api_key: 'none',
  expired_api_key: 'none',
  insufficient_balance: 'none',
  quota_exceeded: 'none',
  model_not_allowed: 'none',
  access_denied: 'none',
  model_not_found: 'none',
  response_not_found: 'none',
  object_not_found: 'none',
  not_found: 'none',
  already_exists: 'none',
  conflict: 'none',
  precondition_failed: 'none',
  async_task_not_found: 'none',
  cache_entry_not_found: 'none',
  unknown_url: 'none',
  method_not_allowed: 'none',
  invalid_json: 'none',
  empty_body: 'none',
  unsupported_content_type: 'none',
  missing_required_parameter: 'none',
  invalid_type: 'none',
  invalid_value: 'none',
  invalid_request: 'none',
  unsupported_parameter: 'none',
  context_length_exceeded: 'none',
  request_timeout: 'none',
  payload_too_large: 'none',
  rate_limit_exceeded: 'rest',
  internal_error: 'none',
  upstream_error: 'failure',
  all_channels_failed: 'none',
  limits_unavailable: 'none',
  guard_unavailable: 'none',
  storage_unavailable: 'none',
  shutting_down: 'none',
  timeout_error: 'failure',
  client_closed_request: 'none',
};

test('every error code has its effect', () => {
  for (const [code, effect] of Object.entries(EFFECTS)) {
    expect([code, healthEffectOf(new Failure(code as ErrorCode, { message: '' }))]).toEqual([code, effect]);
  }
  expect(Object.keys(EFFECTS)).toEqual(Object.keys(ERROR_CODES));
});

const KINDS: readonly (readonly [string, ErrorCode, Partial<FailureDetails>, HealthEffect])[] = [
  ['refused credentials', 'upstream_error', { kind: 'upstream_auth' }, 'refusal'],
  ['refused credentials with a wait', 'upstream_error', { kind: 'upstream_auth', retryAfterMs: 1 }, 'refusal'],
  ['a 403 that may be for them', 'upstream_error', { kind: 'forbidden' }, 'suspicion'],
  ['expired credentials', 'upstream_error', { kind: 'upstream_auth_expired' }, 'failure'],
  ['no token to sign with', 'upstream_error', { kind: 'token_unavailable' }, 'failure'],
  ['no money', 'upstream_error', { kind: 'upstream_quota' }, 'rest'],
  ['a 503', 'upstream_error', { kind: 'http_503' }, 'failure'],
  ['a 503 with a wait', 'upstream_error', { kind: 'http_503', retryAfterMs: 7_000 }, 'rest'],
  ['a 504 with a wait', 'timeout_error', { kind: 'http_504', retryAfterMs: 7_000 }, 'rest'],
  ['a model that the account may not use', 'upstream_error', { kind: 'http_403' }, 'failure'],
  ['a reset', 'upstream_error', { kind: 'reset', retry: 'same-target' }, 'failure'],
  ['an error inside a 200', 'upstream_error', { kind: 'error_in_200' }, 'failure'],
  ['a stream that broke off', 'upstream_error', { kind: 'truncated_stream' }, 'failure'],
  ['silence', 'timeout_error', { kind: 'idle_timeout' }, 'failure'],
  ['a file of another account', 'invalid_request', { kind: 'object_not_accessible', retry: 'other-target' }, 'none'],
  ['what the model cannot do', 'invalid_request', { kind: 'lacks_ability', retry: 'other-target' }, 'none'],
  ['what the format cannot carry', 'unsupported_parameter', { kind: 'loss_refused' }, 'none'],
  ['too many media', 'rate_limit_exceeded', { kind: 'media_queue_full', side: 'gateway', retryAfterMs: 1 }, 'none'],
  ['no sockets of our own', 'internal_error', { kind: 'no_sockets', retry: 'other-target' }, 'none'],
];

for (const [name, code, details, effect] of KINDS) {
  test(`${name}: ${effect}`, () => {
    expect(healthEffectOf(new Failure(code, { message: '', ...details }))).toBe(effect);
  });
}

/** The words in the column "the channel" of docs/routing.md. */
const WORDS: readonly (readonly [string, HealthEffect])[] = [
  ['checked', 'suspicion'],
  ['failure', 'failure'],
  ['cooldown', 'rest'],
  ['blocked', 'refusal'],
  ['nothing', 'none'],
];

test('the documented effect of every kind matches the code', () => {
  const page = readFileSync(join(import.meta.dir, '../../../docs/routing.md'), 'utf8');
  const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const head = rows.findIndex((cells) => cells[2] === 'kind');
  const end = rows.findIndex((cells, index) => index > head && cells.length === 1);
  const samples = new Map(KINDS.map(([, code, details]) => [details.kind ?? code, { code, details }]));
  let checked = 0;
  for (const [, what, kinds = '', channel = ''] of rows.slice(head + 2, end)) {
    const [, effect] = WORDS.find(([words]) => channel.startsWith(words)) ?? [];
    for (const [, kind = ''] of kinds.matchAll(/`([^`]+)`/g)) {
      const code = kind in ERROR_CODES ? (kind as ErrorCode) : 'upstream_error';
      const sample = samples.get(kind) ?? { code, details: {} };
      const wait = what?.includes('`Retry-After`') && !what.includes('without') ? { retryAfterMs: 1_000 } : {};
      const { retryAfterMs: _, ...details } = sample.details;
      const failure = new Failure(sample.code, { kind, message: '', ...details, ...wait });
      expect(`${kind}: ${healthEffectOf(failure)}`).toBe(`${kind}: ${effect}`);
      checked++;
    }
  }
  expect(checked).toBeGreaterThan(30);
});
