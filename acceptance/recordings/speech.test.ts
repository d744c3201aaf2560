import { describe, expect, test } from 'bun:test';
import { Ajv, type ValidateFunction } from 'ajv';
import { asArray, asObject, parseJson } from '../../conformance/shared/json.ts';
import { readRecording, recordedExchanges } from '../../conformance/shared/recordings.ts';
import type { SpeechRequest } from '../../src/domain/audio/speech.ts';
import { Failure } from '../../src/domain/failure/failure.ts';
import { speechWires } from '../../src/formats/index.ts';
import { parseRequest } from '../../src/formats/speech/openai-speech/request.ts';
import { audioMeter } from '../../src/formats/speech/shared/audio-meter.ts';
import { OPENAI_VOICES } from '../../src/formats/speech/shared/speech-request.ts';
import type { WireTarget } from '../../src/formats/wire.ts';
import { providers } from '../../src/providers/index.ts';
import { publishedDocument } from './documents.ts';

/* Speech requests, validated against the providers' published documents, and recorded responses. */

interface Document {
  readonly file: string;
  readonly schema: string;
  readonly models: readonly string[];
}

const DOCUMENTS: Readonly<Record<string, Document>> = {
  openai: { file: 'openai.openapi.json', schema: 'CreateSpeechRequest', models: ['tts-1', 'gpt-4o-mini-tts'] },
  groq: { file: 'groq.openapi.yaml', schema: 'CreateSpeechRequest', models: ['canopylabs/orpheus-v1-english'] },
  together: {
    file: 'together.openapi.yaml',
    schema: 'AudioSpeechRequest',
    models: ['hexgrad/Kokoro-82M', 'canopylabs/orpheus-3b-0.1-ft', 'cartesia/sonic-3'],
  },
  openrouter: { file: 'openrouter.openapi.yaml', schema: 'SpeechRequest', models: ['openai/gpt-4o-mini-tts'] },
  mistral: { file: 'mistral.openapi.yaml', schema: 'SpeechRequest', models: ['voxtral-mini-tts-3-0'] },
  elevenlabs: { file: 'elevenlabs.openapi.json', schema: 'Body_text_to_speech_stream', models: ['eleven_v4'] },
  deepgram: { file: 'deepgram.openapi.yml', schema: 'SpeakV1Request', models: ['aura-2'] },
};

const FORMATS = [undefined, 'mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'];
const VOICES = [undefined, 'alloy', 'onyx', 'own_voice', { id: 'voice_1' }];
const MORE: readonly object[] = [
  {},
  { speed: 0.25 },
  { speed: 4, instructions: 'Speak slowly', language: 'de' },
  { stream_format: 'sse' },
];

function* requests(): Generator<SpeechRequest> {
  for (const response_format of FORMATS) {
    for (const voice of VOICES) {
      for (const more of MORE) {
        const body = { model: 'm', input: 'Hello 😀', response_format, voice, ...more };
        const parsed = parseRequest(new TextEncoder().encode(JSON.stringify(body)));
        if (parsed instanceof Failure) throw new Error(parsed.message);
        yield parsed.request;
      }
    }
  }
}

function judgeOf({ file, schema }: Document): ValidateFunction {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: 'document', components: asObject(publishedDocument(file).components) });
  return ajv.compile({ $ref: `document#/components/schemas/${schema}` });
}

function targetOf(provider: string, upstreamModel: string) {
  const provided = providers.get(provider)?.wires?.find(({ wire }) => speechWires.has(wire));
  const wire = speechWires.get(provided?.wire ?? '');
  if (provided === undefined || wire === undefined) throw new Error(`${provider} has no speech`);
  const target: WireTarget = { upstreamModel, ...(provided.speech && { speech: provided.speech }) };
  return { wire, target };
}

