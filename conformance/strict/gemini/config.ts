import { asArray } from '../../shared/json.ts';
import type { Rule } from '../rule.ts';
import { bodyOf, CHECKED, configOf, configured, FAMILY_2, FAMILY_3, thinkingOf, unknownName } from './reading.ts';

const REQUEST_MEMBERS = [
  ...['model', 'systemInstruction', 'contents', 'tools', 'toolConfig', 'safetySettings', 'generationConfig'],
  ...['cachedContent', 'serviceTier', 'store'],
];
const CONFIG_MEMBERS: ReadonlySet<string> = new Set([
  ...['candidateCount', 'stopSequences', 'maxOutputTokens', 'temperature', 'topP', 'topK', 'seed'],
  ...['responseMimeType', 'responseSchema', '_responseJsonSchema', 'responseJsonSchema', 'presencePenalty'],
  ...['frequencyPenalty', 'responseLogprobs', 'logprobs', 'enableEnhancedCivicAnswers', 'responseModalities'],
  ...['speechConfig', 'thinkingConfig', 'imageConfig', 'mediaResolution', 'audioTimestamp', 'routingConfig'],
]);

/** `more` are the members that only this service has. */
export function knownMembers(...more: readonly string[]): Rule {
  const known = new Set([...REQUEST_MEMBERS, ...more]);
  return {
    id: 'known-members',
    statement:
      'Fields that the published document does not list are refused, in the request and in `generationConfig`.',
    source: { url: 'specs/gemini-v1beta.openapi.json#GenerateContentRequest', checked: CHECKED },
    refuses(request) {
      const top = Object.keys(bodyOf(request)).find((name) => !known.has(name));
      if (top !== undefined) return `Invalid JSON payload received. Unknown name "${top}": Cannot find field.`;
      const inner = Object.keys(configOf(request)).find((name) => !CONFIG_MEMBERS.has(name));
      return inner === undefined ? null : unknownName(inner, 'generation_config');
    },
    examples: { refused: [{ body: { messages: [] } }, configured({ logitBias: {} })] },
  };
}

const outside = (value: unknown, least: number, most: number) =>
  typeof value === 'number' && (value < least || value > most);

const temperature: Rule = {
  id: 'temperature',
  statement: '`temperature` must be between 0 and 2.',
  source: {
    url: 'recordings/vertex/generateContent/049-test-generate-content-invalid-temperature.json',
    checked: CHECKED,
  },
  refuses: (request) =>
    outside(configOf(request).temperature, 0, 2)
      ? `Unable to submit request because it has a temperature value of ${String(configOf(request).temperature)} but the supported range is from 0 (inclusive) to 2.0001 (exclusive). Update the value and try again.`
      : null,
  examples: { refused: [configured({ temperature: 2.5 })], accepted: [configured({ temperature: 0 })] },
};

const stops: Rule = {
  id: 'stop-sequences',
  statement: 'There must be at most five stop sequences.',
  source: { url: 'specs/gemini-v1beta.openapi.json#GenerationConfig.stopSequences', checked: CHECKED },
  refuses: (request) =>
    asArray(configOf(request).stopSequences).length > 5 ? 'The number of stop sequences must be at most 5.' : null,
  examples: { refused: [configured({ stopSequences: ['a', 'b', 'c', 'd', 'e', 'f'] })] },
};

export const seeds: Rule = {
  id: 'seed',
  statement: '`seed` must have at most 32 bits.',
  source: { url: 'specs/gemini-v1beta.openapi.json#GenerationConfig.seed', checked: CHECKED },
  refuses: (request) =>
    outside(configOf(request).seed, -(2 ** 31), 2 ** 31 - 1)
      ? "Invalid value at 'generation_config.seed' (TYPE_INT32)"
      : null,
  examples: { refused: [configured({ seed: 2 ** 31 })] },
};

