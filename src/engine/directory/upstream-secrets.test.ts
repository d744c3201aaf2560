import { describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { UpstreamSecrets } from './upstream-secrets.ts';

const BODY = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';
const FILE = {
  type: 'service_account',
  project_id: 'the-project-of-acme',
  private_key_id: '0f1e2d3c4b5a69788796a5b4c3d2e1f001122334',
  private_key: `-----BEGIN PRIVATE KEY-----\n${BODY}\n-----END PRIVATE KEY-----\n`,
  client_email: 'switchyard@the-project-of-acme.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.googleapis.com/token',
};
const AWS = 'AKIDEXAMPLE000000:wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY:session+token/of+an+hour';

const said = (message: string) => new Failure('upstream_error', { message, kind: 'upstream_auth' });
const secretsOf = (given: { apiKey?: string; settings?: Record<string, unknown>; baseUrl?: string }) =>
  new UpstreamSecrets({ apiKey: given.apiKey ?? null, settings: given.settings ?? {}, baseUrl: given.baseUrl ?? null });

describe('upstream text is redacted of', () => {
  test.each([
    ['its key', { apiKey: 'inv-plain-0123456789' }, 'inv-plain-0123456789'],
    ['the first half of AWS credentials', { apiKey: AWS }, 'AKIDEXAMPLE000000'],
    ['the second half of AWS credentials', { apiKey: AWS }, 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'],
    ['a session token', { apiKey: AWS }, 'session+token/of+an+hour'],
    ['a private key', { apiKey: JSON.stringify(FILE) }, BODY],
    ['part of a private key', { apiKey: JSON.stringify(FILE) }, BODY.slice(20, 40)],
    ['the id of a private key', { apiKey: JSON.stringify(FILE) }, FILE.private_key_id],
    ['a secret in the settings', { settings: { client: { secret: 'settings-secret-1' } } }, 'settings-secret-1'],
    ['a password in the base URL', { baseUrl: 'https://me:pass%2Fword%21x@h.example/v1' }, 'pass/word!x'],
    ['a key in the query', { baseUrl: 'https://h.example/v1?api_key=in-the-query' }, 'in-the-query'],
  ])('%s', (_what, given, secret) => {
    expect(secretsOf(given).cleaned(said(`before ${secret} after`)).message).toBe('before [redacted] after');
  });

  test('the token and the signature that requests are signed with', () => {
    const secrets = secretsOf({});
    secrets.sent({ authorization: 'Bearer ya29.a-short-lived-token' });
    const signature = '4d6e93a2318762b2ca2507b0b89e7132bd33d7d6';
    secrets.sent({
      authorization: `AWS4-HMAC-SHA256 Credential=x, SignedHeaders=host;x-amz-date, Signature=${signature}`,
    });
    const message = `ya29.a-short-lived-token ${signature} SignedHeaders=host;x-amz-date`;
    expect(secrets.cleaned(said(message)).message).toBe('[redacted] [redacted] SignedHeaders=host;x-amz-date');
  });
});

describe('a failure', () => {
  const secrets = secretsOf({ apiKey: 'inv-plain-0123456789' });

  test('is redacted in each of its texts and keeps its code', () => {
    const failure = new Failure('invalid_request', {
      message: 'inv-plain-0123456789',
      param: 'a.inv-plain-0123456789',
      publicCode: 'inv-plain-0123456789',
      hint: 'not inv-plain-0123456789',
      suggestions: ['inv-plain-0123456789'],
      kind: 'of-ours',
      status: 422,
      side: 'upstream',
      retry: 'other-target',
      retryAfterMs: 7,
    });
    const cleaned = secrets.cleaned(failure);
    expect(JSON.stringify(cleaned)).not.toContain('inv-plain');
    expect(cleaned).toMatchObject({
      ...{ code: 'invalid_request', kind: 'of-ours', status: 422, side: 'upstream', retry: 'other-target' },
      details: { param: 'a.[redacted]', hint: 'not [redacted]', suggestions: ['[redacted]'], retryAfterMs: 7 },
    });
    expect(cleaned.details.publicCode).toBeUndefined();
  });

  test('without a secret stays the same object', () => {
    const failure = new Failure('invalid_request', { message: 'Wrong.', publicCode: 'wrong', balanceNanoUsd: 7n });
    expect(secrets.cleaned(failure)).toBe(failure);
  });

  test('keeps words about a project, an address and the like', () => {
    const message =
      'Permission denied on the-project-of-acme: POST https://oauth2.googleapis.com/token service_account';
    expect(secretsOf({ apiKey: JSON.stringify(FILE) }).cleaned(said(message)).message).toBe(message);
  });
});
