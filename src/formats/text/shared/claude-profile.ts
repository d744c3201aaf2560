import type { Effort } from '../../../domain/exchange/request.ts';

/*
 * The differences between Claude models that matter for a request translated from another format: Anthropic answers 400 to a
 * parameter that the model does not accept. A request in Anthropic's own format is never changed because of them.
 */

export interface ModelProfile {
  /** The largest `max_tokens` that the API accepts ("… which is the maximum allowed number of output tokens for …"). */
  readonly maxOutputTokens: number;
  /**
   * `none`: the model does not think. `budget`: `enabled` with `budget_tokens`. `both`: `budget` or `adaptive`. `adaptive`:
   * `budget_tokens` is refused. `always`: like `adaptive`, and `disabled` is refused as well.
   */
  readonly thinking: 'none' | 'budget' | 'both' | 'adaptive' | 'always';
  /** Whether the model thinks by default. */
  readonly thinksByDefault: boolean;
  /** The values that `output_config.effort` accepts, in rising order; empty if the model refuses the member. */
  readonly efforts: readonly Effort[];
  /**
   * `all`: sampling parameters may be combined; `one`: either temperature or top_p; `none`: none of temperature, top_p and
   * top_k.
   */
  readonly sampling: 'all' | 'one' | 'none';
  /** Whether the model supports `output_config.format` and strict tools. */
  readonly structuredOutputs: boolean;
  /** Whether `tool_choice` may be `any` or `tool`. */
  readonly forcedTools: boolean;
  /** Whether a message in mid-conversation may have the role `system`. */
  readonly systemMidway: boolean;
  /** Whether the model continues an answer that the last message has begun. */
  readonly prefill: boolean;
}

interface Rule {
  readonly families?: readonly string[];
  /** The lowest version that the rule applies to: 4.5 is 405. */
  readonly from: number;
  readonly profile: ModelProfile;
  readonly why: string;
}

const UP_TO_HIGH: readonly Effort[] = ['low', 'medium', 'high'];
const WITHOUT_XHIGH: readonly Effort[] = ['low', 'medium', 'high', 'max'];
const ALL_EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

const ADAPTIVE: ModelProfile = {
  maxOutputTokens: 128_000,
  thinking: 'adaptive',
  thinksByDefault: true,
  efforts: ALL_EFFORTS,
  sampling: 'none',
  structuredOutputs: true,
  forcedTools: true,
  systemMidway: true,
  prefill: false,
};

const CLAUDE_4_5: ModelProfile = {
  maxOutputTokens: 64_000,
  thinking: 'budget',
  thinksByDefault: false,
  efforts: [],
  sampling: 'one',
  structuredOutputs: true,
  forcedTools: true,
  systemMidway: false,
  prefill: true,
};

const CLAUDE_4: ModelProfile = { ...CLAUDE_4_5, sampling: 'all', structuredOutputs: false };

const CLAUDE_3: ModelProfile = { ...CLAUDE_4, maxOutputTokens: 4_096, thinking: 'none' };

