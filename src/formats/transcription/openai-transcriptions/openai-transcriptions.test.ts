import { describe, expect, test } from 'bun:test';
import { EMPTY_TRANSCRIPT, type TranscriptionRequest } from '../../../domain/audio/transcription.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { MemoryFile } from '../../../domain/media/memory-file.ts';
import { isRecord } from '../../shared/json/record.ts';
import {
  decodedOver,
  formOver,
  refusalOver,
  SAMPLE_FILE,
  streamedOver,
  transcriptionOf,
} from '../../shared/testing/transcription-samples.ts';
import { openaiTranscriptions, openaiTranslations } from './index.ts';
import { encodeAnswer } from './response.ts';
import { EventWriter, eventsOfWhole } from './stream.ts';

const wire = openaiTranscriptions;
const whisper = { upstreamModel: 'whisper-1' };
const routing = { json: '{"r":1}' };
const written = (transcript: object, request: Partial<TranscriptionRequest>) =>
  encodeAnswer({ ...EMPTY_TRANSCRIPT, ...transcript }, transcriptionOf(request), routing);
const json = (transcript: object, request: Partial<TranscriptionRequest>): unknown =>
  JSON.parse(written(transcript, request).body);

describe('a request', () => {
  test("has the client's fields, and the file last", async () => {
    const request = transcriptionOf({
      ...{ language: 'de', languages: ['de', 'en'], prompt: 'p', keywords: ['a b'], temperature: 0, logprobs: true },
      ...{ stream: true, chunking: { prefixPaddingMs: 300, silenceDurationMs: null, threshold: 0.5 } },
      ...{ speakerNames: ['x'], speakerReferences: ['data:audio/wav;base64,AA=='], options: { seed: 1, tags: ['t'] } },
      others: new Map([['hotwords', ['h']]]),
    });
    expect(await formOver(wire, request)).toEqual({
      parts: [
        ...[
          ['model', 'theirs'],
          ['language', 'de'],
          ['languages[]', 'de'],
          ['languages[]', 'en'],
          ['prompt', 'p'],
        ],
        ...[
          ['keywords[]', 'a b'],
          ['response_format', 'json'],
          ['temperature', '0'],
          ['include[]', 'logprobs'],
        ],
        ...[
          ['stream', 'true'],
          ['chunking_strategy[type]', 'server_vad'],
        ],
        ...[
          ['chunking_strategy[prefix_padding_ms]', '300'],
          ['chunking_strategy[threshold]', '0.5'],
        ],
        ...[
          ['known_speaker_names[]', 'x'],
          ['known_speaker_references[]', 'data:audio/wav;base64,AA=='],
        ],
        ...[['seed', '1'], ['tags', 't'], ['hotwords', 'h'], SAMPLE_FILE],
      ] as [string, unknown][],
      lost: [],
    });
  });

  test.each([
    ['whisper-1', 'json', 'json'],
    ['whisper-1', 'text', 'json'],
    ['whisper-1', 'srt', 'verbose_json'],
    ['whisper-1', 'vtt', 'verbose_json'],
    ['whisper-1', 'verbose_json', 'verbose_json'],
    ['gpt-4o-transcribe', 'srt', 'json'],
    ['openai/gpt-4o-mini-transcribe-2025-12-15', 'verbose_json', 'json'],
    ['gpt-transcribe', 'vtt', 'json'],
    ['gpt-4o-transcribe-diarize', 'srt', 'diarized_json'],
    ['gpt-4o-transcribe-diarize', 'diarized_json', 'diarized_json'],
    ['their-own', 'vtt', 'verbose_json'],
    ['their-own', 'diarized_json', 'diarized_json'],
  ] as const)('for %s with %s uses %s', async (upstreamModel, format, asked) => {
    const { parts } = await formOver(wire, transcriptionOf({ format }), { upstreamModel });
    expect(parts).toContainEqual(['response_format', asked]);
  });

  test('drops what a model lacks, and refuses what changes the response', async () => {
    const hints = { keywords: ['k'], languages: ['de'], prompt: 'p', chunking: 'auto' } as const;
    const lost = async (upstreamModel: string) =>
      (await formOver(wire, transcriptionOf(hints), { upstreamModel })).lost;
    expect(await lost('whisper-1')).toEqual(['languages', 'keywords', 'chunking_strategy']);
    expect(await lost('gpt-4o-transcribe')).toEqual(['languages', 'keywords']);
    expect(await lost('gpt-4o-transcribe-diarize')).toEqual(['languages', 'prompt', 'keywords']);
    expect(await lost('gpt-transcribe')).toEqual([]);
    const words = { format: 'verbose_json', granularities: ['word'] } as const;
    const refusal = { status: 400, retry: 'other-target', kind: 'loss_refused' } as const;
    expect(refusalOver(wire, words, { upstreamModel: 'gpt-4o-transcribe' })).toEqual({
      ...{ ...refusal, param: 'timestamp_granularities' },
    });
    expect(refusalOver(wire, { format: 'diarized_json' }, whisper)).toEqual({ ...refusal, param: 'response_format' });
    expect(refusalOver(wire, { logprobs: true }, whisper)).toEqual({ ...refusal, param: 'include' });
    expect(refusalOver(wire, words, whisper)).toBeNull();
  });

  test('has members renamed or dropped as the provider requires', async () => {
    const members = { timestamp_granularities: null, language: 'lang', hotwords: null, prompt: null };
    const request = transcriptionOf({
      format: 'srt',
      language: 'de',
      prompt: 'p',
      others: new Map([['hotwords', ['h']]]),
    });
    const { parts, lost } = await formOver(wire, request, { upstreamModel: 'm', members });
    expect(parts).toEqual([['model', 'm'], ['lang', 'de'], ['response_format', 'json'], SAMPLE_FILE]);
    expect(lost).toEqual(['prompt', 'response_format']);
  });

  test('has no option that replaces what the gateway writes', () => {
    for (const name of ['model', 'response_format', 'stream', 'temperature']) {
      expect(refusalOver(wire, { options: { [name]: 'x' } })).toMatchObject({
        status: 400,
        param: `provider_options.${name}`,
      });
    }
  });

  test('has a file extension that matches the content', async () => {
    const nameOf = async (name: string, mediaType: string) => {
      const file = new MemoryFile(Uint8Array.of(1), { name });
      const { parts } = await formOver(wire, transcriptionOf({ file, mediaType }));
      const [, sent] = parts.at(-1) ?? [];
      return isRecord(sent) ? sent.name : null;
    };
    expect(await nameOf('talk', 'audio/mpeg')).toBe('talk.mp3');
    expect(await nameOf('talk.mpga', 'audio/mpeg')).toBe('talk.mpga');
    expect(await nameOf('talk.wav', 'audio/mp4')).toBe('talk.wav.m4a');
    expect(await nameOf('talk.MP4', 'video/mp4')).toBe('talk.MP4');
  });

  test('for a translation has neither a language nor a stream', async () => {
    const request = transcriptionOf({ kind: 'translation', language: 'de', stream: true, format: 'srt' });
    const { parts } = await formOver(openaiTranslations, request, whisper);
    expect(parts).toEqual([['model', 'whisper-1'], ['response_format', 'verbose_json'], SAMPLE_FILE]);
  });
});

