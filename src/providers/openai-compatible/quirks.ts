import type { Quirk } from '../../formats/text/quirk.ts';
import {
  DEVELOPER_IS_SYSTEM,
  FREEFORM_OF_ANYBODY,
  has,
  MISTRAL_ORDER,
  NAMED_MAX_COMPLETION_TOKENS,
  OPENAI_REASONING,
  requiresReasoningBack,
  SYSTEM_FIRST,
} from '../shared/quirks.ts';

const TAKES_SYSTEM_ANYWHERE = /(?:^|[/:])(?:gpt-(?!oss)|chatgpt-|o[1-9]|claude-|gemini-|grok-|deepseek-)/;
const REQUIRES_REASONING = /(?:^|[/:])(?:deepseek-(?:v[4-9]|reasoner|flash)|kimi-k(?:2\.[5-9]|2-thinking|[3-9]))/;

/** The templates of these models raise an error for a later system message and for the role `developer`. */
const STRICT_QWEN = /(?:^|[/:])[Qq]wen-?(?:3\.[5-9]|[4-9])/;

/** Nothing is known about the server, so there are only rules that are safe with all servers; otherwise the norm applies. */
export const chatQuirks: readonly Quirk[] = [
  { ...DEVELOPER_IS_SYSTEM, isGuess: true },
  ...SYSTEM_FIRST.map((quirk): Quirk => ({ ...quirk, isGuess: true })),
  MISTRAL_ORDER,
  { ...DEVELOPER_IS_SYSTEM, models: STRICT_QWEN },
  ...SYSTEM_FIRST.map((quirk): Quirk => ({ ...quirk, models: STRICT_QWEN })),
  ...has(
    ['system-prompt-midway'],
    'The vendor’s own API, and proxies to it, accept system messages anywhere.',
    TAKES_SYSTEM_ANYWHERE,
  ),
  ...FREEFORM_OF_ANYBODY,
  ...requiresReasoningBack(
    'reasoning_content',
    'DeepSeek and Kimi return a 400 for an assistant message without `reasoning_content`, also through a proxy.',
    REQUIRES_REASONING,
  ),
  {
    ...NAMED_MAX_COMPLETION_TOKENS,
    models: OPENAI_REASONING,
    isRefused: true,
    why: 'OpenAI returns a 400 for `max_tokens` with reasoning models, also through a proxy.',
  },
];
