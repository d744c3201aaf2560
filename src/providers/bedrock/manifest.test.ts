import { describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import type { UnsignedRequest } from '../manifest.ts';
import { signer } from './authorize.ts';
import { bedrock } from './manifest.ts';

const KEY = 'AKIDEXAMPLE000000:wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';

function pathOf(format: string, model: string, stream: boolean): string {
  const path = bedrock.formats.find((entry) => entry.format === format)?.path;
  return typeof path === 'function' ? path({ model, stream, settings: {} }) : (path ?? '');
}

describe('URLs', () => {
  test('the region is in the host', () => {
    expect(bedrock.baseUrlOf?.({})).toBe('https://bedrock-runtime.us-east-1.amazonaws.com');
    expect(bedrock.baseUrlOf?.({ region: 'eu-central-1' })).toBe('https://bedrock-runtime.eu-central-1.amazonaws.com');
    expect(bedrock.baseUrlOf?.({ region: 'cn-north-1' })).toBe('https://bedrock-runtime.cn-north-1.amazonaws.com.cn');
  });

  test.each(['us-gov-west-1', 'ap-southeast-10'])('%s is a region', (region) => {
    expect(bedrock.settings?.safeParse({ region }).success).toBe(true);
  });

  test.each(['', 'us-east-1.evil.example/', 'EU-central-1', 'us'])('%j is not a region', (region) => {
    expect(bedrock.settings?.safeParse({ region }).success).toBe(false);
  });

  test('colons and slashes of a model id stay within its path segment', () => {
    const arn = 'arn:aws:bedrock:us-east-1:012345678901:inference-profile/us.anthropic.claude-sonnet-4-6';
    expect(pathOf('bedrock-converse', arn, true)).toBe(
      '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A012345678901%3Ainference-profile%2Fus.anthropic.claude-sonnet-4-6/converse-stream',
    );
    expect(pathOf('bedrock-converse', 'amazon.nova-lite-v1:0', false)).toBe('/model/amazon.nova-lite-v1%3A0/converse');
    expect(pathOf('anthropic-messages', 'us.anthropic.claude-opus-5', false)).toBe(
      '/model/us.anthropic.claude-opus-5/invoke',
    );
    expect(pathOf('anthropic-messages', 'us.anthropic.claude-opus-5', true)).toBe(
      '/model/us.anthropic.claude-opus-5/invoke-with-response-stream',
    );
  });

  test('only Claude from version 3 on is called in its own format', () => {
    const [messages] = bedrock.formats;
    expect(messages?.models?.test('global.anthropic.claude-opus-5-5')).toBe(true);
    expect(messages?.models?.test('anthropic.claude-v2:1')).toBe(false);
    expect(messages?.models?.test('amazon.nova-pro-v1:0')).toBe(false);
    expect(messages?.body).toMatchObject({
      remove: ['model', 'stream'],
      add: { anthropic_version: '"bedrock-2023-05-31"' },
      betaMember: 'anthropic_beta',
    });
    expect(bedrock.formats.map(({ framing }) => framing)).toEqual(['aws-event-stream', 'aws-event-stream']);
  });
});

describe('a key', () => {
  test('for Bedrock is sent as it is', () => {
    const credentials = { apiKey: 'ABSKQmVkcm9jaw==', settings: {} };
    expect(bedrock.authorize?.(credentials, 'bedrock-converse')).toEqual({ authorization: 'Bearer ABSKQmVkcm9jaw==' });
    expect(bedrock.signer?.(credentials)).toBeNull();
  });

  test('for AWS is never sent', () => {
    expect(bedrock.authorize?.({ apiKey: KEY, settings: {} }, 'bedrock-converse')).toEqual({});
  });
});

/** Computed by botocore 1.43.11's SigV4Auth for the same request, key and time. */
const SIGNATURES = [
  [
    'eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse',
    '',
    '4d6e93a2318762b2ca2507b0b89e7132bd33d7d68ced5b40c2965fb4751975a2',
  ],
  [
    'eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse',
    'TOKEN+/=',
    'f22cb4d79d2e786e4eac89d7d4abd92322bdd1ba26e68c98d33b14880fa7749f',
  ],
  [
    'arn%3Aaws%3Abedrock%3Aeu-central-1%3A123456789012%3Aapplication-inference-profile%2Fabc123/converse-stream',
    '',
    'a31e674e0fd6973c1063f10a9dedc98d68aa5cc76c9ea3c4482d0cd2280896d4',
  ],
  [
    'arn%3Aaws%3Abedrock%3Aeu-central-1%3A123456789012%3Aapplication-inference-profile%2Fabc123/converse-stream',
    'TOKEN+/=',
    'acafb5938a3259e4748cc91951b9f8e5b0422b0492785cbb825acc7585e58701',
  ],
] as const;

describe('signing', () => {
  const time = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  const settings = { region: 'eu-central-1' };
  const request = (path: string): UnsignedRequest => ({
    method: 'POST',
    url: `https://bedrock-runtime.eu-central-1.amazonaws.com/model/${path}`,
    headers: { 'content-type': 'application/json', accept: '*/*' },
    body: new TextEncoder().encode('{"messages":[{"role":"user","content":[{"text":"Grüße"}]}]}'),
  });

  test.each(SIGNATURES)('%s with session token %j', async (path, token, signature) => {
    const sign = signer({ apiKey: token === '' ? KEY : `${KEY}:${token}`, settings }, () => time);
    const headers = await sign?.(request(path));
    const signed = `host;x-amz-date${token === '' ? '' : ';x-amz-security-token'}`;
    const scope = 'Credential=AKIDEXAMPLE000000/20260102/eu-central-1/bedrock/aws4_request';
    expect(headers).toEqual({
      authorization: `AWS4-HMAC-SHA256 ${scope}, SignedHeaders=${signed}, Signature=${signature}`,
      'x-amz-date': '20260102T030405Z',
      ...(token === '' ? {} : { 'x-amz-security-token': token }),
    });
  });

  test('never throws', async () => {
    const sign = signer({ apiKey: KEY, settings }, () => time);
    const outcome = await sign?.({ ...request(''), url: 'no address' });
    expect(outcome).toBeInstanceOf(Failure);
    expect(JSON.stringify(outcome)).not.toContain('wJalr');
  });
});
