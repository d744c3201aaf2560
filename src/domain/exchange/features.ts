import type { Carries, Feature } from './loss.ts';
import { hasBudget, hasEffort, isReasoningSwitch } from './reasoning.ts';
import { type ExchangeRequest, emptyRequest, type ReasoningOptions, type ToolChoice } from './request.ts';

/** A feature that a request asks for in a field. */
export interface AskedFeature {
  readonly feature: Feature;
  readonly key: keyof ExchangeRequest;
  /** The client's own name for the field. */
  readonly field: string;
  /** Whether the value equals the default: it asks for nothing, so nothing is lost without it. */
  readonly isUsual: boolean;
}

/**
 * Returns what a request asks for in its fields or, given a target's table, only what the target does not carry exactly. Messages
 * and tools are handled where they are encoded.
 */
export function featuresIn(request: ExchangeRequest, beyond?: Carries): readonly AskedFeature[] {
  let found: AskedFeature[] | null = null;
  const values = valuesOf(request);
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (value === null) continue;
    // Both lists have the same length.
    const { key, knob } = KNOB_LIST[index] as KnobOfKey;
    const features = typeof knob.about === 'function' ? knob.about(value) : knob.about;
    for (const feature of features) {
      if (beyond?.[feature] === 'exact') continue;
      const isUsual = knob.isUsual?.(value, request) ?? false;
      found ??= [];
      found.push({ feature, key, field: request.names[feature] ?? feature, isUsual });
    }
  }
  return found ?? NONE;
}

const NONE: readonly AskedFeature[] = [];

/**
 * Returns the values of the fields that have a knob, in the order of the map below. Written out, because access by name takes
 * five times as long, and every translated request goes through here.
 */
function valuesOf(request: ExchangeRequest): readonly unknown[] {
  return [
    request.maxOutputTokens,
    request.temperature,
    request.topP,
    request.topK,
    request.frequencyPenalty,
    request.presencePenalty,
    request.seed,
    request.stop,
    request.candidateCount,
    request.logprobs,
    request.logitBias,
    request.responseFormat,
    request.reasoning,
    request.verbosity,
    request.modalities,
    request.user,
    request.metadata,
    request.serviceTier,
    request.cacheKey,
    request.toolChoice,
    request.parallelToolCalls,
  ];
}

interface Knob<Value> {
  /** The features that the value concerns. */
  about: readonly Feature[] | ((value: Value) => readonly Feature[]);
  isUsual?(value: Value, request: ExchangeRequest): boolean;
}

/** Fields that are not a feature, and fields that are reported by path where they are encoded. */
type Elsewhere = 'no-feature' | 'by-place';

type Knobs = {
  readonly [Key in keyof ExchangeRequest]-?: Knob<NonNullable<ExchangeRequest[Key]>> | Elsewhere;
};

const STOP = ['stop'] as const;
const JSON_MODE = ['json-mode'] as const;
const JSON_SCHEMA = ['json-schema'] as const;
const NOTHING: readonly Feature[] = [];

const isZero = (value: number) => value === 0;
const isOne = (value: number) => value === 1;
const isEmpty = (value: object) => Object.keys(value).length === 0;

