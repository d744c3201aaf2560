import type { Quantity } from '../domain/money/quantity.ts';
import { ONE_REQUEST } from '../domain/money/quantity.ts';
import type { Chance } from './chance.ts';

interface Timing {
  /** The median. */
  readonly firstByteMs: number;
  readonly tokensPerSecond: number;
}

export interface ChatModel extends Timing {
  readonly kind: 'chat';
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The share of answers that include reasoning. */
  readonly reasons: number;
  /** Whether the upstream bills writes to its prompt cache. */
  readonly writesCache: boolean;
}

interface OtherModel {
  readonly kind: 'embedding' | 'image' | 'speech' | 'transcription';
  readonly latencyMs: number;
  readonly quantities: (chance: Chance) => readonly Quantity[];
}

export interface DemoModel {
  readonly profile: ChatModel | OtherModel;
  /** The channels in order; those in one group share the requests. */
  readonly ways: readonly (readonly string[])[];
  /** The sandbox model that answers when somebody tries this model. */
  readonly sandbox: string;
}

function chat(
  ways: DemoModel['ways'],
  [firstByteMs, tokensPerSecond, inputTokens, outputTokens]: readonly [number, number, number, number],
  more: Partial<Pick<ChatModel, 'reasons' | 'writesCache'>> = {},
): DemoModel {
  const timing = { firstByteMs, tokensPerSecond, inputTokens, outputTokens };
  return {
    profile: { kind: 'chat', ...timing, reasons: 0, writesCache: false, ...more },
    ways,
    sandbox: 'sandbox-chat',
  };
}

function other(
  kind: OtherModel['kind'],
  ways: DemoModel['ways'],
  latencyMs: number,
  sandbox: string,
  quantities: OtherModel['quantities'],
): DemoModel {
  return { profile: { kind, latencyMs, quantities }, ways, sandbox };
}

const OPENAI = ['openai', 'openai-eu'] as const;

/** The models that the demo's accounts use, by public id. Their names and prices are from the catalog. */
export const DEMO_MODELS: Readonly<Record<string, DemoModel>> = {
  'gpt-6.1-sol': chat([OPENAI, ['openrouter']], [720, 82, 2_600, 420], { reasons: 0.7 }),
  'gpt-6-luna': chat([OPENAI], [310, 165, 1_100, 210]),
  'gpt-5.4-mini': chat([OPENAI], [420, 130, 1_500, 260], { reasons: 0.3 }),
  'claude-opus-5-5': chat([['anthropic']], [1_450, 55, 6_800, 700], { reasons: 0.5, writesCache: true }),
  'claude-sonnet-5-5': chat([['anthropic'], ['openrouter']], [880, 76, 5_200, 520], {
    reasons: 0.35,
    writesCache: true,
  }),
  'claude-haiku-5-5': chat([['anthropic']], [390, 148, 1_900, 240], { writesCache: true }),
  'gemini-3.8-flash': chat([['gemini'], ['openrouter']], [450, 190, 2_100, 330], { reasons: 0.25 }),
  'gemini-4-argon': chat([['gemini']], [1_150, 92, 4_400, 610], { reasons: 0.6 }),
  'deepseek-v4-flash': chat([['deepseek']], [640, 96, 1_800, 380], { reasons: 0.4 }),
  'openai/gpt-oss-120b': chat([['groq'], ['openrouter']], [160, 410, 1_300, 300], { reasons: 0.5 }),
  'z-ai/glm-5.3-flash': chat([['openrouter']], [560, 105, 1_700, 310]),
  'moonshotai/kimi-k3.1-pro': chat([['openrouter']], [930, 68, 3_900, 560], { reasons: 0.4 }),
  'grok-4.7': chat([['xai']], [810, 84, 2_300, 390], { reasons: 0.5 }),
  'text-embedding-3-small': other('embedding', [OPENAI], 95, 'sandbox-embedding', (chance) => [
    { unit: 'input_token', amount: Math.max(4, Math.round(chance.spread(900, 0.9))) },
    ONE_REQUEST,
  ]),
  'gpt-image-2': other('image', [OPENAI], 21_000, 'sandbox-image', (chance) => [
    { unit: 'input_token', amount: chance.whole(25, 220) },
    { unit: 'image_output_token', amount: chance.one([1_056, 1_568, 4_160]) },
    ONE_REQUEST,
  ]),
  'flux-2-pro': other('image', [['fal']], 6_400, 'sandbox-image', (chance) => [
    { unit: 'image', amount: chance.whole(1, 2), variant: chance.one(['1024x1024', '1536x1024', '1024x1536']) },
    ONE_REQUEST,
  ]),
  'tts-1': other('speech', [OPENAI], 1_700, 'sandbox-speech', (chance) => [
    { unit: 'character', amount: Math.max(12, Math.round(chance.spread(420, 0.7))) },
    ONE_REQUEST,
  ]),
  'whisper-large-v3-turbo': other('transcription', [['groq']], 2_300, 'sandbox-transcription', (chance) => [
    { unit: 'millisecond', amount: Math.round(chance.spread(95_000, 0.8)) },
    ONE_REQUEST,
  ]),
};

/** Models whose requests are tasks. */
export const TASK_MODELS = {
  'veo-3.1': { kind: 'video', channel: 'fal', upstream: 'fal-ai/veo3.1', wire: 'fal-videos', sandbox: 'sandbox-video' },
  suno_music: { kind: 'music', channel: 'suno', upstream: 'suno_music', wire: 'suno-music', sandbox: 'sandbox-music' },
  'tripo-v3.1-20260211': {
    kind: '3d',
    channel: 'tripo',
    upstream: 'tripo-v3.1-20260211',
    wire: 'tripo-3d',
    sandbox: 'sandbox-3d',
  },
  'flux-2-pro': {
    kind: 'image',
    channel: 'fal',
    upstream: 'fal-ai/flux-2-pro',
    wire: 'fal-images',
    sandbox: 'sandbox-slow-image',
  },
} as const;
export type TaskModelId = keyof typeof TASK_MODELS;

/** Upstream names that differ from the model's id, by channel. */
export const UPSTREAM_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  openrouter: {
    'gpt-6.1-sol': 'openai/gpt-6.1-sol',
    'claude-sonnet-5-5': 'anthropic/claude-sonnet-5.5',
    'gemini-3.8-flash': 'google/gemini-3.8-flash',
  },
  fal: { 'flux-2-pro': 'fal-ai/flux-2-pro' },
};
