import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { MemoryFile } from '../../../domain/media/memory-file.ts';
import { parseForm } from './schema.ts';

type Fields = Readonly<Record<string, string | readonly string[]>>;

const file = new MemoryFile(Uint8Array.of(1, 2, 3), { name: 'a.wav' });

function parsed(fields: Fields, kind: 'transcription' | 'translation' = 'transcription', files = [file]) {
  const all = { model: 'm', ...fields };
  return parseForm(
    {
      fields: new Map(Object.entries(all).map(([name, value]) => [name, typeof value === 'string' ? [value] : value])),
      files: new Map(files.length === 0 ? [] : [['file', files]]),
      remove: () => undefined,
    },
    kind,
  );
}

const asked = (fields: Fields, kind?: 'transcription' | 'translation') => {
  const form = parsed(fields, kind);
  if (form instanceof Failure) throw new Error(form.message);
  return form.asked;
};

const refused = (fields: Fields, kind?: 'transcription' | 'translation') => {
  const form = parsed(fields, kind);
  return form instanceof Failure ? [form.status, form.code, form.details.param] : null;
};

test('missing and empty fields have no value', () => {
  const nothing = {
    ...{ kind: 'transcription', format: 'json', granularities: [], logprobs: false, stream: false, language: null },
    ...{ languages: [], prompt: null, keywords: [], temperature: null, speakerNames: [], speakerReferences: [] },
    ...{ chunking: null, options: {}, others: new Map() },
  } as const;
  expect<unknown>(asked({})).toEqual(nothing);
  const names = [
    'language',
    'prompt',
    'response_format',
    'temperature',
    'stream',
    'chunking_strategy',
    'provider_options',
  ];
  const empty = Object.fromEntries(
    [...names, 'keywords', 'timestamp_granularities', 'include'].map((name) => [name, ' ']),
  );
  expect<unknown>(asked(empty)).toEqual(nothing);
});

test('every member is parsed', () => {
  const reference = 'data:audio/wav;base64,UklGRg==';
  expect(
    asked({
      ...{ language: 'pt-BR', languages: ['de', 'en'], prompt: ' p ', keywords: ['k1', 'k2'], temperature: '1' },
      ...{ response_format: 'verbose_json', timestamp_granularities: ['word', 'segment', 'word'], hotwords: 'h' },
      ...{ known_speaker_names: ['a'], known_speaker_references: [reference], provider_options: '{"diarize":true}' },
      'chunking_strategy[type]': 'server_vad',
      'chunking_strategy[threshold]': '0.5',
    }),
  ).toMatchObject({
    ...{ language: 'pt-BR', languages: ['de', 'en'], prompt: 'p', keywords: ['k1', 'k2'], temperature: 1 },
    ...{ format: 'verbose_json', granularities: ['word', 'segment'], others: new Map([['hotwords', ['h']]]) },
    ...{ speakerNames: ['a'], speakerReferences: [reference], options: { diarize: true } },
    chunking: { prefixPaddingMs: null, silenceDurationMs: null, threshold: 0.5 },
  });
  expect(asked({ stream: 'True', include: 'logprobs', language: 'auto' })).toMatchObject({
    ...{ stream: true, logprobs: true, language: null },
  });
  const strategy = '{"type":"server_vad","prefix_padding_ms":300,"silence_duration_ms":null}';
  expect(asked({ chunking_strategy: strategy }).chunking).toEqual({
    ...{ prefixPaddingMs: 300, silenceDurationMs: null, threshold: null },
  });
  expect(asked({ chunking_strategy: 'auto' }).chunking).toBe('auto');
});

test('a translation needs no model, and ignores the language', () => {
  const form = parsed({ model: '' }, 'translation');
  expect(form instanceof Failure ? form : form.model).toBeNull();
  expect(asked({ language: 'no language', languages: ['?'] }, 'translation')).toMatchObject({
    ...{ language: null, languages: [] },
  });
  expect(refused({ model: '' })).toEqual([400, 'missing_required_parameter', 'model']);
});

const reference = 'data:audio/wav;base64,UklGRg==';