describe('restrictions of providers', () => {
  const partsTo = async (upstreamModel: string, more: Partial<TranscriptionRequest>, target: object = {}) => {
    const { parts, lost } = await formOver(wire, transcriptionOf(more), { upstreamModel, ...target });
    return { ...Object.fromEntries(parts), lost };
  };

  test.each([
    ['whisper-1', 'pt-BR', 'pt', []],
    ['gpt-4o-transcribe', 'en_US', 'en', []],
    ['whisper-large-v3', 'deu', 'de', []],
    // Whisper does not have the language and detects one instead.
    ['whisper-large-v3', 'gsw', undefined, ['language']],
    // The languages of a server with other models are unknown.
    ['parakeet', 'pt-BR', 'pt-BR', []],
  ] as const)('%s gets the language %p as %p', async (model, language, sent, lost) => {
    const parts = await partsTo(model, { language });
    expect(parts).toMatchObject({ lost: [...lost] });
    expect(Reflect.get(parts, 'language')).toBe(sent);
  });

  test('possible languages are normalized, each once', async () => {
    const request = transcriptionOf({ languages: ['pt-BR', 'pt', 'de-AT'] });
    const { parts } = await formOver(wire, request, { upstreamModel: 'gpt-transcribe' });
    expect(parts.filter(([name]) => name === 'languages[]').map(([, code]) => code)).toEqual(['pt', 'de']);
  });

  test('a diarizing model gets a chunking strategy', async () => {
    const model = 'gpt-4o-transcribe-diarize';
    expect(await partsTo(model, { format: 'diarized_json' })).toMatchObject({ chunking_strategy: 'auto', lost: [] });
    const chunking = { prefixPaddingMs: null, silenceDurationMs: 500, threshold: null };
    const own = await partsTo(model, { chunking });
    expect(own).toMatchObject({ 'chunking_strategy[silence_duration_ms]': '500' });
    expect(own).not.toHaveProperty('chunking_strategy');
    expect(await partsTo('whisper-1', {})).not.toHaveProperty('chunking_strategy');
  });

  test('a translation has no word timestamps', async () => {
    const verbose = { kind: 'translation', format: 'verbose_json' } as const;
    const words = { ...verbose, granularities: ['word'] } as const;
    expect(refusalOver(openaiTranslations, words, whisper)?.param).toBe('timestamp_granularities');
    const request = transcriptionOf({ ...verbose, granularities: ['segment'] });
    const { parts } = await formOver(openaiTranslations, request, whisper);
    expect(parts.map(([name]) => name)).toEqual(['model', 'response_format', 'file']);
  });

  test('a prompt over the limit is cut, and unknown parts are dropped', async () => {
    const transcription = { longestPrompt: 10, isStrict: true } as const;
    const more = { prompt: `dropped ${'😀'.repeat(10)}`, others: new Map([['user', ['u']]]) };
    const sent = await partsTo('whisper-1', more, { transcription });
    expect(sent).toMatchObject({ prompt: '😀'.repeat(10), lost: ['user', 'prompt'] });
    expect(sent).not.toHaveProperty('user');
    expect(await partsTo('whisper-1', { prompt: '😀'.repeat(10) }, { transcription })).toMatchObject({ lost: [] });
  });
});

