import { asObject } from '../../shared/json.ts';
import { between, memberOf, oneOf } from '../media/rules.ts';
import type { Rule, StrictUpstream } from '../rule.ts';

const CHECKED = '2026-11-29';
const DOCUMENT = { url: 'specs/deepgram.openapi.yml', checked: CHECKED };
const page = (url: string) => ({ url, checked: CHECKED });

const envelope = (message: string, { id }: Rule) => ({
  ...{ err_code: id.replaceAll('-', '_').toUpperCase(), err_msg: message },
  request_id: '00000000-0000-0000-0000-000000000000',
});

/** The voices of each language (`V1SpeakPostParametersModel`). */
const VOICES: Readonly<Record<string, string>> = {
  'aura-en': 'angus arcas asteria athena helios hera luna orion orpheus perseus stella zeus',
  'aura-2-en':
    'amalthea andromeda apollo arcas aries asteria athena atlas aurora callista cora cordelia delia draco electra harmonia helena ' +
    'hera hermes hyperion iris janus juno jupiter luna mars minerva neptune odysseus ophelia orion orpheus pandora phoebe pluto ' +
    'saturn selene thalia theia vesta zeus',
  'aura-2-es':
    'agustina alvaro antonia aquila carina celeste diana estrella gloria javier luciano nestor olivia selena silvia sirio valerio',
  'aura-2-de': 'aurelia elara fabian julius kara lara viktoria',
  'aura-2-nl': 'beatrix cornelia daphne hestia lars leda rhea roman sander',
  'aura-2-fr': 'agathe hector',
  'aura-2-it': 'cesare cinzia demetra dionisio elio flavio livia maia melia perseo',
  'aura-2-ja': 'ama ebisu fujin izanami uzume',
};

const MODELS = Object.entries(VOICES).flatMap(([key, names]) => {
  const [family, language] = [key.slice(0, -3), key.slice(-2)];
  return names.split(' ').map((name) => `${family}-${name}-${language}`);
});

const voices: Rule = {
  id: 'voices',
  statement: 'A `model` without a voice, or whose voice does not speak its language, is refused.',
  source: DOCUMENT,
  refuses: ({ model }) => (MODELS.includes(model) ? null : 'No such model/version combination found.'),
  examples: {
    refused: [{ query: { model: 'aura-2-thalia-de' } }, { query: { model: 'aura-2' } }],
    accepted: [{ query: { model: 'aura-2-lara-de' } }],
  },
};

const containers: Rule = {
  id: 'container',
  statement:
    '`container` must be `wav` or `none` with PCM, `ogg` or omitted with Opus, and omitted with MP3, FLAC and AAC.',
  source: DOCUMENT,
  refuses(request) {
    const container = memberOf(request, 'container');
    if (container === undefined) return null;
    const encoding = String(memberOf(request, 'encoding') ?? 'mp3');
    const taken = /^(?:linear16|mulaw|alaw)$/.test(encoding) ? ['wav', 'none'] : encoding === 'opus' ? ['ogg'] : [];
    return taken.includes(String(container))
      ? null
      : `Unsupported audio format: container is not applicable when encoding=${encoding}`;
  },
  examples: {
    refused: [{ query: { encoding: 'mp3', container: 'wav' } }, { query: { encoding: 'flac', container: 'ogg' } }],
    accepted: [{ query: { encoding: 'opus', container: 'ogg' } }],
  },
};

const RATES: Readonly<Record<string, string>> = {
  ...{ linear16: '8000 16000 24000 32000 48000', mulaw: '8000 16000', alaw: '8000 16000', mp3: '22050' },
  ...{ opus: '48000', flac: '8000 16000 22050 32000 48000', aac: '22050' },
};

const sampleRates: Rule = {
  id: 'sample-rate',
  statement: "`sample_rate` must be one of the encoding's rates; those of MP3 and Opus are fixed.",
  source: DOCUMENT,
  refuses(request) {
    const rate = memberOf(request, 'sample_rate');
    const encoding = String(memberOf(request, 'encoding') ?? 'mp3');
    if (rate === undefined || RATES[encoding]?.split(' ').includes(String(rate))) return null;
    return `Unsupported audio format: sample_rate is not applicable when encoding=${encoding}`;
  },
  examples: {
    refused: [
      { query: { encoding: 'mp3', sample_rate: '24000' } },
      { query: { encoding: 'linear16', sample_rate: '44100' } },
    ],
    accepted: [{ query: { encoding: 'linear16', sample_rate: '24000' } }],
  },
};