describe('an invalid field is named in a 400', () => {
  test.each<[Fields, string]>([
    [{ model: 'm'.repeat(257) }, 'model'],
    [{ response_format: 'xml' }, 'response_format'],
    [{ temperature: '1.01' }, 'temperature'],
    [{ temperature: '-0.1' }, 'temperature'],
    [{ temperature: 'hot' }, 'temperature'],
    [{ temperature: 'NaN' }, 'temperature'],
    [{ temperature: '0x1' }, 'temperature'],
    [{ timestamp_granularities: 'word' }, 'timestamp_granularities'],
    [{ timestamp_granularities: 'char', response_format: 'verbose_json' }, 'timestamp_granularities'],
    [{ include: 'text' }, 'include'],
    [{ include: 'logprobs', response_format: 'verbose_json' }, 'include'],
    [{ stream: 'yes' }, 'stream'],
    [{ stream: 'true', response_format: 'srt' }, 'stream'],
    [{ stream: 'true', response_format: 'vtt' }, 'stream'],
    [{ stream: 'true', response_format: 'verbose_json' }, 'stream'],
    [{ language: 'english' }, 'language'],
    [{ languages: ['en', 'e'] }, 'languages'],
    [{ languages: Array.from({ length: 101 }, () => 'en') }, 'languages'],
    [{ keywords: Array.from({ length: 1_001 }, () => 'k') }, 'keywords'],
    [{ chunking_strategy: 'manual' }, 'chunking_strategy'],
    [{ chunking_strategy: '[]' }, 'chunking_strategy'],
    [{ chunking_strategy: '{"type":"server_vad","more":1}' }, 'chunking_strategy'],
    [{ chunking_strategy: '{"type":"vad"}' }, 'chunking_strategy[type]'],
    [{ chunking_strategy: '{}' }, 'chunking_strategy[type]'],
    [{ chunking_strategy: '{"type":"server_vad","threshold":1.1}' }, 'chunking_strategy[threshold]'],
    [{ chunking_strategy: '{"type":"server_vad","threshold":{}}' }, 'chunking_strategy[threshold]'],
    [{ 'chunking_strategy[threshold]': '0.5' }, 'chunking_strategy[type]'],
    [
      { 'chunking_strategy[type]': 'server_vad', 'chunking_strategy[prefix_padding_ms]': '1.5' },
      'chunking_strategy[prefix_padding_ms]',
    ],
    [
      { 'chunking_strategy[type]': 'server_vad', 'chunking_strategy[silence_duration_ms]': '3600001' },
      'chunking_strategy[silence_duration_ms]',
    ],
    [
      { known_speaker_names: ['a', 'b', 'c', 'd', 'e'], known_speaker_references: Array(5).fill(reference) },
      'known_speaker_names',
    ],
    [{ known_speaker_names: 'a' }, 'known_speaker_references'],
    [{ known_speaker_references: reference }, 'known_speaker_references'],
    [{ known_speaker_names: 'a', known_speaker_references: 'https://a.example/b.wav' }, 'known_speaker_references'],
    [{ provider_options: '[]' }, 'provider_options'],
    [{ provider_options: '{' }, 'provider_options'],
    [{ provider_options: '{"file_id":"x"}' }, 'provider_options.file_id'],
    [{ url: 'https://a.example/long.mp3' }, 'url'],
  ])('%j', (fields, param) => {
    const [status, code, named] = refused(fields) ?? [];
    expect([status, named]).toEqual([400, param]);
    expect(['invalid_value', 'invalid_type', 'missing_required_parameter', 'unsupported_parameter']).toContain(
      String(code),
    );
  });
  test.each<Fields>([
    { temperature: '0' },
    { temperature: '1.0' },
    { temperature: '1e-1' },
    { languages: Array.from({ length: 100 }, () => 'en') },
    { keywords: Array.from({ length: 1_000 }, () => 'k') },
    { model: 'm'.repeat(256) },
    { known_speaker_names: ['a', 'b', 'c', 'd'], known_speaker_references: Array(4).fill(reference) },
    { 'chunking_strategy[type]': 'server_vad', 'chunking_strategy[silence_duration_ms]': '3600000' },
  ])('but %j is valid', (fields) => expect(refused(fields)).toBeNull());
  test('including diarized_json for a translation', () => {
    expect(refused({ response_format: 'diarized_json' }, 'translation')).toEqual([
      ...[400, 'invalid_value', 'response_format'],
    ]);
  });
});

test('a form without a recording is refused', () => {
  const without = (fields: Fields, files: MemoryFile[] = []) => {
    const form = parsed(fields, 'transcription', files);
    return form instanceof Failure ? [form.code, form.details.param] : null;
  };
  expect(without({})).toEqual(['missing_required_parameter', 'file']);
  expect(without({ file: 'a.mp3' })).toEqual(['invalid_type', 'file']);
  expect(without({ url: 'https://a.example/b.mp3' })).toEqual(['unsupported_parameter', 'url']);
  expect(without({}, [new MemoryFile(new Uint8Array(0))])).toEqual(['invalid_value', 'file']);
});
