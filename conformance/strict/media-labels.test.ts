import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type Gateway, startGatewayWith } from '../shared/gateway.ts';
import { pngOf } from '../shared/png.ts';
import type { StrictUpstream } from './rule.ts';
import { type StrictServer, startStrictServer } from './server.ts';
import { mediaLabels } from './shared/media-labels.ts';
import { openaiEnvelope } from './shared/openai-envelope.ts';

/*
 * Files with a wrong media type, or an alias of the right one, from every client format to every kind of
 * upstream that checks media types.
 */

setDefaultTimeout(600_000);

const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64');
const FILES = {
  png: pngOf({ width: 1, height: 1 }).toString('base64'),
  jpeg: base64('\xff\xd8\xff\xe0\0\x10JFIF\0\x01'),
  pdf: base64('%PDF-1.7\n%\xe2\xe3\n'),
  wav: base64('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0'),
  mp3: base64('ID3\x04\0\0\0\0\0\0'),
} as const;

interface Labelled {
  readonly file: keyof typeof FILES;
  readonly label: string;
}

const IMAGES: readonly Labelled[] = [
  { file: 'png', label: 'image/jpeg' },
  { file: 'jpeg', label: 'image/jpg' },
  { file: 'jpeg', label: 'image/png' },
  { file: 'png', label: 'application/octet-stream' },
];
const PDFS: readonly Labelled[] = [
  { file: 'pdf', label: 'application/x-pdf' },
  { file: 'pdf', label: 'text/plain' },
];
const SOUNDS: readonly Labelled[] = [
  { file: 'wav', label: 'audio/x-wav' },
  { file: 'wav', label: 'audio/mpeg' },
  { file: 'mp3', label: 'audio/x-mp3' },
];

const UPSTREAMS = [
  ['anthropic', 'anthropic-messages', 'claude-sonnet-4-5'],
  ['google', 'gemini', 'gemini-2.5-flash'],
  ['bedrock', 'bedrock-converse', 'amazon.nova-pro-v1:0'],
  ['openai-compatible', 'openai-chat', 'some-model'],
  ['openai', 'openai-responses', 'gpt-4.1'],
] as const;

const source = {
  url: 'https://github.com/1jehuang/jcode/issues/465',
  checked: '2026-11-28',
};

const strictUpstreams = UPSTREAMS.map(([provider, wire, model]): StrictUpstream => {
  const rule = mediaLabels(source, { refused: [{ body: {} }] });
  return { name: provider, label: provider, provider, wire, models: [model], rules: [rule], envelope: openaiEnvelope };
});

interface Client {
  readonly path: (model: string) => string;
  /** Returns the body of a request with this file; `null` if the format does not support the kind of file. */
  readonly body: (model: string, file: Labelled, isStream: boolean) => object | null;
}

const dataUri = ({ file, label }: Labelled) => `data:${label};base64,${FILES[file]}`;
const isSound = ({ file }: Labelled) => file === 'wav' || file === 'mp3';

const CLIENTS: Readonly<Record<string, Client>> = {
  chat: {
    path: () => '/v1/chat/completions',
    body(model, labelled, stream) {
      const { file, label } = labelled;
      const block = isSound(labelled)
        ? { type: 'input_audio', input_audio: { data: FILES[file], format: label.replace('audio/', '') } }
        : file === 'pdf'
          ? { type: 'file', file: { filename: 'a.pdf', file_data: dataUri(labelled) } }
          : { type: 'image_url', image_url: { url: dataUri(labelled) } };
      return { model, stream, messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }, block] }] };
    },
  },
  Responses: {
    path: () => '/v1/responses',
    body(model, labelled, stream) {
      if (isSound(labelled)) return null;
      const block =
        labelled.file === 'pdf'
          ? { type: 'input_file', filename: 'a.pdf', file_data: dataUri(labelled) }
          : { type: 'input_image', image_url: dataUri(labelled) };
      return { model, stream, input: [{ role: 'user', content: [block, { type: 'input_text', text: 'Look.' }] }] };
    },
  },
  Messages: {
    path: () => '/v1/messages',
    body(model, labelled, stream) {
      if (isSound(labelled)) return null;
      const source = { type: 'base64', media_type: labelled.label, data: FILES[labelled.file] };
      const block = { type: labelled.file === 'pdf' ? 'document' : 'image', source };
      const content = [block, { type: 'text', text: 'Look.' }];
      return { model, stream, max_tokens: 64, messages: [{ role: 'user', content }] };
    },
  },
  Gemini: {
    path: (model) => `/v1beta/models/${model}`,
    body(_, { file, label }) {
      return {
        contents: [
          { role: 'user', parts: [{ text: 'Look.' }, { inlineData: { mimeType: label, data: FILES[file] } }] },
        ],
      };
    },
  },
};

let server: StrictServer;
let gateway: Gateway;

beforeAll(async () => {
  server = startStrictServer(strictUpstreams);
  gateway = await startGatewayWith(
    UPSTREAMS.map(([provider, wire, model]) => ({
      id: provider,
      name: provider,
      provider,
      base_url: server.baseUrlOf(provider),
      api_key: 'upstream-key',
      formats: [wire],
      models: { [model]: model },
    })),
  );
});
afterEach(() => server.clear());
afterAll(async () => {
  await gateway?.stop();
  await server?.stop();
});

/** The upstreams that accept each kind of file. */
const TAKES: Readonly<Record<string, readonly Labelled[]>> = {
  anthropic: [...IMAGES, ...PDFS],
  google: [...IMAGES, ...PDFS, ...SOUNDS],
  bedrock: [...IMAGES, ...PDFS],
  'openai-compatible': [...IMAGES, ...PDFS, ...SOUNDS],
  openai: [...IMAGES, ...PDFS],
};

describe.each(UPSTREAMS)('an upstream of %s in %s', (provider, _, model) => {
  test.each(Object.keys(CLIENTS))('accepts files of a %s client, whatever their media types', async (name) => {
    const client = CLIENTS[name];
    if (client === undefined) throw new Error(`there is no client ${name}`);
    for (const labelled of TAKES[provider] ?? []) {
      for (const isStream of [false, true]) {
        const body = client.body(model, labelled, isStream);
        if (body === null) continue;
        const verb = name === 'Gemini' ? (isStream ? ':streamGenerateContent?alt=sse' : ':generateContent') : '';
        const answer = await fetch(`${gateway.origin}${client.path(model)}${verb}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        const text = await answer.text();
        const refusal = server.refusals.at(-1)?.message ?? (answer.status === 200 ? null : text);
        expect({ ...labelled, isStream, status: answer.status, refusal }).toEqual({
          ...labelled,
          isStream,
          status: 200,
          refusal: null,
        });
      }
    }
    expect(server.requestsTo(provider).length).toBeGreaterThan(0);
  });
});
