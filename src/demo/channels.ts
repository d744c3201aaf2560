import { DEMO_MODELS, TASK_MODELS, UPSTREAM_NAMES } from './models.ts';

/**
 * An address on this machine's `discard` port, where nothing listens: requests to a demo model contact nobody, no name is resolved, and the
 * sandbox answers in the channel's place.
 */
const NOWHERE = 'http://127.0.0.1:9';

export interface DemoChannel {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly priority?: number;
  readonly weight?: number;
  readonly owner?: string;
  /** The models besides those of `DEMO_MODELS`. */
  readonly models?: Readonly<Record<string, string>>;
}

export const DEMO_CHANNELS: readonly DemoChannel[] = [
  { id: 'openai', name: 'OpenAI main', provider: 'openai', weight: 3 },
  { id: 'openai-eu', name: 'OpenAI Europe', provider: 'openai' },
  { id: 'anthropic', name: 'Anthropic', provider: 'anthropic' },
  { id: 'gemini', name: 'Gemini', provider: 'google' },
  { id: 'deepseek', name: 'DeepSeek', provider: 'deepseek' },
  { id: 'groq', name: 'Groq', provider: 'groq' },
  { id: 'xai', name: 'xAI', provider: 'xai' },
  { id: 'fal', name: 'fal studio', provider: 'fal', models: { 'veo-3.1': 'fal-ai/veo3.1' } },
  { id: 'suno', name: 'Music', provider: 'suno', models: { suno_music: 'suno_music' } },
  {
    id: 'tripo',
    name: '3D models',
    provider: 'tripo',
    models: { 'tripo-v3.1-20260211': 'tripo-v3.1-20260211' },
  },
  { id: 'openrouter', name: 'OpenRouter (fallback)', provider: 'openrouter', priority: 10 },
  {
    id: 'deepseek-trial',
    name: 'DeepSeek trial, autumn',
    provider: 'deepseek',
    priority: 20,
    models: { 'deepseek-v4-pro': 'deepseek-v4-pro' },
  },
  {
    id: 'ferryline-claude',
    name: "Ferryline's own Anthropic contract",
    provider: 'anthropic',
    owner: 'ferryline',
    models: { 'claude-sonnet-5-5': 'claude-sonnet-5-5', 'claude-opus-5-5': 'claude-opus-5-5' },
  },
];

/** An account's own channel: requests to it are not charged, and the cache saves nothing. */
export const PRIVATE_CHANNEL = 'ferryline-claude';
export const SANDBOX_CHANNEL = 'sandbox-backup';

/** Returns a channel in the form of the configuration. */
export function channelInput({ models = {}, ...channel }: DemoChannel) {
  const served = Object.entries(DEMO_MODELS).flatMap(([modelId, { ways }]) =>
    ways.some((place) => place.includes(channel.id))
      ? [[modelId, UPSTREAM_NAMES[channel.id]?.[modelId] ?? modelId] as const]
      : [],
  );
  return {
    ...channel,
    base_url: `${NOWHERE}/${channel.id}`,
    api_key: `demo-no-real-key-${channel.id}`,
    models: { ...Object.fromEntries(served), ...models },
  };
}

/** Returns the sandbox channel, which answers for all models of the demo within the gateway, after its other channels have failed. */
export function sandboxInput(ownModels: readonly string[]) {
  const stood = [...Object.entries(TASK_MODELS), ...Object.entries(DEMO_MODELS)].map(
    ([modelId, { sandbox }]) => [modelId, sandbox] as const,
  );
  return {
    id: SANDBOX_CHANNEL,
    name: 'Sandbox',
    provider: 'sandbox',
    priority: 1_000,
    models: { ...Object.fromEntries(ownModels.map((id) => [id, id])), ...Object.fromEntries(stood) },
  };
}

export function providerOf(channelId: string): string {
  return DEMO_CHANNELS.find(({ id }) => id === channelId)?.provider ?? 'sandbox';
}
