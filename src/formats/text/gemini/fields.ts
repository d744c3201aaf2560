import type { FieldClass, FieldTable } from '../format.ts';
import { dropped, refused } from '../shared/verdicts.ts';

/*
 * How other formats treat every field of a request: the fields of the published document (v1beta) and of our own schema, in both
 * spellings, at the top level and inside a count's `generateContentRequest`.
 */

const ONLY_GEMINI = dropped('only Gemini supports this');
const CLIP = refused('it selects a part of the video, which no other format can do');
const SCHEDULING = dropped('other formats take one result per call, all at once');
const SPEECH = refused('it selects a voice that other formats do not have');
const PICTURE = refused('it sets the size of the image, which no other format can do');
const SAFETY = dropped('other providers have no such settings; their own filters apply');

/** Returns the same class for an object and each of its members. */
function all(path: string, members: readonly string[], value: FieldClass): Record<string, FieldClass> {
  return Object.fromEntries([[path, value], ...members.map((member) => [`${path}.${member}`, value] as const)]);
}

const MEDIA: FieldClass = 'image-inline';
const FILE: FieldClass = 'image-url';

function partFields(path: string): Record<string, FieldClass> {
  return {
    [`${path}.text`]: 'text',
    ...all(`${path}.inlineData`, ['mimeType', 'data', 'displayName'], MEDIA),
    ...all(`${path}.fileData`, ['mimeType', 'fileUri', 'displayName'], FILE),
    ...all(`${path}.functionCall`, ['id', 'name', 'args'], 'function-tools'),
    ...all(`${path}.functionResponse`, ['id', 'name', 'response'], 'function-tools'),
    ...all(`${path}.functionResponse.parts`, [], 'tool-result-media'),
    ...all(`${path}.functionResponse.parts[].inlineData`, ['mimeType', 'data', 'displayName'], 'tool-result-media'),
    [`${path}.functionResponse.willContinue`]: SCHEDULING,
    [`${path}.functionResponse.scheduling`]: SCHEDULING,
    ...all(`${path}.executableCode`, ['language', 'code', 'id'], 'unknown-blocks'),
    ...all(`${path}.codeExecutionResult`, ['outcome', 'output', 'id'], 'unknown-blocks'),
    ...all(`${path}.videoMetadata`, ['startOffset', 'endOffset', 'fps'], CLIP),
    [`${path}.thought`]: 'reasoning-text',
    [`${path}.thoughtSignature`]: 'reasoning-state',
    [`${path}.partMetadata`]: ONLY_GEMINI,
    ...all(`${path}.mediaResolution`, ['level'], ONLY_GEMINI),
  };
}

const SCHEMA_MEMBERS = [
  'type',
  'format',
  'title',
  'description',
  'nullable',
  'enum',
  'items',
  'maxItems',
  'minItems',
  'properties',
  'required',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'example',
  'anyOf',
  'propertyOrdering',
  'default',
];

const DECLARATION = 'tools[].functionDeclarations[]';
const CONFIG = 'generationConfig';
const SPEAKERS = `${CONFIG}.speechConfig.multiSpeakerVoiceConfig.speakerVoiceConfigs`;

const toolFields: Record<string, FieldClass> = {
  tools: 'function-tools',
  ...all('tools[].functionDeclarations', [], 'function-tools'),
  [`${DECLARATION}.name`]: 'function-tools',
  [`${DECLARATION}.description`]: 'function-tools',
  ...all(`${DECLARATION}.parameters`, SCHEMA_MEMBERS, 'function-tools'),
  [`${DECLARATION}.parametersJsonSchema`]: 'function-tools',
  ...all(`${DECLARATION}.response`, SCHEMA_MEMBERS, ONLY_GEMINI),
  [`${DECLARATION}.responseJsonSchema`]: ONLY_GEMINI,
  [`${DECLARATION}.behavior`]: ONLY_GEMINI,
  'tools[].googleSearch': 'web-search',
  ...all(
    'tools[].googleSearch.timeRangeFilter',
    ['startTime', 'endTime'],
    refused('no other search takes a time range'),
  ),
  'tools[].googleSearchRetrieval': 'web-search',
  ...all(
    'tools[].googleSearchRetrieval.dynamicRetrievalConfig',
    ['mode', 'dynamicThreshold'],
    dropped('other models decide when to search'),
  ),
  'tools[].codeExecution': 'hosted-tools',
  ...all('tools[].computerUse', ['environment', 'excludedPredefinedFunctions'], 'hosted-tools'),
  'tools[].urlContext': 'hosted-tools',
  ...all('tools[].fileSearch', ['fileSearchStoreNames', 'topK', 'metadataFilter'], 'hosted-tools'),
  'tools[].mcpServers': 'hosted-tools',
  'tools[].mcpServers[].name': 'hosted-tools',
  ...all(
    'tools[].mcpServers[].streamableHttpTransport',
    ['url', 'headers', 'timeout', 'sseReadTimeout', 'terminateOnClose'],
    'hosted-tools',
  ),
  ...all('tools[].googleMaps', ['enableWidget'], 'hosted-tools'),
  toolConfig: 'tool-choice',
  ...all('toolConfig.functionCallingConfig', ['mode'], 'tool-choice'),
  'toolConfig.functionCallingConfig.allowedFunctionNames': 'tool-choice-allowed',
  ...all('toolConfig.retrievalConfig', ['latLng', 'latLng.latitude', 'latLng.longitude', 'languageCode'], ONLY_GEMINI),
};