describe('a response', () => {
  test('has audio tokens unless the upstream reports them as text', () => {
    const tokens = (usage: unknown) => {
      const transcript = decodedOver(wire, { text: 'a', usage });
      return transcript instanceof Failure ? transcript : transcript.tokens;
    };
    const details = { text_tokens: 5, audio_tokens: 21 };
    expect(tokens({ type: 'tokens', input_tokens: 26, input_token_details: details, output_tokens: 4 })).toEqual({
      ...{ textInput: 5, audioInput: 21, output: 4 },
    });
    expect(tokens({ input_tokens: 26, output_tokens: 4 })).toEqual({ textInput: 0, audioInput: 26, output: 4 });
    expect(tokens({ input_tokens: 3, input_token_details: { text_tokens: 9 } })).toEqual({
      ...{ textInput: 3, audioInput: 0, output: 0 },
    });
    for (const none of [undefined, null, 7, {}, { input_tokens: -1 }, { input_tokens: 'many' }])
      expect(tokens(none)).toBeNull();
  });

  test("is built in OpenAI's shape from another upstream's", () => {
    const segment = { start: 0, end: 1.5, text: 'Hi.', speaker: 'A', details: { avg_logprob: -1 } };
    const transcript = { text: 'Hi.', language: 'eng', segments: [segment], duration: 2 };
    const words = [{ start: 0, end: 1, word: 'Hi', speaker: null }];
    const usual = { seek: 0, tokens: [], temperature: 0, compression_ratio: 0, no_speech_prob: 0 };
    const verbose = { task: 'transcribe', language: 'english', duration: 2, text: 'Hi.' };
    const usage = { usage: { type: 'duration', seconds: 2 }, _routing: { r: 1 } };
    expect(json(transcript, { format: 'verbose_json' })).toEqual({
      ...verbose,
      segments: [{ id: 0, start: 0, end: 1.5, text: 'Hi.', ...usual, avg_logprob: -1 }],
      ...usage,
    });
    const both = { ...transcript, words };
    expect(json(both, { format: 'verbose_json', granularities: ['word'], kind: 'translation' })).toEqual({
      ...{ ...verbose, task: 'translate', words: [{ word: 'Hi', start: 0, end: 1 }], ...usage },
    });
    expect(json(both, { format: 'diarized_json' })).toEqual({
      ...{ task: 'transcribe', duration: 2, text: 'Hi.', ...usage },
      segments: [{ type: 'transcript.text.segment', id: 'seg_0', start: 0, end: 1.5, text: 'Hi.', speaker: 'A' }],
    });
    expect(json(both, { format: 'json' })).toEqual({ text: 'Hi.', ...usage });
    expect(json({ text: '' }, { format: 'verbose_json', durationMs: 2_500 })).toEqual({
      ...{ task: 'transcribe', language: '', duration: 2.5, text: '', segments: [], _routing: { r: 1 } },
    });
    expect(written(transcript, { format: 'text' }).body).toBe('Hi.\n');
    expect(written(transcript, { format: 'vtt' })).toEqual({
      body: 'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHi.\n\n',
      contentType: 'text/vtt; charset=utf-8',
    });
  });

  test('with the text only has all members of the format', () => {
    const own = { text: 'Hi.', language: null };
    const transcript = { text: 'Hi.', own };
    const verbose = { task: 'transcribe', language: 'german', duration: 2.5, text: 'Hi.', _routing: { r: 1 } };
    const asked = { format: 'verbose_json', language: 'de', durationMs: 2_500 } as const;
    expect(json(transcript, asked)).toMatchObject({
      ...verbose,
      segments: [{ id: 0, start: 0, end: 2.5, text: 'Hi.' }],
    });
    const words = [{ start: 0, end: 1, word: 'Hi', speaker: null }];
    expect(json({ ...transcript, words }, { ...asked, granularities: ['word'] })).toEqual({
      ...{ ...verbose, words: [{ word: 'Hi', start: 0, end: 1 }] },
    });
    expect(json(transcript, { format: 'diarized_json', durationMs: 2_500 })).toMatchObject({
      ...{ task: 'transcribe', duration: 2.5, segments: [{ id: 'seg_0', text: 'Hi.' }] },
    });
    expect(json(transcript, { format: 'json' })).toEqual({ text: 'Hi.', language: null, _routing: { r: 1 } });
  });

  test('ignores `_routing` and `__proto__` of the upstream', () => {
    const transcript = decodedOver(wire, '{"text":"a","_routing":{"channel":"x"},"__proto__":{"a":1}}');
    if (transcript instanceof Failure) throw new Error(transcript.message);
    expect(written(transcript, {}).body).toBe('{"text":"a","__proto__":{"a":1},"_routing":{"r":1}}');
  });

  test.each([
    '',
    'no JSON',
    '[]',
    '{}',
    'null',
    '{"text":1}',
    '{"text":null}',
    '{"text":"a","segments":{}}',
    '{"text":"a","segments":[1]}',
    '{"text":"a","segments":[{"start":0,"end":1}]}',
    '{"text":"a","segments":[{"start":"x","end":1,"text":"a"}]}',
    '{"text":"a","segments":[{"start":-1,"end":1,"text":"a"}]}',
    '{"text":"a","segments":[{"start":0,"end":1e300,"text":"a"}]}',
    '{"text":"a","words":[{"start":0,"end":1,"word":1}]}',
    '{"text":"a","words":"b"}',
    '{"error":{"message":"broken"}}',
    '{"error":"broken"}',
  ])('%p is not a transcript', (body) => expect(decodedOver(wire, body)).toBeInstanceOf(Failure));
});

