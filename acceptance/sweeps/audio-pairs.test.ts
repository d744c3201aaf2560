import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { allPairs, type MemberValues } from '../../conformance/shared/all-pairs.ts';
import { type Gateway, startGatewayWith } from '../../conformance/shared/gateway.ts';
import { asObject, parseJson } from '../../conformance/shared/json.ts';
import {
  audioUpstreams,
  speechUpstreams,
  transcriptionUpstreams,
  translationUpstreams,
} from '../../conformance/strict/audio/index.ts';
import type { StrictUpstream } from '../../conformance/strict/rule.ts';
import { type StrictServer, startStrictServer } from '../../conformance/strict/server.ts';
import { tone } from '../../conformance/transcripts/bed.ts';

/*
 * Requests for speech, transcripts and translations to every model of the strict upstreams, with every pair of values
 * of two members. The gateway may refuse what a provider does not support; the request is then sent again without the
 * member that the refusal names. The gateway must never send what the provider refuses.
 */

setDefaultTimeout(600_000);

let server: StrictServer;
let gateway: Gateway;

beforeAll(async () => {
  server = startStrictServer(audioUpstreams);
  gateway = await startGatewayWith(
    audioUpstreams.map(({ name, provider, wire }) => ({
      ...{ id: name, name, provider, base_url: server.baseUrlOf(name), api_key: 'upstream-key' },
      ...(provider === 'vertex' && { settings: { project: 'p' } }),
      models: Object.fromEntries(modelsOf(name, wire).map((id) => [`${name}/${id}`, id])),
    })),
    {
      models: audioUpstreams.flatMap(({ name, wire }) =>
        modelsOf(name, wire).map((id) => ({ id: `${name}/${id}`, ...OPERATIONS[kindOf(wire)] })),
      ),
    },
  );
});
afterAll(async () => {
  await gateway?.stop();
  await server?.stop();
});

type Kind = 'speech' | 'transcription' | 'translation';

const OPERATIONS: Readonly<Record<Kind, object>> = {
  speech: { category: 'tts', operations: ['audio.speech'] },
  transcription: { category: 'stt', operations: ['audio.transcriptions'] },
  translation: { category: 'stt', operations: ['audio.translations'] },
};

function kindOf(wire: string): Kind {
  if (wire.includes('speech')) return 'speech';
  return wire.includes('translations') ? 'translation' : 'transcription';
}

/** Returns the models as channels name them: Deepgram's without a voice, and one of each generation of Gemini. */
function modelsOf(name: string, wire: string): readonly string[] {
  if (wire === 'deepgram-speech') return ['aura-2', 'aura', 'aura-2-lara-de'];
  if (wire === 'gemini-transcriptions') return ['gemini-2.5-flash', 'gemini-3.7-flash'];
  return audioUpstreams.find((one) => one.name === name)?.models ?? [];
}

/** Languages as clients spell them: with a region or a script, in another case, with an underscore, in three letters. */
const LANGUAGES = [undefined, 'de', 'pt-BR', 'en_us', 'deu', 'zh-Hant-TW', 'sv'];

/** Stands for one of the provider's own voices. */
const OWN = 'own';

const OWN_VOICES: Readonly<Record<string, unknown>> = {
  ...{ 'openai-speech': { id: 'voice_1234' }, 'groq-speech': undefined, 'mistral-speech': 'en_paul_confident' },
  ...{ 'deepgram-speech': 'zeus', 'elevenlabs-speech': { id: 'JBFqnCBsd6RMkjVDRZzb' }, 'xai-speech': 'leo' },
  ...{ 'gemini-speech': 'Puck', 'vertex-speech': { id: 'Puck' } },
};

