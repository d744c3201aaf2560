import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { clientKey } from './first-light/upstream.ts';
import { asObject } from './shared/json.ts';
import { tone } from './transcripts/bed.ts';
import { PROVIDED, provided, TranscriptProviders, testTranscripts } from './transcripts/providers.ts';

/* Transcripts over every provider: two SDKs that read a response in its format, and the provider's own options. */

setDefaultTimeout(600_000);

let bed: TranscriptProviders;
beforeAll(async () => {
  bed = await TranscriptProviders.start();
});
afterAll(() => bed?.stop());

/** The providers whose requests differ from OpenAI's, with an option that costs nothing; `null` if there is none. */
const OPTIONS: Readonly<Record<string, readonly [string, unknown] | null>> = {
  mistral: null,
  deepgram: ['numerals', true],
  elevenlabs: ['tag_audio_events', false],
  xai: ['format', true],
  cohere: null,
  google: ['safetySettings', []],
  fal: ['num_speakers', 2],
};

/** Options that cost extra at Deepgram and ElevenLabs. */
const DEAR = ['diarize_model', 'redact', 'summarize', 'topics', 'multichannel', 'mip_opt_out', 'entity_detection'];

describe.each(Object.entries(OPTIONS))('options of %s', (provider, known) => {
  const { language } = provided(provider);
  const asked = async (model: string, options: object) => {
    const form = new FormData();
    form.set('file', await tone('mp3'));
    form.set('model', model);
    if (language !== undefined) form.set('language', language);
    form.set('provider_options', JSON.stringify(options));
    const headers = { authorization: `Bearer ${clientKey('acme')}` };
    const url = `${bed.serving.baseUrl}/audio/transcriptions`;
    const response = await fetch(url, { method: 'POST', headers, body: form });
    const { error } = asObject(await response.json());
    return [response.status, ...(error === undefined ? [] : [asObject(error).code, asObject(error).param])];
  };

  test('are refused on a shared channel', async () => {
    const before = bed.questions;
    for (const name of ['an_option', ...DEAR]) {
      expect(await asked(`by-${provider}`, { [name]: 'x' })).toEqual([
        ...[400, 'unsupported_parameter', `provider_options.${name}`],
      ]);
    }
    expect(bed.questions).toBe(before);
  });

  test('are sent over a private channel, and harmless ones over every channel', async () => {
    // The option is invented, and some providers refuse unknown ones.
    const playing = bed.playAnything(provider);
    const sent = () => {
      const { query, parts, json } = bed.sentTo(playing);
      return [...query.keys(), ...parts.map(([name]) => name), ...Object.keys(json)];
    };
    expect(await asked(`own-${provider}`, { an_option: 'x' })).toEqual([200]);
    expect(sent()).toContain('an_option');
    if (known === null) return;
    bed.play(provider);
    const [name, value] = known;
    expect(await asked(`by-${provider}`, { [name]: value })).toEqual([200]);
    expect(sent()).toContain(name);
  });
});

testTranscripts(
  () => bed,
  Object.entries(PROVIDED).map(([provider, { answer }]) => [provider, JSON.stringify(answer)]),
);

test('Deepgram gets its key in its own header format', async () => {
  const playing = bed.play('deepgram');
  await bed.client().audio.transcriptions.create({ file: await tone('mp3'), model: 'by-deepgram' });
  expect(bed.sentTo(playing).headers.get('authorization')).toBe('Token upstream-key');
});
