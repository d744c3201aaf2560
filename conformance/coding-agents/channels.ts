import { anthropicWire } from '../shared/wires/anthropic.ts';
import { chatWire } from '../shared/wires/chat.ts';
import { cohereWire } from '../shared/wires/cohere.ts';
import { converseWire } from '../shared/wires/converse.ts';
import { geminiWire } from '../shared/wires/gemini.ts';
import { functionsOnlyWire, responsesWire } from '../shared/wires/responses.ts';
import type { Wire } from '../shared/wires/wire.ts';

/** A channel of the gateway: the only one of the model with its name. */
export interface AgentChannel {
  readonly id: string;
  /** A manifest's name. */
  readonly provider: string;
  readonly format: string;
  readonly model: string;
  readonly wire: Wire;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Below the channel's own folder. */
  readonly basePath: string;
  /** Whether the model supports images. */
  readonly seesImages: boolean;
  /** Whether the upstream lacks a part of its own format, so that even a client of that format is not relayed. */
  readonly translatesItsOwn?: true;
}

const V1 = '/v1';

export const CHANNELS: readonly AgentChannel[] = [
  {
    ...{ id: 'deepseek', provider: 'deepseek', format: 'openai-chat', model: 'deepseek-chat' },
    ...{ wire: chatWire, basePath: '', seesImages: false },
  },
  {
    ...{ id: 'vllm', provider: 'vllm', format: 'openai-chat', model: 'qwen3-vl-coder' },
    ...{ wire: chatWire, basePath: V1, seesImages: true },
  },
  {
    ...{ id: 'compatible', provider: 'openai-compatible', format: 'openai-chat', model: 'some-model' },
    ...{ wire: chatWire, basePath: V1, seesImages: true },
  },
  {
    ...{ id: 'openai', provider: 'openai', format: 'openai-responses', model: 'gpt-5.5' },
    ...{ wire: responsesWire, basePath: V1, seesImages: true },
  },
  {
    ...{ id: 'grok', provider: 'xai', format: 'openai-responses', model: 'grok-4-fast' },
    ...{ wire: functionsOnlyWire, basePath: V1, seesImages: true, translatesItsOwn: true },
  },
  {
    ...{ id: 'deepseek-responses', provider: 'deepseek', format: 'openai-responses', model: 'deepseek-flash' },
    ...{ wire: functionsOnlyWire, basePath: '', seesImages: true, translatesItsOwn: true },
  },
  {
    ...{ id: 'claude', provider: 'anthropic', format: 'anthropic-messages', model: 'claude-sonnet-5' },
    ...{ wire: anthropicWire, basePath: V1, seesImages: true },
  },
  {
    ...{ id: 'gemini', provider: 'google', format: 'gemini', model: 'gemini-3.6-flash' },
    ...{ wire: geminiWire, basePath: '/v1beta', seesImages: true },
  },
  {
    ...{ id: 'bedrock', provider: 'bedrock', format: 'bedrock-converse', model: 'us.anthropic.claude-sonnet-4-6' },
    ...{ wire: converseWire, settings: { region: 'us-east-1' }, basePath: '', seesImages: true },
  },
  {
    ...{ id: 'cohere', provider: 'cohere', format: 'cohere-chat', model: 'command-a-reasoning-08-2025' },
    ...{ wire: cohereWire, basePath: '', seesImages: false },
  },
];