const SPEECH: MemberValues = {
  voice: [undefined, 'alloy', 'onyx', OWN],
  response_format: [undefined, 'mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
  speed: [undefined, 0.25, 1, 1.1, 4],
  instructions: [undefined, 'Speak warmly.'],
  language: LANGUAGES.map((code) => code?.replace('_', '-')),
  stream_format: [undefined, 'audio', 'sse'],
  input: ['Hello.', 'x'.repeat(201), 'x'.repeat(2_001), 'x'.repeat(4_096)],
  provider_options: [undefined, {}],
};

const TERMS = Array.from({ length: 150 }, (_, index) => `Antidisestablishment${index}`);

const FILES = ['wav', 'mp3', 'm4a', 'webm', 'ogg', 'flac', 'mpeg'];

const TRANSCRIPTION: MemberValues = {
  file: FILES,
  language: LANGUAGES,
  'languages[]': [undefined, ['de'], ['pt-BR', 'de-AT', 'de']],
  prompt: [undefined, 'Names.', 'Ä'.repeat(1_000)],
  'keywords[]': [undefined, ['Switchyard'], ['two words', 'a,b', 'list[0]', 'x'.repeat(60), 'a b c d e f'], TERMS],
  response_format: [undefined, 'json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json'],
  temperature: [undefined, '0', '0.5', '1'],
  'timestamp_granularities[]': [undefined, ['word'], ['segment'], ['word', 'segment']],
  'include[]': [undefined, 'logprobs'],
  stream: [undefined, 'false', 'true'],
  chunking_strategy: [undefined, 'auto', '{"type":"server_vad","threshold":0.5}'],
  'known_speaker_names[]': [undefined, 'ann'],
  user: [undefined, 'somebody'],
  provider_options: [undefined, '{}'],
};

const { 'known_speaker_names[]': _, ...TRANSLATION } = TRANSCRIPTION;

const ASKED: Readonly<Record<Kind, { readonly path: string; readonly schema: string; readonly values: MemberValues }>> =
  {
    speech: { path: 'audio/speech', schema: 'SpeechRequest', values: SPEECH },
    transcription: { path: 'audio/transcriptions', schema: 'TranscriptionRequest', values: TRANSCRIPTION },
    translation: { path: 'audio/translations', schema: 'TranslationRequest', values: TRANSLATION },
  };

/**
 * Members that are refused for some requests at every provider, because the contract does not allow the combination.
 */
const BY_CONTRACT = ['include[]', 'stream', 'timestamp_granularities[]'];

/** The members that the gateway refuses for each strict upstream, by name. */
const LACKED: Readonly<Record<string, readonly string[]>> = {
  'openai-speech': [],
  'groq-speech': ['input', 'response_format'],
  'mistral-speech': ['response_format'],
  'deepgram-speech': ['input', 'language'],
  'elevenlabs-speech': ['response_format'],
  'xai-speech': ['response_format'],
  'gemini-speech': ['response_format'],
  'vertex-speech': ['response_format'],
  'openai-transcriptions': [...BY_CONTRACT, 'known_speaker_names[]', 'response_format'],
  'groq-transcriptions': [...BY_CONTRACT, 'known_speaker_names[]', 'response_format'],
  'mistral-transcriptions': [...BY_CONTRACT, 'known_speaker_names[]'],
  'deepgram-listen': [...BY_CONTRACT, 'known_speaker_names[]'],
  'elevenlabs-transcriptions': [...BY_CONTRACT, 'known_speaker_names[]'],
  'xai-transcriptions': [...BY_CONTRACT, 'known_speaker_names[]'],
  'cohere-transcriptions': [...BY_CONTRACT, 'known_speaker_names[]', 'response_format', 'file', 'language'],
  'openrouter-transcriptions': [...BY_CONTRACT, 'known_speaker_names[]', 'response_format'],
  'gemini-transcriptions': [...BY_CONTRACT, 'known_speaker_names[]'],
  'vertex-transcriptions': [...BY_CONTRACT, 'known_speaker_names[]'],
  // Only transcriptions distinguish speakers.
  'openai-translations': [...BY_CONTRACT, 'response_format'],
  'groq-translations': [...BY_CONTRACT, 'response_format'],
};

type Members = Readonly<Record<string, unknown>>;

/** The recording for the name of a speaker. */
const SPEAKER = 'data:audio/wav;base64,UklGRg==';

/** Builds the form. The recording's file name and media type do not match its bytes. */
async function formOf(members: Members): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of Object.entries(members)) {
    if (name !== 'file') for (const one of Array.isArray(value) ? value : [value]) form.append(name, String(one));
  }
  if (members['known_speaker_names[]'] !== undefined) form.append('known_speaker_references[]', SPEAKER);
  form.append('file', new File([await tone(String(members.file))], 'blob', { type: 'application/octet-stream' }));
  return form;
}