/** Every field of a request has an entry; a new field without one does not compile. */
const KNOBS = {
  format: 'no-feature',
  names: 'no-feature',
  messages: 'by-place',
  tools: 'by-place',
  rest: 'by-place',
  maxOutputTokens: { about: ['max-output-tokens'] },
  // OpenAI and Anthropic: "Defaults to 1", both. Vendors with a different default accept the parameter.
  temperature: { about: ['temperature'], isUsual: isOne },
  topP: { about: ['top-p'], isUsual: isOne },
  // vLLM: 0 and -1 consider all tokens; Cohere: "Defaults to 0"; OpenRouter likewise.
  topK: { about: ['top-k'], isUsual: (value) => value <= 0 },
  // OpenAI's document: "default: 0" for both.
  frequencyPenalty: { about: ['frequency-penalty'], isUsual: isZero },
  presencePenalty: { about: ['presence-penalty'], isUsual: isZero },
  seed: { about: ['seed'] },
  stop: { about: (stop) => (stop.length === 0 ? NOTHING : STOP) },
  // OpenAI's document: "default: 1"; Gemini: "If unset, this will default to 1".
  candidateCount: { about: ['candidate-count'], isUsual: isOne },
  logprobs: { about: ['logprobs'] },
  // OpenAI's document: "the bias is added to the logits", so a bias of 0 changes nothing.
  logitBias: { about: ['logit-bias'], isUsual: (biases) => Object.values(biases).every(isZero) },
  responseFormat: {
    // Models answer with text by default; OpenAI's document calls it "Default response format".
    about: ({ type }) => (type === 'text' ? NOTHING : type === 'json' ? JSON_MODE : JSON_SCHEMA),
  },
  reasoning: { about: featuresOfReasoning },
  // OpenAI's document: "Currently supported values are low, medium, and high. The default is medium."
  verbosity: { about: ['verbosity'], isUsual: (value) => value === 'medium' },
  // OpenAI's document: "Most models are capable of generating text, which is the default"; Gemini writes it in capitals.
  modalities: {
    about: ['output-modalities'],
    isUsual: (names) => names.every((name) => name.toLowerCase() === 'text'),
  },
  user: { about: ['user'], isUsual: (value) => value === '' },
  metadata: { about: ['metadata'], isUsual: isEmpty },
  // OpenAI's document: `auto` is the default, and `default` "the standard pricing and performance", the only tier if a provider has none.
  // Anthropic: `auto` is the default.
  serviceTier: { about: ['service-tier'], isUsual: (value) => value === 'auto' || value === 'default' },
  cacheKey: { about: ['cache-key'], isUsual: (value) => value === '' },
  // OpenAI's document: "`none` is the default when no tools are present. `auto` is the default if tools are present."
  toolChoice: { about: featuresOfChoice, isUsual: isUsualChoice },
  // OpenAI's document: "default: true"; Anthropic: `disable_parallel_tool_use` "defaults to false". Without tools nothing is called.
  parallelToolCalls: {
    about: ['parallel-tool-calls'],
    isUsual: (value, { tools }) => value || tools.length === 0,
  },
} as const satisfies Knobs;

/**
 * Returns the features that set the amount of thinking. A request that only switches thinking off asks for the lowest effort, and
 * one that only switches it on for any effort, so both need `reasoning-effort`.
 */
function featuresOfReasoning(options: ReasoningOptions): Feature[] {
  const features: Feature[] = [];
  if (hasBudget(options)) features.push('reasoning-budget');
  if (hasEffort(options) || isReasoningSwitch(options)) features.push('reasoning-effort');
  if (options.summary !== null) features.push('reasoning-summary');
  return features;
}

const CHOICES: Readonly<Record<ToolChoice['mode'], readonly Feature[]>> = {
  auto: ['tool-choice'],
  none: ['tool-choice'],
  required: ['tool-choice-required'],
  tool: ['tool-choice-named'],
  allowed: ['tool-choice-allowed'],
};
const ALLOWED_AND_REQUIRED: readonly Feature[] = ['tool-choice-allowed', 'tool-choice-required'];

function featuresOfChoice(choice: ToolChoice): readonly Feature[] {
  return choice.mode === 'allowed' && choice.required ? ALLOWED_AND_REQUIRED : CHOICES[choice.mode];
}

function isUsualChoice({ mode }: ToolChoice, { tools }: ExchangeRequest): boolean {
  return mode === 'auto' || (mode === 'none' && tools.length === 0);
}

/**
 * Features that a client's body requests in top-level members, with the same JSON values as in a request: a provider that lacks
 * one gets the body without these members.
 */
export const TUNING: ReadonlySet<Feature> = new Set<Feature>([
  ...(['temperature', 'top-p', 'top-k', 'frequency-penalty', 'presence-penalty', 'seed', 'logprobs'] as const),
  ...(['logit-bias', 'verbosity', 'user', 'metadata', 'service-tier', 'cache-key', 'parallel-tool-calls'] as const),
]);

/** Returns whether a member for a feature of `TUNING` has a value that asks for nothing. */
export function isUsualMember(feature: Feature, value: unknown): boolean {
  if (value === null || (feature === 'logprobs' && (value === false || value === 0))) return true;
  if (feature === 'parallel-tool-calls') return value === true;
  return KNOB_OF.get(feature)?.isUsual?.(value, UNSAID) ?? false;
}

interface KnobOfKey {
  readonly key: keyof ExchangeRequest;
  readonly knob: Knob<unknown>;
}

const KNOB_LIST = Object.entries(KNOBS as Knobs).flatMap(([key, knob]): readonly KnobOfKey[] =>
  // The map's keys are those of a request, by its type, and each knob receives only its own field's value.
  typeof knob === 'string' ? [] : [{ key: key as keyof ExchangeRequest, knob: knob as Knob<unknown> }],
);

const KNOB_OF: ReadonlyMap<Feature, Knob<unknown>> = new Map(
  KNOB_LIST.flatMap(({ knob }) =>
    typeof knob.about === 'function' ? [] : knob.about.map((feature) => [feature, knob] as const),
  ),
);

/** A request with no field set. */
const UNSAID = emptyRequest('', {});