/** The first matching rule applies. The pages are on platform.claude.com/docs. */
const RULES: readonly Rule[] = [
  {
    families: ['opus'],
    from: 505,
    profile: { ...ADAPTIVE, thinking: 'always', forcedTools: false },
    why: '"What\'s new in Claude Opus 5.5": thinking cannot be disabled, and forced tool use is an error',
  },
  {
    families: ['fable', 'mythos'],
    from: 501,
    profile: { ...ADAPTIVE, thinking: 'always', forcedTools: false },
    why: 'the same page: both also apply to Fable 5.1 and Mythos 5.1',
  },
  {
    families: ['fable', 'mythos'],
    from: 500,
    profile: { ...ADAPTIVE, thinking: 'always' },
    why: '"Migrating to Claude Fable 5": `disabled` and `enabled` both return a 400',
  },
  {
    families: ['sonnet'],
    from: 505,
    profile: { ...ADAPTIVE, thinking: 'always' },
    why: '"Thinking": Sonnet 5.5 has `between_tools` instead of `disabled`',
  },
  {
    from: 500,
    profile: ADAPTIVE,
    why: '"Troubleshooting thinking": adaptive by default; sampling parameters return a 400',
  },
  {
    families: ['opus'],
    from: 408,
    profile: { ...ADAPTIVE, thinksByDefault: false },
    why: '"What\'s new in Claude 4.8": the first to accept system messages in mid-conversation',
  },
  {
    from: 407,
    profile: { ...ADAPTIVE, thinksByDefault: false, systemMidway: false },
    why: '"Migrating to Claude Opus 4.7": no budgets, no sampling parameters, `xhigh`',
  },
  {
    from: 406,
    profile: { ...CLAUDE_4_5, maxOutputTokens: 128_000, thinking: 'both', efforts: WITHOUT_XHIGH, prefill: false },
    why: '"Adaptive thinking" and "Effort": both adaptive and budgeted thinking, `max` but no `xhigh`; the API: "does not support assistant message prefill"',
  },
  {
    families: ['opus'],
    from: 405,
    profile: { ...CLAUDE_4_5, efforts: UP_TO_HIGH },
    why: '"Effort": Opus 4.5 was the first to have an effort, up to `high`',
  },
  { from: 405, profile: CLAUDE_4_5, why: 'the API: "temperature and top_p cannot both be specified for this model"' },
  {
    families: ['opus'],
    from: 401,
    profile: { ...CLAUDE_4, maxOutputTokens: 32_000, sampling: 'one' },
    why: '"Models overview", and the same 400 as the 4.5 models',
  },
  { families: ['opus'], from: 400, profile: { ...CLAUDE_4, maxOutputTokens: 32_000 }, why: '"Models overview"' },
  { from: 400, profile: CLAUDE_4, why: '"Models overview": 64,000 output tokens' },
  { from: 307, profile: CLAUDE_4, why: '"Models overview": Claude 3.7 thinks within a budget' },
  { from: 305, profile: { ...CLAUDE_3, maxOutputTokens: 8_192 }, why: '"Models overview": 8,192 output tokens' },
  { from: 0, profile: CLAUDE_3, why: '"Models overview": 4,096 output tokens' },
];

/**
 * The research preview has a name but no version. It supports both kinds of thinking, but no sampling parameters and no `xhigh`.
 */
const MYTHOS_PREVIEW: ModelProfile = {
  ...ADAPTIVE,
  thinking: 'both',
  efforts: WITHOUT_XHIGH,
  systemMidway: false,
};

/** A different vendor's model at a URL that speaks this format: settings that all such models accept. */
const NOT_CLAUDE: ModelProfile = {
  ...CLAUDE_4,
  maxOutputTokens: 8_192,
  structuredOutputs: true,
};

/**
 * Matches `claude-sonnet-4-5-20250929`, `us.anthropic.claude-opus-4-1-20250805-v1:0`, `claude-opus-4@20250514`,
 * `anthropic/claude-opus-4.6`.
 */
const NEW_NAME = /claude-(opus|sonnet|haiku|fable|mythos)-(\d)(?:[-.](\d{1,2})(?!\d))?/;
/** Matches `claude-3-5-sonnet-20241022`, `claude-3-haiku-20240307`. */
const OLD_NAME = /claude-(\d)(?:[-.](\d))?-(opus|sonnet|haiku)/;

export function profileOf(model: string): ModelProfile {
  const name = model.toLowerCase();
  if (name.includes('claude-mythos-preview')) return MYTHOS_PREVIEW;
  const parsed = versionIn(name);
  if (parsed === null) return NOT_CLAUDE;
  const rule = RULES.find(
    ({ families, from }) => parsed.version >= from && (families === undefined || families.includes(parsed.family)),
  );
  return rule?.profile ?? NOT_CLAUDE;
}

function versionIn(name: string): { family: string; version: number } | null {
  const [, newFamily, newMajor, newMinor] = NEW_NAME.exec(name) ?? [];
  if (newFamily !== undefined) return { family: newFamily, version: Number(newMajor) * 100 + Number(newMinor ?? 0) };
  const [, oldMajor, oldMinor, oldFamily] = OLD_NAME.exec(name) ?? [];
  if (oldFamily !== undefined) return { family: oldFamily, version: Number(oldMajor) * 100 + Number(oldMinor ?? 0) };
  return null;
}
