import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import {
  eventsOf,
  MP3,
  PCM,
  readOver,
  sentOver,
  speechRequest,
  splits,
  WAV,
} from '../../shared/testing/speech-samples.ts';
import { inputTooLong } from '../shared/speech-request.ts';
import type { SpeechDialect, SpeechTarget } from '../wire.ts';
import { openaiSpeech } from './index.ts';
import { parseRequest } from './request.ts';

const utf8 = new TextEncoder();
const parse = (body: object) => parseRequest(utf8.encode(JSON.stringify({ model: 'm', input: 'a', ...body })));
const refused = (body: object) => {
  const parsed = parse(body);
  return parsed instanceof Failure ? `${parsed.code} ${parsed.details.param}` : 'taken';
};

const STRICT: SpeechDialect = {
  formats: ['wav'],
  defaultFormat: 'mp3',
  formatMembers: { wav: { sample_rate: 24_000 } },
  voices: { ...Object.fromEntries(['alloy'].map((name) => [name, 'autumn'])) } as never, // one voice is enough here
  speed: [0.5, 2],
  isStrict: true,
};
const target = (dialect: SpeechDialect): SpeechTarget => ({ upstreamModel: 'up', speech: [dialect] });

describe('the client’s request', () => {
  test('is refused just beyond each limit', () => {
    const cases: readonly (readonly [object, string])[] = [
      [{ input: '' }, 'invalid_value input'],
      [{ input: null }, 'missing_required_parameter input'],
      [{ input: 5 }, 'invalid_type input'],
      [{ model: undefined }, 'missing_required_parameter model'],
      [{ model: '' }, 'invalid_value model'],
      [{ model: 'm'.repeat(256) }, 'taken'],
      [{ model: 'm'.repeat(257) }, 'invalid_value model'],
      [{ voice: 'v'.repeat(256) }, 'taken'],
      [{ voice: 'v'.repeat(257) }, 'invalid_value voice'],
      [{ voice: '' }, 'invalid_value voice'],
      [{ voice: 3 }, 'invalid_type voice'],
      [{ voice: {} }, 'invalid_type voice.id'],
      [{ voice: { id: '' } }, 'invalid_value voice.id'],
      [{ voice: { id: 'voice_1' } }, 'taken'],
      [{ instructions: '😀'.repeat(4_096) }, 'taken'],
      [{ instructions: 'i'.repeat(4_097) }, 'invalid_value instructions'],
      [{ instructions: [] }, 'invalid_type instructions'],
      [{ response_format: 'ogg' }, 'invalid_value response_format'],
      [{ response_format: 1 }, 'invalid_type response_format'],
      [{ speed: 0.25 }, 'taken'],
      [{ speed: 4 }, 'taken'],
      [{ speed: 0.249 }, 'invalid_value speed'],
      [{ speed: 4.001 }, 'invalid_value speed'],
      [{ speed: '1' }, 'invalid_type speed'],
      [{ stream_format: 'sse' }, 'taken'],
      [{ stream_format: 'audio' }, 'taken'],
      [{ stream_format: 'binary' }, 'invalid_value stream_format'],
      [{ stream_format: true }, 'invalid_type stream_format'],
      [{ language: 'pt-BR' }, 'taken'],
      [{ language: 'english' }, 'invalid_value language'],
      [{ language: 7 }, 'invalid_type language'],
      [{ provider_options: [] }, 'invalid_type provider_options'],
      [{ provider_options: null, voice: null, speed: null, instructions: null, language: null }, 'taken'],
    ];
    for (const [body, expected] of cases)
      expect([JSON.stringify(body).slice(0, 60), refused(body)]).toEqual([JSON.stringify(body).slice(0, 60), expected]);
  });

  test('has its characters counted as code points', () => {
    expect(inputTooLong('😀'.repeat(10), 10)).toBeNull();
    expect(inputTooLong('😀'.repeat(11), 10)).toMatchObject({ code: 'invalid_value', details: { param: 'input' } });
    expect(inputTooLong('a'.repeat(11), 10)?.message).toContain('has 11 characters; the limit of this model is 10');
  });
});