async function ask(kind: Kind, members: Members): Promise<Response> {
  const given = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  const isForm = kind !== 'speech';
  return fetch(`${gateway.baseUrl}/${ASKED[kind].path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.apiKey}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
    body: isForm ? await formOf(given) : JSON.stringify(given),
  });
}

/** Returns the member that a refusal of the gateway names, as spelled in the request. */
function refusedMember(text: string, members: Members): string | null {
  const { param, code } = asObject(asObject(parseJson(text)).error);
  if (code !== 'unsupported_parameter' && code !== 'invalid_value') return null;
  return Object.keys(members).find((name) => name.replace('[]', '') === param) ?? null;
}

/** Values that every provider accepts, which replace a refused member that is required. */
const USUAL: Readonly<Record<Kind, Members>> = {
  speech: { input: 'Hello.' },
  transcription: { file: 'wav', language: 'de' },
  translation: { file: 'wav' },
};

interface Told {
  /** Returns the gateway's response if it is neither a success nor the gateway's own refusal; otherwise `null`. */
  readonly wrong: unknown;
  readonly lacked: readonly string[];
}

/** Sends a request, and again without each member that the gateway refuses. */
async function tell(kind: Kind, model: string, row: Members): Promise<Told> {
  const lacked: string[] = [];
  const [upstream = ''] = model.split('/');
  let members: Members = { ...row, model, ...(row.voice === OWN && { voice: OWN_VOICES[upstream] }) };
  for (;;) {
    const answer = await ask(kind, members);
    const text = await answer.text();
    if (answer.status === 200) return { wrong: null, lacked };
    const refused = answer.status === 400 ? refusedMember(text, members) : null;
    if (refused === null || members[refused] === USUAL[kind][refused]) {
      const shown = JSON.stringify(members, (_, value) => (typeof value === 'string' ? value.slice(0, 30) : value));
      return { wrong: { shown, status: answer.status, text: text.slice(0, 300) }, lacked };
    }
    lacked.push(refused);
    members = { ...members, [refused]: USUAL[kind][refused] };
  }
}

function groups(): readonly (readonly [Kind, readonly StrictUpstream[]])[] {
  return [
    ['speech', speechUpstreams],
    ['transcription', transcriptionUpstreams],
    ['translation', translationUpstreams],
  ];
}

describe.each(groups())('%s', (kind, upstreams) => {
  const rows = allPairs(ASKED[kind].values);

  test('has values for every member of the OpenAPI document', async () => {
    const document = asObject(await (await fetch(`${gateway.origin}/openapi.json`)).json());
    const schemas = asObject(asObject(document.components).schemas);
    const { properties } = asObject(schemas[ASKED[kind].schema]);
    const members = [...Object.keys(ASKED[kind].values), 'model', 'known_speaker_references'];
    const known = new Set(members.map((name) => name.replace('[]', '')));
    expect(Object.keys(asObject(properties)).filter((name) => !known.has(name.replace('[]', '')))).toEqual([]);
  });

  test.each(upstreams.map((upstream) => [upstream.name, upstream] as const))(
    '%s never receives a request that it refuses',
    async (name, { wire }) => {
      const wrong: unknown[] = [];
      const lacked = new Set<string>();
      server.clear();
      for (const id of modelsOf(name, wire)) {
        for (const told of await Promise.all(rows.map((row) => tell(kind, `${name}/${id}`, row)))) {
          if (told.wrong !== null) wrong.push(told.wrong);
          for (const member of told.lacked) lacked.add(member);
        }
      }
      expect(wrong).toEqual([]);
      expect(server.refusals.map(({ rule, message }) => `${rule.id}: ${message}`)).toEqual([]);
      expect([...lacked].sort()).toEqual([...(LACKED[name] ?? [])].sort());
    },
  );
});
