import { expect, test } from 'bun:test';
import { MP3, readOver, sentOver } from '../shared/testing/speech-samples.ts';
import { deepgramSpeech } from './index.ts';

const asked = (body: object, upstreamModel = 'aura-2') => {
  const sent = sentOver(deepgramSpeech, body, { upstreamModel });
  if (typeof sent === 'string') return sent;
  expect(sent.body).toEqual({ text: 'Hello' });
  return [Object.fromEntries(new URLSearchParams(sent.suffix)), sent.losses];
};

test('the voice is a part of the model', () => {
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
  ];
  for (const [body, upstream, model, losses] of models) {
    expect(asked(body, upstream)).toEqual([{ model, encoding: 'mp3' }, losses]);
  }
});

test('each format by its encoding and container', () => {
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

test('only options that neither cost nor call elsewhere are passed on', () => {
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

test('the characters that it has charged', () => {
  const read = (count: string) =>
    readOver(deepgramSpeech, { body: {}, type: 'audio/mpeg', headers: { 'dg-char-count': count }, pieces: [MP3] });
  expect(read('5')).toMatchObject({ characters: 5, audio: MP3, usage: null });
  for (const count of ['', '-1', 'x', '5.5', '9'.repeat(20)]) expect(read(count)).toMatchObject({ characters: null });
});