const bitRates: Rule = {
  id: 'bit-rate',
  statement: '`bit_rate` must be 32000 or 48000 with MP3, and omitted with PCM and FLAC.',
  source: DOCUMENT,
  refuses(request) {
    const rate = memberOf(request, 'bit_rate');
    const encoding = String(memberOf(request, 'encoding') ?? 'mp3');
    if (rate === undefined || encoding === 'opus' || encoding === 'aac') return null;
    if (encoding === 'mp3' && ['32000', '48000'].includes(String(rate))) return null;
    return `Unsupported audio format: bit_rate is not applicable when encoding=${encoding}`;
  },
  examples: {
    refused: [
      { query: { encoding: 'mp3', bit_rate: '64000' } },
      { query: { encoding: 'linear16', bit_rate: '48000' } },
    ],
    accepted: [{ query: { encoding: 'mp3', bit_rate: '32000' } }],
  },
};

const speeds: Rule = {
  id: 'speed-languages',
  statement: '`speed` is refused with the first Aura models, and with languages other than English and Spanish.',
  source: page('https://developers.deepgram.com/changelog/2026/5/4.md'),
  refuses: (request) =>
    memberOf(request, 'speed') === undefined || /^aura-2-[a-z]+-(?:en|es)$/.test(request.model)
      ? null
      : `speed is not supported for ${request.model}`,
  examples: {
    refused: [
      { query: { model: 'aura-2-lara-de', speed: '1.2' } },
      { query: { model: 'aura-asteria-en', speed: '1' } },
    ],
    accepted: [{ query: { model: 'aura-2-celeste-es', speed: '1.2' } }],
  },
};

const text: Rule = {
  id: 'text-length',
  statement: '`text` must have at least 1 and at most 2,000 characters.',
  source: page('https://www.speechbase.ai/docs/platform/concepts/providers/deepgram'),
  status: 413,
  refuses(request) {
    const spoken = asObject(request.body).text;
    if (typeof spoken !== 'string' || spoken.trim() === '') return 'The text field must not be empty.';
    return [...spoken].length <= 2_000 ? null : 'Input text exceeds maximum character limit of 2000.';
  },
  examples: {
    refused: [{ body: { text: '' } }, { body: { text: 'x'.repeat(2_001) } }],
    accepted: [{ body: { text: 'x'.repeat(2_000) } }],
  },
};

export const deepgramSpeech: StrictUpstream = {
  name: 'deepgram-speech',
  label: 'Deepgram, speech',
  provider: 'deepgram',
  wire: 'deepgram-speech',
  models: ['aura-2-thalia-en', 'aura-2-lara-de', 'aura-asteria-en'],
  rules: [
    voices,
    oneOf({
      ...{ member: 'encoding', values: ['mp3', 'opus', 'aac', 'flac', 'linear16', 'mulaw', 'alaw'], isForm: 'query' },
      source: DOCUMENT,
    }),
    ...[containers, sampleRates, bitRates, speeds],
    between({
      ...{ member: 'speed', least: 0.7, most: 1.5, isForm: 'query' },
      source: page('https://developers.deepgram.com/docs/tts-voice-controls'),
    }),
    text,
  ],
  envelope,
};

const LISTEN_MODELS =
  'nova-3 nova-3-general nova-3-medical nova-2 nova-2-general nova-2-meeting nova-2-finance nova-2-conversationalai ' +
  'nova-2-voicemail nova-2-video nova-2-medical nova-2-drivethru nova-2-automotive nova nova-general nova-phonecall nova-medical ' +
  'enhanced enhanced-general enhanced-meeting enhanced-phonecall enhanced-finance base meeting phonecall finance conversationalai ' +
  'voicemail video';

const NOVA_3 = { label: 'Nova-3', models: /^nova-3/ };
const BEFORE_NOVA_3 = { label: 'Models before Nova-3', models: /^(?!nova-3)/ };

const listenModels: Rule = {
  id: 'models',
  statement: 'A `model` that the published document does not list is refused.',
  source: DOCUMENT,
  refuses: ({ model }) =>
    LISTEN_MODELS.split(' ').includes(model) ? null : 'No such model/language/tier combination found.',
  examples: { refused: [{ query: { model: 'nova-9' } }] },
};