const mimeType: Rule = {
  id: 'schema-mime-type',
  statement: 'A response schema requires `responseMimeType`.',
  source: { url: 'specs/gemini-v1beta.openapi.json#GenerationConfig.responseSchema', checked: CHECKED },
  refuses(request) {
    const { responseSchema, responseJsonSchema, responseMimeType } = configOf(request);
    const hasSchema = responseSchema !== undefined || responseJsonSchema !== undefined;
    return hasSchema && responseMimeType === undefined
      ? 'response_mime_type must be set when a response schema is set.'
      : null;
  },
  examples: { refused: [configured({ responseJsonSchema: { type: 'object' } })] },
};

/**
 * Makes a rule for two members that a model family refuses at every service; `models` are those that are
 * known to refuse them.
 */
function notEnabled(id: string, what: string, members: Readonly<Record<string, unknown>>, url: string) {
  const names = Object.keys(members);
  const [first = {}, ...others] = names.map((name) => configured({ [name]: members[name] }));
  return (label: string, models: RegExp): Rule => ({
    id,
    statement: `${names.map((name) => `\`${name}\``).join(' and ')} are refused.`,
    family: { label, models },
    source: { url, checked: CHECKED },
    refuses: (request) =>
      names.some((name) => configOf(request)[name] !== undefined)
        ? `${what} is not enabled for models/${request.model}`
        : null,
    examples: { refused: [first, ...others], accepted: [configured(members, 'gemini-2.0-flash')] },
  });
}

export const penalties = notEnabled(
  ...(['penalties', 'Penalty', { presencePenalty: 0.5, frequencyPenalty: 0 }] as const),
  'https://github.com/PublicAffairs/openai-gemini/issues/63',
);

export const logprobs = notEnabled(
  ...(['logprobs', 'Logprobs', { responseLogprobs: true, logprobs: 2 }] as const),
  'https://github.com/mscraftsman/generative-ai/issues/135',
);

/** The message is Vertex AI's; the limits are those of its models. */
export const outputTokens: Rule = {
  id: 'max-output-tokens',
  statement: "`maxOutputTokens` must be at most the model's maximum: 65,535 tokens, and 8,192 before 2.5.",
  source: { url: 'https://github.com/BerriAI/litellm/pull/10548', checked: CHECKED },
  refuses(request) {
    const most = /gemini-(?:1|2\.0)/.test(request.model) ? 8_192 : 65_535;
    const { maxOutputTokens } = configOf(request);
    return outside(maxOutputTokens, 1, most)
      ? `Unable to submit request because it has a maxOutputTokens value of ${String(maxOutputTokens)} but the supported range is from 1 (inclusive) to ${most + 1} (exclusive). Update the value and try again.`
      : null;
  },
  examples: {
    refused: [configured({ maxOutputTokens: 65_536 }), configured({ maxOutputTokens: 8_193 }, 'gemini-2.0-flash')],
    accepted: [configured({ maxOutputTokens: 65_535 })],
  },
};

// ---- thinking

const THINKING_PAGE = 'https://ai.google.dev/gemini-api/docs/thinking';

const noThinking: Rule = {
  id: 'no-thinking',
  statement: 'Models that do not think refuse `thinkingConfig`.',
  family: { label: 'Gemini 2.0', models: /gemini-(?:1|2\.0)/ },
  source: { url: 'specs/gemini-v1beta.openapi.json#GenerationConfig.thinkingConfig', checked: CHECKED },
  refuses: (request) =>
    configOf(request).thinkingConfig === undefined ? null : 'Thinking is not enabled for this model.',
  examples: { refused: [configured({ thinkingConfig: { includeThoughts: true } })] },
};

const levels: Rule = {
  id: 'thinking-level',
  statement: 'Models before Gemini 3 refuse `thinkingLevel`; they accept `thinkingBudget`.',
  family: FAMILY_2,
  source: { url: 'https://github.com/QwenLM/qwen-code/pull/9094', checked: CHECKED },
  refuses: (request) =>
    thinkingOf(request).thinkingLevel === undefined ? null : 'thinking_level is not supported by this model.',
  examples: { refused: [configured({ thinkingConfig: { thinkingLevel: 'LOW' } }, 'gemini-2.5-flash')] },
};

const oneMeasure: Rule = {
  id: 'one-thinking-measure',
  statement: '`thinkingLevel` and `thinkingBudget` are mutually exclusive.',
  family: FAMILY_3,
  source: { url: 'https://ai.google.dev/gemini-api/docs/gemini-3', checked: CHECKED },
  refuses(request) {
    const { thinkingLevel, thinkingBudget } = thinkingOf(request);
    return thinkingLevel !== undefined && thinkingBudget !== undefined
      ? 'You can only set only one of thinking budget and thinking level.'
      : null;
  },
  examples: { refused: [configured({ thinkingConfig: { thinkingLevel: 'LOW', thinkingBudget: 100 } })] },
};

const proLevels: Rule = {
  id: 'levels-of-models',
  statement: 'Pro models and Gemini 3.7 Flash refuse `MINIMAL`; Gemini 3 Pro also refuses `MEDIUM`.',
  family: {
    label: 'Gemini 3 Pro, 3.x Pro and 3.7 Flash',
    models: /gemini-3(?:\.\d+)?-pro(?!-image)|gemini-3\.7-flash/,
  },
  source: { url: 'https://firebase.google.com/docs/ai-logic/thinking', checked: CHECKED },
  refuses(request) {
    const { thinkingLevel } = thinkingOf(request);
    const isWrong = thinkingLevel === 'MINIMAL' || (thinkingLevel === 'MEDIUM' && /gemini-3-pro/.test(request.model));
    return isWrong ? `Thinking level ${thinkingLevel} is not supported for this model.` : null;
  },
  examples: {
    refused: [
      configured({ thinkingConfig: { thinkingLevel: 'MINIMAL' } }, 'gemini-3.7-flash'),
      configured({ thinkingConfig: { thinkingLevel: 'MEDIUM' } }, 'gemini-3-pro-preview'),
    ],
    accepted: [configured({ thinkingConfig: { thinkingLevel: 'MINIMAL' } }, 'gemini-3-flash-preview')],
  },
};

const BUDGETS: readonly (readonly [RegExp, number, number])[] = [
  [/2\.5-pro/, 128, 32_768],
  [/2\.5-flash-lite/, 512, 24_576],
  [/2\.5-flash/, 1, 24_576],
];

const budgets: Rule = {
  id: 'thinking-budget',
  statement:
    "`thinkingBudget` must be in the model's range; only Flash models accept 0 (off), and -1 lets the model decide.",
  family: FAMILY_2,
  source: { url: THINKING_PAGE, checked: CHECKED },
  refuses(request) {
    const { thinkingBudget: budget } = thinkingOf(request);
    const [, least = 0, most = 0] = BUDGETS.find(([models]) => models.test(request.model)) ?? [];
    if (typeof budget !== 'number' || budget === -1 || (budget >= least && budget <= most)) return null;
    if (budget !== 0) return `The thinking budget (${budget}) is invalid.`;
    return /pro/.test(request.model) ? 'Budget 0 is invalid. This model only works in thinking mode.' : null;
  },
  examples: {
    refused: [
      configured({ thinkingConfig: { thinkingBudget: 52_428 } }, 'gemini-2.5-pro'),
      configured({ thinkingConfig: { thinkingBudget: 0 } }, 'gemini-2.5-pro'),
      configured({ thinkingConfig: { thinkingBudget: 100 } }, 'gemini-2.5-flash-lite'),
    ],
    accepted: [configured({ thinkingConfig: { thinkingBudget: 0 } }, 'gemini-2.5-flash')],
  },
};

export const configRules: readonly Rule[] = [
  ...[temperature, stops, seeds, mimeType, noThinking, levels, oneMeasure, proLevels, budgets],
];
