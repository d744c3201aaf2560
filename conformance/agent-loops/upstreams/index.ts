import { anthropicUpstream } from './anthropic.ts';
import { geminiUpstream } from './gemini.ts';
import { openaiResponsesUpstream } from './openai-responses.ts';
import { reasoningChatUpstream } from './reasoning-chat.ts';
import type { ScriptedUpstream } from './upstream.ts';

/** A channel of the gateway with its scripted upstream. */
export interface ScriptedChannel {
  readonly id: string;
  /** A manifest's name. */
  readonly provider: string;
  readonly format: string;
  readonly model: string;
  readonly upstream: ScriptedUpstream;
}

const anthropic = { provider: 'anthropic', format: 'anthropic-messages' } as const;
const openai = { provider: 'openai', format: 'openai-responses', model: 'gpt-5.5' } as const;
const google = { provider: 'google', format: 'gemini', model: 'gemini-3.1-pro-preview' } as const;

/** Each is the only channel of the model with its name. */
export const CHANNELS: readonly ScriptedChannel[] = [
  { ...anthropic, id: 'claude', model: 'claude-sonnet-4-5', upstream: anthropicUpstream(false) },
  { ...anthropic, id: 'adaptive-claude-redacted', model: 'claude-sonnet-5', upstream: anthropicUpstream(true) },
  { ...openai, id: 'openai', upstream: openaiResponsesUpstream },
  { ...google, id: 'gemini', upstream: geminiUpstream(false) },
  { ...google, id: 'gemini-with-ids', upstream: geminiUpstream(true) },
  {
    ...{ id: 'deepseek', provider: 'deepseek', format: 'openai-chat', model: 'deepseek-v4-pro' },
    upstream: reasoningChatUpstream('deepseek'),
  },
  {
    ...{ id: 'openrouter', provider: 'openrouter', format: 'openai-chat', model: 'anthropic/claude-haiku-4.5' },
    upstream: reasoningChatUpstream('openrouter'),
  },
];

/** A model with two channels: the first one answers until it fails. */
export interface SharedModel {
  readonly model: string;
  readonly channels: readonly ScriptedChannel[];
}

export const SHARED_MODELS: readonly SharedModel[] = [
  {
    model: 'claude-or-gemini',
    channels: [
      { ...anthropic, id: 'shared-claude', model: 'claude-sonnet-4-5', upstream: anthropicUpstream(true) },
      { ...google, id: 'shared-gemini', upstream: geminiUpstream(false) },
    ],
  },
  {
    model: 'adaptive-claude-or-openai',
    channels: [
      { ...anthropic, id: 'adaptive-claude', model: 'claude-sonnet-5', upstream: anthropicUpstream(false) },
      { ...openai, id: 'shared-openai', upstream: openaiResponsesUpstream },
    ],
  },
  {
    model: 'two-organisations',
    channels: [
      { ...openai, id: 'organisation-one', upstream: openaiResponsesUpstream },
      { ...openai, id: 'organisation-two', upstream: openaiResponsesUpstream },
    ],
  },
];
