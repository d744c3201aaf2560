import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type Gateway, startGatewayWith } from '../../shared/gateway.ts';
import { pngOf } from '../../shared/png.ts';
import type { StrictUpstream } from '../rule.ts';
import { type StrictServer, startStrictServer } from '../server.ts';
import { openaiImageUpstreams } from './index.ts';

/*
 * Every value that a client may give a member of OpenAI's requests, to every model: the response is a success or the
 * gateway's own refusal, never the upstream's.
 */

setDefaultTimeout(600_000);

const upstreams = openaiImageUpstreams;
let server: StrictServer;
let gateway: Gateway;

beforeAll(async () => {
  server = startStrictServer(upstreams);
  gateway = await startGatewayWith(
    upstreams.map(({ name, provider, models }) => ({
      ...{ id: name, name, provider, base_url: server.baseUrlOf(name), api_key: 'upstream-key' },
      models: Object.fromEntries(models.map((id) => [`${name}/${id}`, id])),
    })),
    { models: upstreams.flatMap(declared) },
  );
});
afterEach(() => server.clear());
afterAll(async () => {
  await gateway?.stop();
  await server?.stop();
});

/** Declares for each model the operation of the service that the upstream imitates. */
function declared({ name, wire, models }: StrictUpstream) {
  const [category, operation] = OPERATIONS[wire] ?? [];
  return models.map((id) => ({ id: `${name}/${id}`, category, operations: [operation] }));
}

const OPERATIONS: Readonly<Record<string, readonly [string, string]>> = {
  'openai-images': ['image', 'images.generations'],
  'openai-image-edits': ['image', 'images.edits'],
};

type Value = string | number | boolean;

interface Asked {
  readonly path: string;
  readonly basic: Readonly<Record<string, Value | (() => File)>>;
  readonly values: Readonly<Record<string, readonly Value[]>>;
  readonly isForm?: true;
}

const IMAGE_VALUES = {
  n: [1, 2, 10],
  size: ['auto', '256x256', '1024x1024', '1536x1024', '1024x1792', '2048x2048'],
  quality: ['auto', 'low', 'medium', 'high', 'standard', 'hd'],
  response_format: ['url', 'b64_json'],
  output_format: ['png', 'jpeg', 'webp'],
  output_compression: [0, 50, 100],
  background: ['auto', 'transparent', 'opaque'],
  user: ['somebody'],
} as const;

const png = pngOf({ width: 8, height: 8, alpha: true });
const ASKED: Readonly<Record<string, Asked>> = {
  'openai-images': {
    path: 'images/generations',
    basic: { prompt: 'A cat.' },
    values: { ...IMAGE_VALUES, style: ['vivid', 'natural'], moderation: ['auto', 'low'] },
  },
  'openai-image-edits': {
    path: 'images/edits',
    basic: { prompt: 'A cat.', image: () => new File([png], 'photo.jpg', { type: 'image/jpg' }) },
    values: { ...IMAGE_VALUES, input_fidelity: ['low', 'high'] },
    isForm: true,
  },
};

async function send({ path, basic, isForm }: Asked, model: string, members: Readonly<Record<string, Value>>) {
  const all: Readonly<Record<string, Value | (() => File)>> = { ...basic, ...members, model };
  const fields = Object.entries(all).map(
    ([name, value]) => [name, typeof value === 'function' ? value() : value] as const,
  );
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value instanceof File ? value : String(value));
  const answer = await fetch(`${gateway.baseUrl}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.apiKey}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
    body: isForm ? form : JSON.stringify(Object.fromEntries(fields)),
  });
  return { status: answer.status, text: await answer.text() };
}

describe.each(upstreams.flatMap((upstream) => upstream.models.map((id) => [upstream.name, id, upstream] as const)))(
  '%s %s',
  (name, id, upstream) => {
    const asked = ASKED[upstream.wire];
    if (asked === undefined) throw new Error(`there are no requests for ${upstream.wire}`);

    test.each(Object.keys(asked.values))('accepts every `%s`, or the gateway refuses it', async (member) => {
      const told: unknown[] = [];
      for (const value of asked.values[member] ?? []) {
        const { status, text } = await send(asked, `${name}/${id}`, { [member]: value });
        const shown = typeof value === 'string' ? value.slice(0, 20) : value;
        if (server.refusals.length > 0) told.push({ [member]: shown, refused: server.refusals.at(-1)?.message });
        else if (status !== 200 && status !== 400) told.push({ [member]: shown, status, text: text.slice(0, 300) });
        server.clear();
      }
      expect(told).toEqual([]);
    });

    test('answers the basic request', async () => {
      const { status, text } = await send(asked, `${name}/${id}`, {});
      expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
    });
  },
);
