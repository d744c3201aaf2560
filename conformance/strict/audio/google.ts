import { asArray, asObject } from '../../shared/json.ts';
import { configRules, knownMembers } from '../gemini/config.ts';
import { contentRules } from '../gemini/contents.ts';
import { gemini } from '../gemini/index.ts';
import { allParts, bodyOf, configOf, configured, saying, text, user } from '../gemini/reading.ts';
import type { Rule, StrictUpstream } from '../rule.ts';

const CHECKED = '2026-11-29';
const DOCUMENT = { url: 'specs/gemini-v1beta.openapi.json', checked: CHECKED };
const MODEL_PAGE = {
  url: 'https://ai.google.dev/gemini-api/docs/models/gemini-3.1-flash-tts-preview',
  checked: CHECKED,
};

const envelope = (message: string) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } });

const BASIC = {
  path: '/models/{model}:generateContent',
  body: {
    model: undefined,
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    generationConfig: {
      responseModalities: ['AUDIO'],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
    },
  },
};

const modalities: Rule = {
  id: 'modalities',
  statement: '`responseModalities` must be `["AUDIO"]`.',
  source: { url: 'https://github.com/BerriAI/litellm/issues/11118', checked: CHECKED },
  refuses(request) {
    const wanted = asArray(configOf(request).responseModalities);
    return wanted.length === 1 && wanted[0] === 'AUDIO'
      ? null
      : `The requested combination of response modalities is not supported by the model. models/${request.model} accepts the following combination of response modalities:\n* AUDIO\n`;
  },
  examples: { refused: [configured({}), configured({ responseModalities: ['TEXT', 'AUDIO'] })] },
};

const CODES =
  'de-DE en-AU en-GB en-IN en-US es-US fr-FR hi-IN pt-BR ar-XA es-ES fr-CA id-ID it-IT ja-JP tr-TR vi-VN bn-IN gu-IN kn-IN ml-IN ' +
  'mr-IN ta-IN te-IN nl-NL ko-KR cmn-CN pl-PL ru-RU th-TH';

const spoken = (speechConfig: object) => ({
  body: { generationConfig: { responseModalities: ['AUDIO'], speechConfig } },
});

const languageCode: Rule = {
  id: 'language-code',
  statement: '`speechConfig.languageCode` must be one of the listed codes, each with a region.',
  source: DOCUMENT,
  refuses(request) {
    const code = asObject(configOf(request).speechConfig).languageCode;
    return code === undefined || CODES.split(' ').includes(String(code))
      ? null
      : `Unsupported language code '${String(code)}'.`;
  },
  examples: {
    refused: [spoken({ languageCode: 'de' }), spoken({ languageCode: 'sv-SE' })],
    accepted: [spoken({ languageCode: 'de-DE' })],
  },
};

const textAlone: Rule = {
  id: 'text-alone',
  statement: 'Only text is accepted: no tools, schema, thinking, system instruction or media.',
  source: MODEL_PAGE,
  refuses(request) {
    const { tools, systemInstruction } = bodyOf(request);
    const { responseSchema, responseMimeType, thinkingConfig } = configOf(request);
    const isPlain = allParts(request).every(({ part }) => typeof part.text === 'string');
    if (asArray(tools).length > 0) return 'Function calling is not enabled for this model';
    if (systemInstruction !== undefined) return 'Developer instruction is not enabled for this model';
    if (responseSchema !== undefined || responseMimeType !== undefined)
      return 'JSON mode is not enabled for this model';
    if (thinkingConfig !== undefined) return 'Thinking is not enabled for this model';
    return isPlain ? null : 'The model accepts text alone as its input.';
  },
  examples: {
    refused: [
      { body: { systemInstruction: { parts: [text()] } } },
      { body: { tools: [{ functionDeclarations: [{ name: 'f' }] }] } },
      spokenWith({ responseMimeType: 'application/json' }),
      spokenWith({ thinkingConfig: { thinkingBudget: 0 } }),
      saying(user(text(), { inlineData: { mimeType: 'audio/wav', data: 'aGk=' } })),
    ],
  },
};

function spokenWith(more: object) {
  return { body: { generationConfig: { responseModalities: ['AUDIO'], ...more } } };
}

const BEFORE_STYLE = { label: 'Models before Gemini 3.8', models: /gemini-(?:2\.5|3\.1)/ };

const style: Rule = {
  id: 'speech-metadata',
  statement: '`speechMetadata` is refused.',
  family: BEFORE_STYLE,
  source: DOCUMENT,
  refuses: (request) =>
    allParts(request).some(({ part }) => part.speechMetadata !== undefined)
      ? `Invalid JSON payload received. Unknown name "speechMetadata" at 'contents[0].parts[0]': Cannot find field.`
      : null,
  examples: { refused: [saying(user({ text: 'Hi', speechMetadata: { style: 'Warmly' } }))] },
};

const SPEECH_RULES: readonly Rule[] = [knownMembers(), modalities, languageCode, textAlone, style];
const SPEECH_MODELS = ['gemini-3.8-flash-tts', 'gemini-3.8-flash-lite-tts', 'gemini-2.5-flash-preview-tts'];

export const geminiSpeech: StrictUpstream = {
  name: 'gemini-speech',
  label: 'Google, Gemini speech',
  provider: 'google',
  wire: 'gemini-speech',
  models: SPEECH_MODELS,
  basic: BASIC,
  rules: SPEECH_RULES,
  envelope,
};

export const vertexSpeech: StrictUpstream = {
  ...geminiSpeech,
  name: 'vertex-speech',
  label: 'Google Vertex AI, Gemini speech',
  provider: 'vertex',
};

/** The rules for transcription requests to models that read recordings. */
const TRANSCRIPTION_RULES: readonly Rule[] = [knownMembers(), ...contentRules, ...configRules];

export const geminiTranscriptions: StrictUpstream = {
  name: 'gemini-transcriptions',
  label: 'Google, Gemini transcriptions',
  provider: 'google',
  wire: 'gemini-transcriptions',
  models: gemini.models,
  basic: { path: BASIC.path, body: { model: undefined, contents: BASIC.body.contents } },
  rules: TRANSCRIPTION_RULES,
  envelope,
};

export const vertexTranscriptions: StrictUpstream = {
  ...geminiTranscriptions,
  name: 'vertex-transcriptions',
  label: 'Google Vertex AI, Gemini transcriptions',
  provider: 'vertex',
};