const event = (members: object) => `data: ${JSON.stringify(members)}\n\n`;
const delta = (text: string) => event({ type: 'transcript.text.delta', delta: text, logprobs: [] });
const DONE = event({
  type: 'transcript.text.done',
  text: 'Hi.',
  usage: { type: 'tokens', input_tokens: 3, output_tokens: 2 },
});

describe('a stream', () => {
  const whole = `${delta('Hi')}: ping\n\n${delta('.')}${event({ type: 'transcript.new', a: 1 })}${DONE}data: [DONE]\n\n`;

  test.each([1, 2, 3, 7, 1_000])('in pieces of %p bytes loses nothing', (pieceBytes) => {
    const { events, failure } = streamedOver(wire, whole, {}, pieceBytes);
    expect(failure).toBeNull();
    const writer = new EventWriter(routing);
    expect(events.map((one) => writer.write(one)).join('')).toBe(
      `${delta('Hi')}${delta('.')}${event({ type: 'transcript.new', a: 1 })}${DONE.replace('}}\n\n', '},"_routing":{"r":1}}\n\n')}`,
    );
    expect(events.at(-1)).toMatchObject({ type: 'done', transcript: { tokens: { audioInput: 3, output: 2 } } });
  });

  test('has segments of speakers', () => {
    const segment = { type: 'transcript.text.segment', id: 's', start: 0, end: 1, text: 'Hi.', speaker: 'A' };
    const { events } = streamedOver(wire, `${event(segment)}${DONE}`);
    expect(events[0]).toMatchObject({ type: 'segment', segment: { speaker: 'A', text: 'Hi.' }, own: segment });
  });

  test('may consist of chunks, as from vLLM', () => {
    const chunk = (content: string, more: object = {}) =>
      event({ object: 'transcription.chunk', choices: [{ delta: { content } }], ...more });
    const usage = event({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } });
    const { events, failure } = streamedOver(wire, `${chunk('')}${chunk('Hi')}${chunk('.')}${usage}data: [DONE]\n\n`);
    expect(failure).toBeNull();
    expect(events).toMatchObject([
      ...[
        { type: 'delta', text: 'Hi' },
        { type: 'delta', text: '.' },
      ],
      { type: 'done', transcript: { text: 'Hi.', tokens: { audioInput: 9, output: 2 } } },
    ]);
  });

  test.each([
    ['', 'truncated_stream'],
    [delta('Hi'), 'truncated_stream'],
    [`${delta('Hi')}data: [DONE]\n\n`, 'truncated_stream'],
    [`${delta('Hi')}data: {\n\n`, 'garbage'],
    [event({ type: 'transcript.text.delta' }), 'garbage'],
    [event({ type: 'transcript.text.done' }), 'garbage'],
    [event({ type: 'transcript.text.segment', start: 0 }), 'garbage'],
    [`event: error\n${event({ error: { message: 'broken', code: 'server_error' } })}`, 'error_in_200'],
    [event({ type: 'error', error: { message: 'broken' } }), 'error_in_200'],
    [event({ type: 'error', message: 'broken' }), 'error_in_200'],
    [event({ error: { message: 'slow down', code: 'rate_limit_exceeded' } }), 'rate_limit_exceeded'],
  ])('%p is a failure', (text, kind) => {
    const { events, failure } = streamedOver(wire, text);
    expect(failure?.kind).toBe(kind);
    expect(events.some(({ type }) => type === 'done')).toBe(false);
  });

  test('is made from a whole response', () => {
    const write = (transcript: object, request: Partial<TranscriptionRequest> = {}) => {
      const writer = new EventWriter(routing);
      const events = eventsOfWhole({ ...EMPTY_TRANSCRIPT, ...transcript }, transcriptionOf(request));
      return events.map((one) => writer.write(one)).join('');
    };
    const usage = { usage: { type: 'duration', seconds: 6 } };
    const ending = { type: 'transcript.text.done', text: 'Hi.', ...usage, _routing: { r: 1 } };
    expect(write({ text: 'Hi.', billedSeconds: 6 })).toBe(
      event({ type: 'transcript.text.delta', delta: 'Hi.' }) + event(ending),
    );
    expect(write({ text: '' })).toBe(event({ type: 'transcript.text.done', text: '', _routing: { r: 1 } }));
    const segments = [{ start: 0, end: 1, text: 'Hi.', speaker: 'A', details: {} }];
    expect(write({ text: 'Hi.', segments }, { format: 'diarized_json' })).toContain('"speaker":"A"');
  });
});

