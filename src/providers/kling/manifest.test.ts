import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { Failure } from '../../domain/failure/failure.ts';
import { authorize, signer } from './authorize.ts';

const REQUEST = { method: 'POST', url: 'https://api.example/v1/videos/text2video', headers: {}, body: null };
const KEYS = { apiKey: 'AK1:sk:2', settings: {} };

async function tokenOf(sign: ReturnType<typeof signer>): Promise<string> {
  const headers = await sign?.(REQUEST);
  if (headers === undefined || headers instanceof Failure) throw new Error('nothing was signed');
  return String(headers.authorization).replace(/^Bearer /, '');
}

describe('a key pair of access key and secret', () => {
  test('signs a token for half an hour', async () => {
    const token = await tokenOf(signer(KEYS, () => 1_700_000_000_900));
    const [header = '', claims = '', signature] = token.split('.');
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(read(header)).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(read(claims)).toEqual({ iss: 'AK1', exp: 1_700_001_800, nbf: 1_699_999_995 });
    // Everything after the first colon is the secret.
    expect(signature).toBe(createHmac('sha256', 'sk:2').update(`${header}.${claims}`).digest('base64url'));
    expect(authorize(KEYS)).toEqual({});
  });

  test('keeps the token until shortly before it expires, and signs another if the clock is set back', async () => {
    let now = 1_700_000_000_000;
    const sign = signer(KEYS, () => now);
    const first = await tokenOf(sign);
    now += 1_499_000;
    expect(await tokenOf(sign)).toBe(first);
    now += 1_000;
    const second = await tokenOf(sign);
    expect(second).not.toBe(first);
    now -= 3_600_000;
    expect(await tokenOf(sign)).not.toBe(second);
  });

  test.each([':secret', 'access:', ':'])('in the form %p is refused', async (apiKey) => {
    const signed = await signer({ apiKey, settings: {} })?.(REQUEST);
    expect(signed).toMatchObject({ kind: 'upstream_auth', side: 'upstream' });
  });
});

test('an API key is sent as it is', () => {
  expect(signer({ apiKey: 'plain', settings: {} })).toBeNull();
  expect(authorize({ apiKey: 'plain', settings: {} })).toEqual({ authorization: 'Bearer plain' });
  expect(signer({ apiKey: null, settings: {} })).toBeNull();
  expect(authorize({ apiKey: null, settings: {} })).toEqual({});
});