const configFields: Record<string, FieldClass> = {
  // An object that only groups other members has no meaning of its own.
  [CONFIG]: 'exact',
  [`${CONFIG}.candidateCount`]: 'candidate-count',
  [`${CONFIG}.stopSequences`]: 'stop',
  [`${CONFIG}.maxOutputTokens`]: 'max-output-tokens',
  [`${CONFIG}.temperature`]: 'temperature',
  [`${CONFIG}.topP`]: 'top-p',
  [`${CONFIG}.topK`]: 'top-k',
  [`${CONFIG}.seed`]: 'seed',
  [`${CONFIG}.presencePenalty`]: 'presence-penalty',
  [`${CONFIG}.frequencyPenalty`]: 'frequency-penalty',
  [`${CONFIG}.responseLogprobs`]: 'logprobs',
  [`${CONFIG}.logprobs`]: 'logprobs',
  [`${CONFIG}.responseMimeType`]: 'json-mode',
  ...all(`${CONFIG}.responseSchema`, SCHEMA_MEMBERS, 'json-schema'),
  [`${CONFIG}._responseJsonSchema`]: 'json-schema',
  [`${CONFIG}.responseJsonSchema`]: 'json-schema',
  [`${CONFIG}.enableEnhancedCivicAnswers`]: ONLY_GEMINI,
  [`${CONFIG}.responseModalities`]: 'output-modalities',
  [`${CONFIG}.thinkingConfig`]: 'reasoning-effort',
  [`${CONFIG}.thinkingConfig.thinkingLevel`]: 'reasoning-effort',
  [`${CONFIG}.thinkingConfig.thinkingBudget`]: 'reasoning-budget',
  [`${CONFIG}.thinkingConfig.includeThoughts`]: 'reasoning-summary',
  [`${CONFIG}.mediaResolution`]: ONLY_GEMINI,
  ...all(`${CONFIG}.imageConfig`, ['aspectRatio', 'imageSize'], PICTURE),
  ...all(
    `${CONFIG}.speechConfig`,
    [
      'languageCode',
      'voiceConfig',
      'voiceConfig.prebuiltVoiceConfig',
      'voiceConfig.prebuiltVoiceConfig.voiceName',
      'multiSpeakerVoiceConfig',
    ],
    SPEECH,
  ),
  [SPEAKERS]: SPEECH,
  ...all(`${SPEAKERS}[].voiceConfig`, ['prebuiltVoiceConfig', 'prebuiltVoiceConfig.voiceName'], SPEECH),
  [`${SPEAKERS}[].speaker`]: SPEECH,
};

const requestFields: Record<string, FieldClass> = {
  model: 'exact',
  systemInstruction: 'system-prompt',
  'systemInstruction.parts': 'system-prompt',
  'systemInstruction.role': dropped('a system instruction has no name'),
  ...partFields('systemInstruction.parts[]'),
  contents: 'text',
  'contents[].parts': 'text',
  'contents[].role': 'text',
  ...partFields('contents[].parts[]'),
  ...toolFields,
  ...all('safetySettings', [], SAFETY),
  'safetySettings[].category': SAFETY,
  'safetySettings[].threshold': SAFETY,
  ...configFields,
  cachedContent: refused('the cached content is stored at Google, so another provider would miss part of the prompt'),
  labels: dropped('labels are for billing reports at Google'),
};

function inBothSpellings(table: Readonly<Record<string, FieldClass>>): Record<string, FieldClass> {
  const snake = Object.entries(table).map(([path, value]) => {
    return [path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value] as const;
  });
  return { ...table, ...Object.fromEntries(snake) };
}

const both = inBothSpellings(requestFields);

function wrapped(wrapper: string): Record<string, FieldClass> {
  return {
    [wrapper]: 'exact',
    ...Object.fromEntries(Object.entries(both).map(([path, value]) => [`${wrapper}.${path}`, value])),
  };
}

export const fields: FieldTable = {
  ...both,
  session_id: 'exact',
  ...wrapped('generateContentRequest'),
  ...wrapped('generate_content_request'),
};