describe('the upstream’s request', () => {
  test('for an unknown server has the client’s bytes except for the model', () => {
    const text = '{ "input":"Hi", "model" : "m","speed":1.0, "voice":"alloy", "extra":12345678901234567890 }';
    const parsed = parseRequest(utf8.encode(text));
    if (parsed instanceof Failure) throw new Error(parsed.message);
    const encoded = openaiSpeech.encodeRequest(parsed.request, { upstreamModel: 'up' });
    if (encoded instanceof Failure || !(encoded.body instanceof Uint8Array)) throw new Error('no body');
    expect(new TextDecoder().decode(encoded.body)).toBe(text.replace('"m"', '"up"'));
    expect(encoded.losses).toEqual([]);
  });

  test('has options as members, which cannot replace what the gateway writes', () => {
    expect(sentOver(openaiSpeech, { provider_options: { lang_code: 'a', nested: { b: 1 } } })).toMatchObject({
      body: { model: 'up', input: 'Hello', lang_code: 'a', nested: { b: 1 } },
    });
    for (const name of ['model', 'input']) {
      expect(sentOver(openaiSpeech, { provider_options: { [name]: 'x' } })).toContain(`provider_options.${name}`);
    }
  });

  test('for a server with its own dialect is mapped', () => {
    expect(
      sentOver(openaiSpeech, { voice: 'alloy', speed: 4, user: 'u', stream_format: 'sse' }, target(STRICT)),
    ).toEqual({
      body: { model: 'up', input: 'Hello', voice: 'autumn', speed: 2, response_format: 'wav', sample_rate: 24_000 },
      suffix: undefined,
      losses: ['voice approximated', 'speed approximated', 'user dropped'],
    });
    expect(sentOver(openaiSpeech, { voice: { id: 'mine' }, response_format: 'pcm' }, target(STRICT))).toMatchObject({
      body: { voice: 'mine', response_format: 'wav' },
      losses: [],
    });
    expect(sentOver(openaiSpeech, { response_format: 'mp3' }, target(STRICT))).toBe('400 response_format other-target');
  });

  test('is for events if these report tokens, whatever the client wants', () => {
    const dialect: SpeechDialect = { formats: ['mp3'], hasEvents: true, hasVoiceObjects: true };
    const voice = { id: 'voice_1' };
    expect(sentOver(openaiSpeech, { voice, stream_format: 'audio' }, target(dialect))).toMatchObject({
      body: { voice, stream_format: 'sse' },
    });
    expect(sentOver(openaiSpeech, { instructions: 'x', language: 'en' }, target(dialect))).toMatchObject({
      body: { model: 'up', input: 'Hello', stream_format: 'sse' },
      losses: ['instructions dropped', 'language dropped'],
    });
  });
});

