import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { FORMATS } from './judges/index.ts';
import { comparableRequest, firstByteDifference } from './openai-chat/relayed-bytes.ts';
import type { ClientFormat } from './readers/index.ts';
import { oddJson, randomFrom } from './requests/odd-json.ts';
import { type ClientRequest, recordedRequests } from './requests/recorded-requests.ts';
import { type RequestBed, startRequestBed } from './requests/request-bed.ts';
import { bodyFor, send } from './requests/send.ts';
import { SMALL_REQUESTS } from './requests/small-requests.ts';
import { publicModel, upstreamModel } from './requests/targets.ts';
import { withValue } from './shared/json-text.ts';
import { recordingsMissing } from './shared/recordings.ts';

const ODD_BODIES = 100;

const missing = recordingsMissing();
const recorded = recordedRequests();
if (missing !== undefined)
  test.skip(`recorded requests keep their bytes, beside the project's own (${missing})`, () => undefined);

type SentRequest = Pick<ClientRequest, 'name' | 'format' | 'stream' | 'headers'>;

/** Not one that thinks: for those `max_tokens`, which OpenAI makes them refuse, goes out under its newer name. */
const KIND = 'plain';

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Both bodies without the model's value, and the upstream's without the flag that asks a chat stream for its usage. */
function withoutPatches(format: ClientFormat, client: string, upstream: string, model: string) {
  if (format === 'gemini') return { expected: client, sent: upstream };
  if (format === 'openai-chat') return comparableRequest(client, upstream, model);
  return { expected: withValue(client, 'model', JSON.stringify(model)), sent: upstream };
}

describe('a request to an upstream of its own format', () => {
  let bed: RequestBed;

  beforeAll(async () => {
    bed = await startRequestBed(FORMATS);
  }, 60_000);

  afterAll(async () => {
    await bed?.stop();
  });

  /** Sends the body as it is; returns what the upstream got. */
  async function relay(request: SentRequest, body: string) {
    bed.upstream.take(request.format);
    const response = await send(bed.gateway, request, publicModel(request.format, KIND), body);
    const answer = await response.text();
    const [received] = bed.upstream.take(request.format);
    if (response.status !== 200 || received === undefined)
      throw new Error(`${response.status}: ${answer.slice(0, 300)}`);
    return { ...received, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(received.body) };
  }

  async function differenceOf(request: SentRequest, body: string): Promise<readonly string[]> {
    try {
      const { text } = await relay(request, body);
      const { expected, sent } = withoutPatches(request.format, body, text, upstreamModel(request.format, KIND));
      return hashOf(expected) === hashOf(sent) ? [] : [`${request.name}: ${firstByteDifference(expected, sent)}`];
    } catch (error) {
      return [`${request.name}: ${error}`];
    }
  }

  test.each(FORMATS)(
    'has the same hash in each recorded request of %s',
    async (format) => {
      const problems: string[] = [];
      // A stored conversation is the gateway's own: one that it does not know cannot go on (docs/translation.md).
      const relayed = recorded.filter((one) => one.format === format && one.body.previous_response_id === undefined);
      for (const request of relayed) {
        problems.push(...(await differenceOf(request, bodyFor(format, request.text, publicModel(format, KIND)))));
      }
      expect(problems).toEqual([]);
    },
    30_000,
  );

  test.each(FORMATS)(
    'has the same hash in %s however oddly it is written',
    async (format) => {
      const model = publicModel(format, KIND);
      const problems: string[] = [];
      for (let seed = 0; seed < ODD_BODIES; seed++) {
        const body = { ...SMALL_REQUESTS[format], ...(format === 'gemini' ? {} : { model }) };
        const request = { name: `seed ${seed}`, format, stream: false, headers: {} };
        problems.push(...(await differenceOf(request, oddJson(body, randomFrom(seed)))));
      }
      expect(problems).toEqual([]);
    },
    30_000,
  );

  const claude = {
    name: 'headers',
    format: 'anthropic-messages',
    stream: false,
  } as const;
  const claudeBody = bodyFor(
    claude.format,
    JSON.stringify(SMALL_REQUESTS[claude.format]),
    publicModel(claude.format, KIND),
  );

  test('takes its Anthropic version and betas with it, and leaves the key behind', async () => {
    const versions = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'context-1m-2025-08-07,x-invented' };
    const { headers } = await relay({ ...claude, headers: versions }, claudeBody);
    expect(Object.fromEntries(Object.keys(versions).map((name) => [name, headers.get(name)]))).toEqual(versions);
    expect(headers.get('x-api-key')).toBe('upstream-key');
    expect([...headers.values()].filter((value) => value.includes(bed.gateway.apiKey))).toEqual([]);
  });

  test('goes out with an Anthropic version where the client names none', async () => {
    const { headers } = await relay({ ...claude, headers: {} }, claudeBody);
    expect(headers.get('anthropic-version')).toBe('2023-06-01');
    expect(headers.get('anthropic-beta')).toBeNull();
  });

  test('takes the recorded Anthropic headers with it', async () => {
    const withHeaders = recorded.filter(({ headers }) => Object.keys(headers).length > 0);
    expect(withHeaders.length).toBeGreaterThan(0);
    for (const request of withHeaders) {
      const body = bodyFor(request.format, request.text, publicModel(request.format, KIND));
      const { headers } = await relay(request, body);
      expect(headers.toJSON()).toMatchObject(request.headers);
    }
  });
});