describe('upstream requests match the provider’s document', () => {
  for (const [provider, document] of Object.entries(DOCUMENTS)) {
    test(`${provider}: ${document.schema}`, () => {
      const judge = judgeOf(document);
      let sent = 0;
      for (const model of document.models) {
        const { wire, target } = targetOf(provider, model);
        for (const request of requests()) {
          const encoded = wire.encodeRequest(request, target);
          if (encoded instanceof Failure) {
            expect([encoded.status, encoded.details.param]).toEqual([400, 'response_format']);
            continue;
          }
          if (!(encoded.body instanceof Uint8Array)) throw new Error('the body of a speech request is in memory');
          const body = parseJson(new TextDecoder().decode(encoded.body));
          judge(body);
          expect([body, judge.errors ?? []]).toEqual([body, []]);
          sent++;
        }
      }
      expect(sent).toBeGreaterThan(20);
    });
  }

  test('deepgram: query parameters and voices', () => {
    const document = publishedDocument('deepgram.openapi.yml');
    const schemas = asObject(asObject(document.components).schemas);
    const speak = asObject(asObject(asObject(asObject(document.paths)['/v1/speak']).post));
    const names = asArray(speak.parameters).map((one) => asObject(one).name);
    const models = asArray(asObject(schemas.V1SpeakPostParametersModel).enum);
    const { wire, target } = targetOf('deepgram', 'aura-2');
    for (const request of requests()) {
      if (request.voice === 'own_voice' || request.isCustomVoice) continue;
      const encoded = wire.encodeRequest({ ...request, language: null }, target);
      if (encoded instanceof Failure) throw new Error(encoded.message);
      const query = new URLSearchParams(encoded.suffix);
      for (const name of query.keys()) expect(names).toContain(name);
      expect(models).toContain(query.get('model'));
    }
    for (const voice of OPENAI_VOICES) {
      for (const model of ['aura', 'aura-2']) {
        const encoded = wire.encodeRequest({ ...spoken({}), voice }, { upstreamModel: model });
        if (encoded instanceof Failure) throw new Error(encoded.message);
        expect(models).toContain(new URLSearchParams(encoded.suffix).get('model'));
      }
    }
  });

  test('elevenlabs: the formats of its query', () => {
    const paths = asObject(publishedDocument('elevenlabs.openapi.json').paths);
    const { parameters } = asObject(asObject(paths['/v1/text-to-speech/{voice_id}/stream']).post);
    const output = asArray(parameters)
      .map(asObject)
      .find(({ name }) => name === 'output_format');
    const known = asArray(asObject(output?.schema).enum);
    const { wire, target } = targetOf('elevenlabs', 'eleven_v4');
    for (const request of requests()) {
      const encoded = wire.encodeRequest(request, target);
      if (!(encoded instanceof Failure))
        expect(known).toContain(new URL(encoded.suffix ?? '', 'http://a.example').searchParams.get('output_format'));
    }
  });
});

function spoken(body: object): SpeechRequest {
  const parsed = parseRequest(new TextEncoder().encode(JSON.stringify({ model: 'm', input: 'a', ...body })));
  if (parsed instanceof Failure) throw new Error(parsed.message);
  return parsed.request;
}

describe('recorded answers', () => {
  const rows = recordedExchanges().filter(({ api }) => api === 'speech');
  /** Minimum and maximum in milliseconds; streamed FLAC does not report its length. */
  const LENGTHS: Readonly<Record<string, readonly [number, number]>> = {
    'audio/wav': [400, 450],
    'audio/pcm': [500, 500],
    'audio/mpeg': [300, 3_000],
  };

  test('recordings exist', () => expect(rows.length).toBeGreaterThanOrEqual(6));

  for (const row of rows) {
    test(`${row.file}: the bytes are unchanged, wherever they are split`, () => {
      const { requestBody, responseBody, contentType } = readRecording(row);
      const bytes = Uint8Array.fromBase64(responseBody);
      const body = asObject(parseJson(requestBody ?? ''));
      const recordedType = contentType ?? '';
      const { wire, target } = targetOf('openai-compatible', 'theirs');
      const asked = spoken(body);
      const encoded = wire.encodeRequest(asked, target);
      if (encoded instanceof Failure || !(encoded.body instanceof Uint8Array))
        throw new Error('the request was not encoded');
      expect(parseJson(new TextDecoder().decode(encoded.body))).toEqual({ ...body, model: 'theirs' });
      const headers = new Headers({ 'content-type': recordedType });
      for (const cut of [0, 1, 11, 43, 44, 45, 63, 64, 65, 500, bytes.length]) {
        const reader = wire.openAnswer(headers, asked, target);
        if (reader instanceof Failure) throw new Error(reader.message);
        const read = Buffer.concat([
          reader.push(bytes.subarray(0, cut)),
          reader.push(bytes.subarray(cut)),
          reader.end(),
        ]);
        expect(reader.failure).toBeNull();
        expect(reader.mediaType).toBe(recordedType);
        expect(Buffer.compare(read, bytes)).toBe(0);
      }
      const format = { 'audio/wav': 'wav', 'audio/pcm': 'pcm', 'audio/mpeg': 'mp3', 'audio/flac': 'flac' } as const;
      const type = recordedType as keyof typeof format; // one of the recorded types
      const meter = audioMeter(format[type]);
      meter.push(bytes);
      const [least, most] = LENGTHS[type] ?? [null, null];
      if (least === null || most === null) expect(meter.durationMs).toBeNull();
      else {
        expect(meter.durationMs).toBeGreaterThanOrEqual(least);
        expect(meter.durationMs).toBeLessThanOrEqual(most);
      }
    });
  }
});
