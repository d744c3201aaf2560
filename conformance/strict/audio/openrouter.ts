import { asArray, asObject } from '../../shared/json.ts';
import { memberOf, oneOf } from '../media/rules.ts';
import type { Rule, StrictUpstream } from '../rule.ts';

const CHECKED = '2026-11-29';
const DOCUMENT = { url: 'specs/openrouter.openapi.yaml', checked: CHECKED };

const envelope = (message: string) => ({ error: { code: 400, message } });

const language: Rule = {
  id: 'language',
  statement: '`language` must be an ISO 639-1 code.',
  source: DOCUMENT,
  refuses(request) {
    const code = memberOf(request, 'language');
    return code === undefined || /^(?:[a-z]{2}|yue|haw)$/.test(String(code))
      ? null
      : `Invalid language: ${String(code)}`;
  },
  examples: {
    refused: [{ body: { language: 'pt-BR' } }, { body: { language: 'deu' } }],
    accepted: [{ body: { language: 'pt' } }],
  },
};

const recording: Rule = {
  id: 'input-audio',
  statement: '`input_audio` must have `data` in base64 (not a data URI) and a `format`.',
  source: DOCUMENT,
  refuses({ body }) {
    const { data, format } = asObject(asObject(body).input_audio);
    if (typeof data !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return 'input_audio.data: Invalid base64';
    return typeof format === 'string' && /^(?:wav|mp3|flac|m4a|mp4|mpeg|ogg|webm|aac)$/.test(format)
      ? null
      : `input_audio.format: Unsupported audio format ${String(format)}`;
  },
  examples: {
    refused: [
      { body: { input_audio: { data: 'data:audio/wav;base64,UklGRg==', format: 'wav' } } },
      { body: { input_audio: { data: 'UklGRg==', format: 'audio/wav' } } },
    ],
    accepted: [{ body: { input_audio: { data: 'UklGRg==', format: 'm4a' } } }],
  },
};

const granularities: Rule = {
  id: 'granularities',
  statement: '`timestamp_granularities` must be a list of `word` and `segment`.',
  source: DOCUMENT,
  refuses({ body }) {
    const { timestamp_granularities: wanted } = asObject(body);
    if (wanted === undefined) return null;
    const isTaken = Array.isArray(wanted) && asArray(wanted).every((one) => one === 'word' || one === 'segment');
    return isTaken ? null : 'timestamp_granularities: Invalid option: expected one of "word"|"segment"';
  },
  examples: {
    refused: [{ body: { timestamp_granularities: 'word' } }, { body: { timestamp_granularities: ['character'] } }],
    accepted: [{ body: { timestamp_granularities: ['word'], response_format: 'verbose_json' } }],
  },
};

export const openrouterTranscriptions: StrictUpstream = {
  name: 'openrouter-transcriptions',
  label: 'OpenRouter, transcriptions',
  provider: 'openrouter',
  wire: 'openrouter-transcriptions',
  models: ['openai/whisper-1', 'openai/whisper-large-v3'],
  rules: [
    recording,
    language,
    granularities,
    oneOf({ member: 'response_format', values: ['json', 'verbose_json'], source: DOCUMENT }),
  ],
  envelope,
};
