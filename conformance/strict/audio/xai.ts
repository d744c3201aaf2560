import { asObject } from '../../shared/json.ts';
import { between, fileWithName, memberOf } from '../media/rules.ts';
import type { ReceivedRequest, Rule, StrictUpstream } from '../rule.ts';

const CHECKED = '2026-11-29';
const SPEECH = { url: 'https://docs.x.ai/developers/model-capabilities/audio/text-to-speech', checked: CHECKED };
const SCHEMA = { url: 'https://docs.ahq.lat/ai/models/xai/grok-tts/schema-input.json', checked: CHECKED };
const LISTEN = { url: 'https://lidge-jun.github.io/progrok/docs/voice/stt', checked: CHECKED };

const envelope = (message: string) => ({ code: 'Client specified an invalid argument', error: message });

const LANGUAGES = 'auto en ar-EG ar-SA ar-AE bn zh fr de hi id it ja ko pt-BR pt-PT ru es-MX es-ES tr vi'
  .toLowerCase()
  .split(' ');

const language: Rule = {
  id: 'language',
  statement: '`language` is required: `auto`, or one of the listed codes.',
  source: SCHEMA,
  refuses(request) {
    const code = memberOf(request, 'language');
    if (code === undefined) return 'Missing required field: language.';
    return LANGUAGES.includes(String(code).toLowerCase()) ? null : `Unsupported language: ${String(code)}.`;
  },
  examples: {
    refused: [{ body: { language: undefined } }, { body: { language: 'sv' } }, { body: { language: 'en-GB' } }],
    accepted: [{ body: { language: 'pt-BR' } }],
  },
};

const outputOf = ({ body }: ReceivedRequest) => asObject(asObject(body).output_format);

const codec: Rule = {
  id: 'codec',
  statement: '`output_format.codec` must be `mp3`, `wav`, `pcm`, `mulaw`, `ulaw` or `alaw`.',
  source: SCHEMA,
  refuses(request) {
    const name = outputOf(request).codec;
    return name === undefined || /^(?:mp3|wav|pcm|mulaw|ulaw|alaw)$/.test(String(name))
      ? null
      : `Unknown codec: ${String(name)}.`;
  },
  examples: {
    refused: [{ body: { output_format: { codec: 'opus' } } }],
    accepted: [{ body: { output_format: { codec: 'wav' } } }],
  },
};

const rates: Rule = {
  id: 'rates',
  statement: '`output_format.sample_rate` must be one of six values, and `bit_rate` one of five, with MP3 only.',
  source: SCHEMA,
  refuses(request) {
    const { codec: name = 'mp3', sample_rate: rate = 24_000, bit_rate: bits } = outputOf(request);
    if (![8_000, 16_000, 22_050, 24_000, 44_100, 48_000].includes(Number(rate))) return 'Unsupported sample rate.';
    if (bits === undefined) return null;
    if (name !== 'mp3') return 'bit_rate is only supported for mp3.';
    return [32_000, 64_000, 96_000, 128_000, 192_000].includes(Number(bits)) ? null : 'Unsupported bit rate.';
  },
  examples: {
    refused: [
      { body: { output_format: { codec: 'wav', bit_rate: 128_000 } } },
      { body: { output_format: { sample_rate: 11_025 } } },
    ],
    accepted: [{ body: { output_format: { codec: 'mp3', sample_rate: 24_000, bit_rate: 128_000 } } }],
  },
};

const text: Rule = {
  id: 'text-length',
  statement: '`text` must have at least 1 and at most 15,000 characters.',
  source: SPEECH,
  refuses(request) {
    const spoken = memberOf(request, 'text');
    if (typeof spoken !== 'string' || spoken === '') return 'Missing required field: text.';
    return [...spoken].length <= 15_000 ? null : 'Text exceeds the maximum of 15000 characters.';
  },
  examples: {
    refused: [{ body: { text: '' } }, { body: { text: 'x'.repeat(15_001) } }],
    accepted: [{ body: { text: 'x'.repeat(15_000) } }],
  },
};

const MEMBERS = 'text voice_id language output_format speed optimize_streaming_latency text_normalization';

export const xaiSpeech: StrictUpstream = {
  name: 'xai-speech',
  label: 'xAI, speech',
  provider: 'xai',
  wire: 'xai-speech',
  models: ['grok-voice-tts-1.0'],
  rules: [
    ...[text, language, codec, rates],
    between({
      ...{ member: 'speed', least: 0.7, most: 1.5 },
      source: { url: 'https://lidge-jun.github.io/progrok/docs/voice/tts', checked: CHECKED },
    }),
    {
      id: 'members',
      statement: 'Fields that the page does not list are refused.',
      source: SCHEMA,
      refuses({ body }) {
        const unknown = Object.keys(asObject(body)).find((name) => !MEMBERS.split(' ').includes(name));
        return unknown === undefined ? null : `Unknown field: ${unknown}.`;
      },
      examples: { refused: [{ body: { model: 'grok-voice-tts-1.0' } }, { body: { instructions: 'Whisper.' } }] },
    },
  ],
  envelope,
};

const keyterms: Rule = {
  id: 'keyterm',
  statement: '`keyterm` must occur at most 100 times, each with at most 50 characters.',
  source: LISTEN,
  refuses({ form }) {
    const terms = (form?.getAll('keyterm') ?? []).map(String);
    return terms.length <= 100 && terms.every((term) => term.length <= 50) ? null : 'Too many or too long key terms.';
  },
  examples: { refused: [{ form: { keyterm: 'x'.repeat(51) } }] },
};

const fileLast: Rule = {
  id: 'file-last',
  statement: '`file` must be the last part.',
  source: LISTEN,
  refuses: ({ form }) =>
    [...(form?.keys() ?? [])].at(-1) === 'file' ? null : 'The file field must be the last field of the form.',
  examples: { refused: [{ form: { language: 'de' } }], accepted: [{ form: {} }] },
};

export const xaiTranscriptions: StrictUpstream = {
  name: 'xai-transcriptions',
  label: 'xAI, transcriptions',
  provider: 'xai',
  wire: 'xai-transcriptions',
  models: ['grok-voice-transcribe-2.0'],
  rules: [
    fileWithName({
      ...{ member: 'file', extensions: ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm'] },
      source: LISTEN,
    }),
    keyterms,
    fileLast,
  ],
  envelope,
};