/** The BCP-47 tags with a region or a script that Deepgram lists. */
const REGIONAL = new Set(
  (
    'en-us en-au en-gb en-in en-nz es-419 fr-ca de-ch pt-br pt-pt nl-be da-dk sv-se ko-kr th-th zh-cn zh-tw zh-hk zh-hans ' +
    'zh-hant'
  ).split(' '),
);

const languages: Rule = {
  id: 'languages',
  statement: '`language` must be a two- or three-letter code, with a region or script only if the models list it.',
  source: page('https://developers.cloudflare.com/workers-ai/models/nova-3/'),
  refuses(request) {
    const language = memberOf(request, 'language');
    if (language === undefined || /^(?:[a-z]{2}|multi|taq|yue)$/.test(String(language))) return null;
    return REGIONAL.has(String(language).toLowerCase()) && /^[a-z]{2}-[A-Z0-9]/.test(String(language))
      ? null
      : 'No such model/language/tier combination found.';
  },
  examples: {
    refused: [{ query: { language: 'es-ES' } }, { query: { language: 'pt_BR' } }, { query: { language: 'deu' } }],
    accepted: [{ query: { language: 'pt-BR' } }, { query: { language: 'de' } }],
  },
};

const detected: Rule = {
  id: 'detected-languages',
  statement:
    '`detect_language` must be `true`, `false` or two-letter language codes, and cannot be combined with `language`.',
  source: DOCUMENT,
  refuses(request) {
    const values = request.query.getAll('detect_language');
    if (values.some((value) => !/^(?:true|false|[a-z]{2})$/.test(value))) return 'Invalid detect_language value.';
    const isBoth = values.length > 0 && values[0] !== 'false' && request.query.has('language');
    return isBoth ? 'language and detect_language cannot be used together.' : null;
  },
  examples: {
    refused: [{ query: { detect_language: 'pt-BR' } }, { query: { detect_language: 'true', language: 'de' } }],
    accepted: [{ query: { detect_language: 'pt' } }],
  },
};

const keywordsOfNova3: Rule = {
  id: 'keywords-nova-3',
  statement: '`keywords` is refused; the parameter is `keyterm`.',
  family: NOVA_3,
  source: page('https://github.com/deepgram/deepgram-js-sdk/issues/474'),
  refuses: ({ query }) =>
    query.has('keywords') ? 'Keywords are not supported for Nova-3. Use keyterm to boost terms.' : null,
  examples: { refused: [{ query: { keywords: 'Switchyard' } }] },
};

const keywordCount: Rule = {
  id: 'keywords-count',
  statement: '`keywords` must have at most 100 entries.',
  family: BEFORE_NOVA_3,
  source: page('https://developers.deepgram.com/docs/keywords/llms.txt'),
  refuses: ({ query }) =>
    query.getAll('keywords').flatMap((list) => list.split(',')).length > 100
      ? 'Too many keywords: the limit is 100.'
      : null,
  examples: {
    refused: [{ model: 'nova-2', query: { keywords: 'a,'.repeat(101) } }],
    accepted: [{ model: 'nova-2', query: { keywords: 'Switchyard' } }],
  },
};

/** Estimates four bytes per token. */
const tokensIn = (terms: readonly string[]) =>
  terms.reduce((sum, term) => sum + Math.ceil(Buffer.byteLength(term) / 4), 0);

const keyterms: Rule = {
  id: 'keyterm-tokens',
  statement: 'All `keyterm` values together must have at most 500 tokens.',
  source: page('https://github.com/deepgram/deepgram-python-sdk/issues/503'),
  refuses: ({ query }) =>
    tokensIn(query.getAll('keyterm')) > 500
      ? 'Keyterm limit exceeded. The maximum number of tokens across all keyterms is 500.'
      : null,
  examples: {
    refused: [{ query: { keyterm: 'word'.repeat(501) } }],
    accepted: [{ query: { keyterm: 'Switchyard' } }],
  },
};

export const deepgramListen: StrictUpstream = {
  name: 'deepgram-listen',
  label: 'Deepgram, listen',
  provider: 'deepgram',
  wire: 'deepgram-listen',
  models: ['nova-3', 'nova-2'],
  rules: [listenModels, languages, detected, keywordsOfNova3, keywordCount, keyterms],
  envelope,
};