describe('a response in the client’s format', () => {
  const SRT =
    '1\n00:00:00,000 --> 00:00:04,800\nThe sun was setting slowly.\n\n2\n00:00:04,800 --> 00:00:05,000\nYes.\n';
  const answered = (body: string, format: TranscriptionRequest['format'], type = 'text/plain; charset=utf-8') => {
    const answer = { bytes: new TextEncoder().encode(body), headers: new Headers({ 'content-type': type }) };
    const request = transcriptionOf({ format });
    const transcript = wire.decodeAnswer(answer, request, whisper);
    return transcript instanceof Failure ? transcript.kind : encodeAnswer(transcript, request, routing).body;
  };

  test('is passed on', () => {
    expect(answered(SRT, 'srt')).toBe(SRT);
    expect(answered(`WEBVTT\n\n${SRT}`, 'vtt', 'text/vtt')).toBe(`WEBVTT\n\n${SRT}`);
    expect(answered(' Hello.\n', 'text')).toBe(' Hello.\n');
  });

  test('is invalid in another format, and so is a web page or an invalid list of cues', () => {
    expect(answered(SRT, 'json')).toBe('garbage');
    expect(answered('<html>Sign in</html>', 'text')).toBe('garbage');
    expect(answered('Sign in', 'text', 'text/html')).toBe('garbage');
    expect(answered('Sign in', 'srt')).toBe('garbage');
  });

  test('that is JSON under a wrong type is read', () => {
    expect(answered('{"text":"Hello."}', 'text')).toBe('Hello.\n');
  });
});
