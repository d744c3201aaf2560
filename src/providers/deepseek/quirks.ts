import type { Quirk } from '../../formats/text/quirk.ts';
import { quirksOfFamilies } from '../shared/model-families.ts';
import {
  DEVELOPER_IS_SYSTEM,
  FUNCTIONS_FOR_FREEFORM,
  lacks,
  requiresReasoningBack,
  SYSTEM_BESIDE_MESSAGES,
} from '../shared/quirks.ts';
import { families } from './families.ts';

/** Sources: the pages "Thinking Mode" and "Create Chat Completion" of api-docs.deepseek.com, and recorded error responses. */
export const chatQuirks: readonly Quirk[] = [
  DEVELOPER_IS_SYSTEM,
  {
    kind: 'thinking-switch',
    style: 'thinking-type',
    why: 'The page "Thinking Mode": thinking is on by default, and `thinking.type` turns it on or off.',
  },
  {
    kind: 'efforts',
    values: ['low', 'high', 'max'],
    why: 'The page "Thinking Mode": `reasoning_effort` has these three values; others are mapped to them.',
  },
  ...requiresReasoningBack(
    'reasoning_content',
    'Thinking models return a 400 for an assistant message without `reasoning_content`; an empty one is accepted.',
  ),
  {
    kind: 'unforced-while-thinking',
    why: 'A recorded response to a forced call is a 400: "Thinking mode does not support this tool_choice".',
  },
  ...lacks(
    ['json-schema'],
    'approximated',
    'The page "JSON Output": `response_format` is `text` or `json_object`, so the schema is part of the prompt.',
  ),
  ...lacks(
    ['audio-inline', 'audio-url', 'document-inline', 'document-url', 'video-inline', 'video-url', 'provider-file'],
    'refused',
    'DeepSeek returns a 400 for content parts of this type; it expects text.',
  ),
  ...quirksOfFamilies(families, 'openai-chat'),
  ...lacks(
    ['verbosity', 'cache-key', 'service-tier', 'metadata', 'seed', 'logit-bias'],
    'dropped',
    'The page "Create Chat Completion" does not list this parameter.',
  ),
  ...FUNCTIONS_FOR_FREEFORM,
  ...lacks(
    ['web-search', 'hosted-tools', 'output-modalities', 'candidate-count'],
    'refused',
    'The page "Create Chat Completion": one text response, and function tools.',
  ),
];

/** Source: the compatibility table of the page "Using the Anthropic API". */
export const messagesQuirks: readonly Quirk[] = [
  ...SYSTEM_BESIDE_MESSAGES,
  ...lacks(
    ['top-k', 'cache-marks', 'reasoning-budget', 'service-tier', 'tool-result-error'],
    'dropped',
    'The page "Using the Anthropic API" lists it as ignored.',
  ),
  ...lacks(
    ['document-inline', 'document-url', 'document-text', 'provider-file', 'hosted-tools'],
    'refused',
    'The page "Using the Anthropic API" lists it as not supported.',
  ),
  ...quirksOfFamilies(families, 'anthropic-messages'),
];

/** Source: the page "Using the Responses API". */
export const responsesQuirks: readonly Quirk[] = [
  DEVELOPER_IS_SYSTEM,
  ...FUNCTIONS_FOR_FREEFORM,
  {
    kind: 'efforts',
    values: ['none', 'low', 'high', 'max'],
    why: 'The page "Thinking Mode": `reasoning.effort` has these four values, and `none` disables thinking.',
  },
  ...lacks(
    ['document-inline', 'document-url', 'document-text', 'provider-file', 'audio-inline', 'audio-url'],
    'refused',
    'The reference of `POST /responses`: files are not supported.',
  ),
  ...quirksOfFamilies(families, 'openai-responses'),
];
