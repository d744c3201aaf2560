import { asObject } from '../../shared/json.ts';
import { between, fileWithName, memberOf, oneOf, textWithin } from '../media/rules.ts';
import type { Rule, StrictUpstream } from '../rule.ts';
import { openaiEnvelope } from '../shared/openai-envelope.ts';
import { EXTENSIONS, granularities, knownParts, languageCodes, SOUND } from './openai-form.ts';

const CHECKED = '2026-11-29';
const DOCUMENT = { url: 'specs/groq.openapi.yaml', checked: CHECKED };

const PARTS =
  'file url model language prompt response_format temperature timestamp_granularities timestamp_granularities[]'.split(
    ' ',
  );
const TRANSLATION_PARTS = 'file url model prompt response_format temperature'.split(' ');

const CODES =
  'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br ' +
  'eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jv su yue';

const prompt: Rule = {
  id: 'prompt-length',
  statement: '`prompt` must have at most 896 characters.',
  source: { url: 'https://github.com/OpenWhispr/openwhispr/issues/405', checked: CHECKED },
  refuses(request) {
    const length = [...String(memberOf(request, 'prompt') ?? '')].length;
    return length <= 896
      ? null
      : `prompt length must be 896 characters or fewer, but provided prompt contains ${length} characters`;
  },
  examples: {
    refused: [{ form: { prompt: 'x'.repeat(897) } }],
    accepted: [{ form: { prompt: 'x'.repeat(896) } }],
  },
};

const common: readonly Rule[] = [
  fileWithName({ member: 'file', extensions: EXTENSIONS, source: DOCUMENT }),
  oneOf({ member: 'response_format', values: ['json', 'text', 'verbose_json'], isForm: true, source: DOCUMENT }),
  between({ member: 'temperature', least: 0, most: 1, isForm: true, source: DOCUMENT }),
  prompt,
];

export const groqTranscriptions: StrictUpstream = {
  name: 'groq-transcriptions',
  label: 'Groq, transcriptions',
  provider: 'groq',
  wire: 'openai-transcriptions',
  models: ['whisper-large-v3', 'whisper-large-v3-turbo'],
  basic: { form: { file: SOUND } },
  rules: [
    ...common,
    granularities(DOCUMENT),
    languageCodes(
      { url: 'https://github.com/THU-MAIC/OpenMAIC/issues/1082', checked: CHECKED },
      new RegExp(`^(?:${CODES.replaceAll(' ', '|')})$`),
    ),
    knownParts(PARTS, DOCUMENT, [{ form: { stream: 'true' } }, { form: { chunking_strategy: 'auto' } }]),
  ],
  envelope: openaiEnvelope,
};

export const groqTranslations: StrictUpstream = {
  ...groqTranscriptions,
  name: 'groq-translations',
  label: 'Groq, translations',
  wire: 'openai-translations',
  models: ['whisper-large-v3'],
  rules: [...common, knownParts(TRANSLATION_PARTS, DOCUMENT, [{ form: { language: 'de' } }])],
};

const ENGLISH = { label: 'Orpheus in English', models: /orpheus-v1-english/ };
const ARABIC = { label: 'Orpheus in Arabic', models: /orpheus-arabic/ };
const PAGE = { url: 'https://console.groq.com/docs/text-to-speech/orpheus', checked: CHECKED };
const ORPHEUS = { label: 'Orpheus', models: /orpheus/ };

const SPEECH_MEMBERS = 'model input voice response_format sample_rate speed'.split(' ');

export const groqSpeech: StrictUpstream = {
  name: 'groq-speech',
  label: 'Groq, speech',
  provider: 'groq',
  wire: 'openai-speech',
  models: ['canopylabs/orpheus-v1-english', 'canopylabs/orpheus-arabic-saudi'],
  // Each model has its own voices.
  basic: { body: { voice: undefined } },
  rules: [
    textWithin({ member: 'input', most: 200, family: ORPHEUS, source: PAGE }),
    oneOf({ member: 'response_format', values: ['wav'], family: ORPHEUS, source: PAGE }),
    oneOf({
      ...{
        member: 'voice',
        values: 'autumn diana hannah austin daniel troy'.split(' '),
        family: ENGLISH,
        source: PAGE,
      },
      id: 'voice-english',
    }),
    oneOf({
      ...{
        member: 'voice',
        values: 'fahad sultan abdullah lulwa noura aisha'.split(' '),
        family: ARABIC,
        source: PAGE,
      },
      id: 'voice-arabic',
    }),
    between({ member: 'speed', least: 0.5, most: 5, source: DOCUMENT }),
    {
      id: 'unknown-members',
      statement: 'Fields that the published document does not list are refused.',
      source: DOCUMENT,
      refuses({ body }) {
        const unknown = Object.keys(asObject(body)).find((name) => !SPEECH_MEMBERS.includes(name));
        return unknown === undefined ? null : `property '${unknown}' is unsupported`;
      },
      examples: { refused: [{ body: { instructions: 'Whisper.' } }, { body: { stream_format: 'sse' } }] },
    },
  ],
  envelope: openaiEnvelope,
};