describe('the upstream’s response', () => {
  const read = (body: object, type: string | null, pieces: readonly Uint8Array[], dialect?: SpeechDialect) =>
    readOver(openaiSpeech, { body, type, pieces, ...(dialect && { target: target(dialect) }) });

  test('passes audio unchanged, wherever it is split', () => {
    for (const pieces of splits(MP3)) {
      expect(read({}, 'audio/mpeg', pieces)).toMatchObject({ audio: MP3, mediaType: 'audio/mpeg', failure: null });
    }
  });

  test('has the media type of its bytes', () => {
    const cases: readonly (readonly [object, string | null, Uint8Array, string])[] = [
      [{}, null, MP3, 'audio/mpeg'],
      [{}, 'application/octet-stream', WAV, 'audio/wav'],
      [{}, 'audio/mpeg', WAV, 'audio/wav'],
      [{}, 'audio/x-wav', WAV, 'audio/x-wav'],
      [{ response_format: 'pcm' }, null, PCM, 'audio/pcm'],
      [{ response_format: 'pcm' }, 'audio/pcm;rate=16000', PCM, 'audio/pcm;rate=16000'],
      [{}, 'audio/basic', PCM, 'audio/basic'],
      [{}, 'audio/mpeg\r\nset-cookie: x', MP3, 'audio/mpeg'],
    ];
    for (const [body, type, bytes, expected] of cases) {
      const safe = type?.includes('\n') ? 'audio/mpeg; "x"' : type;
      expect(read(body, safe, [bytes])).toMatchObject({ audio: bytes, mediaType: expected, failure: null });
    }
  });

  test('of events becomes audio with usage, wherever they are split', () => {
    const usage = { input_tokens: 3, output_tokens: 9, total_tokens: 12 };
    const events = eventsOf(
      { type: 'speech.audio.delta', audio: MP3.subarray(0, 100).toBase64() },
      { type: 'speech.audio.news' },
      { type: 'speech.audio.delta', audio: MP3.subarray(100).toBase64() },
      { type: 'speech.audio.done', usage },
      { type: 'speech.audio.delta', audio: 'AAAA' },
    );
    for (const pieces of splits(events)) {
      expect(read({}, 'text/event-stream; charset=utf-8', pieces)).toEqual({
        ...{ audio: MP3, mediaType: 'audio/mpeg', failure: null, characters: null },
        usage: { inputTokens: 3, outputTokens: 9 },
      });
    }
  });

  test('fails if its events break off or are invalid', () => {
    const delta = { type: 'speech.audio.delta', audio: MP3.toBase64() };
    const cases: readonly (readonly [Uint8Array, string])[] = [
      [eventsOf(delta), 'truncated_stream'],
      [eventsOf(), 'truncated_stream'],
      [eventsOf('{"type":'), 'garbage'],
      [eventsOf('[]'), 'garbage'],
      [eventsOf({ type: 'speech.audio.delta', audio: '<html>' }), 'garbage'],
      [eventsOf({ type: 'speech.audio.delta', audio: 5 }), 'garbage'],
      [eventsOf({ hello: 1 }), 'garbage'],
    ];
    for (const [events, failure] of cases) expect(read({}, 'text/event-stream', [events])).toMatchObject({ failure });
    const broken = readOver(openaiSpeech, {
      body: {},
      type: 'text/event-stream',
      pieces: [eventsOf(delta, { error: { message: 'no' } })],
    });
    expect(typeof broken === 'string' ? broken : broken.failure).not.toBeNull();
  });

  test('with text is not audio, whatever its media type', () => {
    const text = utf8.encode('{"detail":"an error that is called audio and is longer than what is looked at first"}');
    expect(read({}, 'text/html', [text])).toBe('garbage');
    expect(read({}, 'image/png', [text])).toBe('garbage');
    for (const type of ['audio/mpeg', 'application/octet-stream', null, 'audio/pcm']) {
      for (const bytes of [text, utf8.encode('no')]) {
        expect(read({}, type, [bytes])).toMatchObject({ failure: 'garbage', audio: new Uint8Array(0) });
      }
    }
    for (const json of ['{}', '[]', 'x', '{"audio":""', '{"error":{"message":"m"}}']) {
      const answered = read({}, 'application/json', [utf8.encode(json)]);
      expect(typeof answered === 'string' ? answered : answered.failure).not.toBeNull();
    }
  });

  test('is converted between wav and pcm, wherever it is split', () => {
    const wavOnly: SpeechDialect = { formats: ['wav'] };
    const pcmOnly: SpeechDialect = { formats: ['pcm'] };
    for (const pieces of splits(WAV, 7)) {
      expect(read({ response_format: 'pcm' }, 'audio/wav', pieces, wavOnly)).toMatchObject({
        audio: PCM,
        mediaType: 'audio/pcm',
      });
    }
    for (const pieces of splits(PCM, 7)) {
      const answered = read({ response_format: 'wav' }, 'audio/pcm', pieces, pcmOnly);
      if (typeof answered === 'string') throw new Error(answered);
      expect([answered.mediaType, answered.audio.length]).toEqual(['audio/wav', PCM.length + 44]);
      expect(answered.audio.subarray(44)).toEqual(PCM);
    }
    expect(read({}, 'audio/wav', [WAV], wavOnly)).toMatchObject({ audio: WAV, mediaType: 'audio/wav' });
  });

  test('has floats converted to integers', () => {
    const floats = Float32Array.from([0, 0.5, -1, 2, Number.NaN]);
    const header = Buffer.from(WAV.subarray(0, 44));
    header.writeUInt16LE(3, 20);
    header.writeUInt32LE(96_000, 28);
    header.writeUInt16LE(32, 34);
    header.writeUInt32LE(20, 40);
    const file = new Uint8Array(Buffer.concat([header, Buffer.from(floats.buffer), Buffer.from('notes after it')]));
    for (const pieces of splits(file)) {
      const answered = read({ response_format: 'pcm' }, 'audio/wav', pieces, { formats: ['wav'] });
      if (typeof answered === 'string') throw new Error(answered);
      expect([...new Int16Array(answered.audio.buffer, 0, 5)]).toEqual([0, 16384, -32767, 32767, 0]);
      expect(answered.audio.length).toBe(10);
    }
  });

  test('fails if a wav file is truncated', () => {
    for (const length of [50, 100, WAV.length - 1]) {
      expect(read({}, 'audio/wav', [WAV.subarray(0, length)])).toMatchObject({ failure: 'truncated_stream' });
    }
  });

  test('fails if a requested format was ignored', () => {
    expect(read({ response_format: 'mp3' }, 'audio/wav', [WAV])).toMatchObject({ failure: 'unsupported_parameter' });
    expect(read({ response_format: 'opus' }, null, [MP3])).toMatchObject({ failure: 'unsupported_parameter' });
  });

  test('keeps the fields of the request', () => {
    expect(speechRequest({ voice: { id: 'v' }, response_format: 'aac', language: 'de' })).toMatchObject({
      ...{ voice: 'v', isCustomVoice: true, format: 'aac', language: 'de', delivery: 'audio' },
    });
  });
});
