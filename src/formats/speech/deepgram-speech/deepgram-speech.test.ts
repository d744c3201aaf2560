import { expect, test } from 'bun:test';
import { MP3, readOver, sentOver } from '../../shared/testing/speech-samples.ts';
import { deepgramSpeech } from './index.ts';

const asked = (body: object, upstreamModel = 'aura-2') => {
  const sent = sentOver(deepgramSpeech, body, { upstreamModel });
  if (typeof sent === 'string') return sent;
  expect(sent.body).toEqual({ text: 'Hello' });
  return [Object.fromEntries(new URLSearchParams(sent.suffix)), sent.losses];
};

test('the voice is part of the model', () => {
  const models: readonly (readonly [object, string, string, string[]])[] = [
    [{}, 'aura-2', 'aura-2-thalia-en', []],
    [{ voice: 'onyx' }, 'aura-2', 'aura-2-zeus-en', ['voice approximated']],
    [{ voice: 'celeste', language: 'es-MX' }, 'aura-2', 'aura-2-celeste-es', []],
    [{ voice: 'aura-2-lara-de', language: 'de' }, 'aura-2', 'aura-2-lara-de', []],
    [{ voice: 'aura-2-lara-de', language: 'en' }, 'aura-2', 'aura-2-lara-de', ['language dropped']],
    [{}, 'aura-2-lara-de', 'aura-2-lara-de', []],
    [{ voice: 'julius' }, 'aura-2-lara-de', 'aura-2-julius-de', []],
    [{}, 'aura', 'aura-asteria-en', []],
    [{ voice: 'coral' }, 'aura', 'aura-stella-en', ['voice approximated']],
    [{ voice: 'a&b=c d' }, 'aura-2', 'aura-2-a&b=c d-en', []],
    // Each voice speaks one language; any other combination is refused.
    [{ language: 'de' }, 'aura-2', 'aura-2-elara-de', []],
    [{ voice: 'onyx', language: 'deu' }, 'aura-2', 'aura-2-fabian-de', ['voice approximated']],
    [{ voice: 'alloy' }, 'aura-2-lara-de', 'aura-2-elara-de', ['voice approximated']],
    [{ voice: 'celeste' }, 'aura-2', 'aura-2-celeste-es', []],
    [{ voice: 'thalia', language: 'de' }, 'aura-2', 'aura-2-thalia-en', ['language dropped']],
    [{ voice: { id: 'new' }, language: 'pt' }, 'aura-2', 'aura-2-new-pt', []],
  ];
  for (const [body, upstream, model, losses] of models) {
    expect(asked(body, upstream)).toEqual([{ model, encoding: 'mp3' }, losses]);
  }
});

test('a language without a voice is refused, and another channel may be tried', () => {
  expect(asked({ language: 'sv' })).toBe('400 language other-target');
  expect(asked({ voice: 'nova', language: 'de' }, 'aura')).toBe('400 language other-target');
});

test('a speed is sent for languages that support it', () => {
  const spoken = (body: object, model?: string) => asked({ ...body, speed: 1.2 }, model);
  expect(spoken({ language: 'es' })).toEqual([{ model: 'aura-2-celeste-es', encoding: 'mp3', speed: '1.2' }, []]);
  expect(spoken({ language: 'fr' })).toEqual([{ model: 'aura-2-agathe-fr', encoding: 'mp3' }, ['speed dropped']]);
  expect(spoken({}, 'aura')).toEqual([{ model: 'aura-asteria-en', encoding: 'mp3' }, ['speed dropped']]);
});

test('the text is limited to 2,000 characters, whatever the model is called', () => {
  const sent = (input: string) => sentOver(deepgramSpeech, { input }, { upstreamModel: 'aura-2' });
  expect(sent('😀'.repeat(2_000))).toMatchObject({ losses: [] });
  expect(sent('😀'.repeat(2_001))).toBe('400 input other-target');
});

test('each format has its encoding and container', () => {
  const formats = {
    mp3: { encoding: 'mp3' },
    opus: { encoding: 'opus', container: 'ogg' },
    aac: { encoding: 'aac' },
    flac: { encoding: 'flac' },
    wav: { encoding: 'linear16', container: 'wav', sample_rate: '24000' },
    pcm: { encoding: 'linear16', container: 'none', sample_rate: '24000' },
  };
  for (const [format, query] of Object.entries(formats)) {
    expect(asked({ response_format: format })).toEqual([{ model: 'aura-2-thalia-en', ...query }, []]);
  }
});

test('only options without cost or callbacks are passed on', () => {
  const options = {
    tag: 'mine',
    callback: 'https://evil.example',
    mip_opt_out: true,
    bit_rate: 48_000,
    model: 'other',
  };
  expect(asked({ provider_options: options, speed: 3 })).toEqual([
    { model: 'aura-2-thalia-en', encoding: 'mp3', speed: '1.5', tag: 'mine', bit_rate: '48000' },
    ['speed approximated', ...['callback', 'mip_opt_out', 'model'].map((name) => `provider_options.${name} dropped`)],
  ]);
});

test('the charged characters are read', () => {
  const read = (count: string) =>
    readOver(deepgramSpeech, { body: {}, type: 'audio/mpeg', headers: { 'dg-char-count': count }, pieces: [MP3] });
  expect(read('5')).toMatchObject({ characters: 5, audio: MP3, usage: null });
  for (const count of ['', '-1', 'x', '5.5', '9'.repeat(20)]) expect(read(count)).toMatchObject({ characters: null });
});
