import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  accountWith,
  channelTo,
  clientKey,
  type FakeUpstream,
  keyNamed,
  startUpstream,
} from '../../conformance/first-light/upstream.ts';
import { answerOf } from '../../conformance/shared/answer.ts';
import { asArray, asObject, isObject, parseJson } from '../../conformance/shared/json.ts';
import { type RecordingRow, readRecording, recordedExchanges } from '../../conformance/shared/recordings.ts';
import type { Serving } from '../../conformance/shared/serving.ts';
import { Workspace } from '../../conformance/shared/workspace.ts';

/*
 * Recorded exchanges of image APIs, replayed through the gateway: the upstream request is the recorded one, and the client gets the
 * response.
 */

setDefaultTimeout(600_000);

const PROVIDERS: Readonly<Record<string, readonly string[]>> = { openai: ['openai'], xai: ['xai'], gemini: ['google'] };

interface Exchange {
  readonly file: string;
  readonly provider: string;
  readonly model: string;
  /** The body that the provider received. */
  readonly sent: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly answer: string;
}

function exchangeOf(row: RecordingRow, provider: string): Exchange[] {
  const { file, requestBody, responseBody, status } = readRecording(row);
  const sent = parseJson(requestBody ?? '');
  // Skips forms, and exchanges without a recorded request.
  return isObject(sent) ? [{ file, provider, model: row.model ?? 'dall-e-2', sent, status, answer: responseBody }] : [];
}

const exchanges = recordedExchanges()
  .filter(({ provider, api, model }) =>
    provider === 'gemini' ? api === 'generateContent' && /image/.test(`${model}`) : api === 'images',
  )
  .flatMap((row) => (PROVIDERS[row.provider] ?? []).flatMap((provider) => exchangeOf(row, provider)));

let upstream: FakeUpstream;
let space: Workspace;
let serving: Serving;
let current: Exchange | null = null;

beforeAll(async () => {
  upstream = startUpstream(() => {
    const { status = 500, answer = '' } = current ?? {};
    return new Response(answer, { status, headers: { 'content-type': 'application/json' } });
  });
  space = await Workspace.create();
  const channels = ['openai', 'xai', 'google'].map((provider) => {
    const models = exchanges
      .filter((one) => one.provider === provider)
      .map(({ model }) => [publicId(provider, model), model]);
    const breaker = { minimum_requests: 1_000_000 };
    return channelTo(upstream, { id: provider, owner: 'acme', provider, breaker, models: Object.fromEntries(models) });
  });
  const ids = new Set(exchanges.map(({ provider, model }) => publicId(provider, model)));
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels,
    models: [...ids].map((id) => ({ id, category: 'image', operations: ['images.generations'], pricing: 'free' })),
    accounts: [accountWith('acme', [keyNamed('acme')])],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
});
afterAll(async () => {
  await space?.remove();
  await upstream?.stop();
});

const publicId = (provider: string, model: string) => `${provider}:${model}`;

/** Returns the client request for the recorded upstream request. */
function askedOf({ provider, model, sent }: Exchange): object {
  const id = { model: publicId(provider, model) };
  if (provider === 'openai') return { ...sent, ...id };
  if (provider === 'xai') {
    const { resolution, ...rest } = sent;
    return { ...rest, ...id, provider_options: { resolution } };
  }
  const [content] = asArray(sent.contents);
  const [part] = asArray(asObject(content).parts);
  const { imageConfig } = asObject(sent.generationConfig);
  return { ...id, prompt: asObject(part).text, aspect_ratio: asObject(imageConfig).aspectRatio };
}

async function replay(exchange: Exchange) {
  current = exchange;
  const headers = { authorization: `Bearer ${clientKey('acme')}`, 'content-type': 'application/json' };
  const body = JSON.stringify(askedOf(exchange));
  return answerOf(await fetch(`${serving.baseUrl}/images/generations`, { method: 'POST', headers, body }));
}

const withoutNull = (body: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));

describe('recorded', () => {
  const answered = exchanges.filter(({ status }) => status === 200);
  const refused = exchanges.filter(({ status }) => status !== 200);

  test('exchanges exist', () => expect([answered.length, refused.length].every((count) => count > 4)).toBe(true));

  test.each(answered.map((one) => [one.file, one] as const))(
    '%s: the client gets the provider’s response',
    async (_, one) => {
      const { status, json: body } = await replay(one);
      expect(status).toBe(200);
      const sent = asObject(parseJson(upstream.requests.at(-1)?.text ?? ''));
      // Leaves out members that this model refuses today.
      const { quality: _quality, ...rest } = withoutNull(one.sent);
      expect(sent).toMatchObject(one.provider === 'google' || one.model !== 'dall-e-2' ? withoutNull(one.sent) : rest);
      const recorded = asObject(parseJson(one.answer));
      if (one.provider === 'google') {
        expect(body).toMatchObject({ usage: { input_tokens: 15, output_tokens: 1_290, total_tokens: 1_305 } });
        return;
      }
      const { data, ...facts } = recorded;
      const images = asArray(data).map((item) => {
        const { mime_type: _type, ...image } = asObject(item);
        return image;
      });
      expect(asArray(body.data)).toEqual(images);
      if (one.provider === 'openai') expect(body).toMatchObject(facts);
    },
  );

  test.each(refused.map((one) => [one.file, one] as const))('%s: a refusal names its field', async (_, one) => {
    const { status, json: body } = await replay(one);
    const { message, param } = asObject(asObject(parseJson(one.answer)).error);
    const error = asObject(body.error);
    if (String(message).includes('does not exist')) expect([status, error.code]).toEqual([502, 'upstream_error']);
    else expect([status, error.param]).toEqual([400, param]);
  });
});
