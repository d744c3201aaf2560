import type { ClientFormat } from '../readers/index.ts';
import { ACCOUNT_ID, type ConfiguredChannel } from '../shared/gateway.ts';
import type { Service } from '../strict/check.ts';

/** An upstream format, with a provider that speaks it and nothing else. */
export type TargetFormat = ClientFormat | 'bedrock-converse' | 'cohere-chat';

/** Requests that ask for thinking go to a model that can. An unruled model is one that its provider's rules do not know. */
export type ModelKind = 'plain' | 'thinking' | 'unruled';

interface Target {
  readonly provider: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Below the recording upstream's own folder for this target. */
  readonly basePath: string;
  readonly models: Readonly<Record<Exclude<ModelKind, 'unruled'>, string>> & { readonly unruled?: string };
}

const OPENAI = { plain: 'gpt-4o-mini', thinking: 'gpt-5-mini', unruled: 'a-new-model' };

const TARGETS: Readonly<Record<TargetFormat, Target>> = {
  'openai-chat': { provider: 'openai', basePath: '/v1', models: OPENAI },
  'openai-responses': { provider: 'openai', basePath: '/v1', models: OPENAI },
  'anthropic-messages': {
    provider: 'anthropic',
    basePath: '/v1',
    models: { plain: 'claude-haiku-4-5', thinking: 'claude-sonnet-4-6' },
  },
  gemini: {
    provider: 'google',
    basePath: '/v1beta',
    models: { plain: 'gemini-2.5-flash', thinking: 'gemini-3.6-flash', unruled: 'a-new-model' },
  },
  'bedrock-converse': {
    provider: 'bedrock',
    settings: { region: 'us-east-1' },
    basePath: '',
    models: { plain: 'amazon.nova-pro-v1:0', thinking: 'us.anthropic.claude-sonnet-4-6' },
  },
  'cohere-chat': {
    provider: 'cohere',
    basePath: '',
    models: { plain: 'command-a-03-2025', thinking: 'command-a-reasoning-08-2025' },
  },
};

// Object.keys forgets the keys' type, which is just these.
export const TARGET_FORMATS = Object.keys(TARGETS) as TargetFormat[];

/** The model id that a client of the gateway asks for to reach the target. */
export function publicModel(target: TargetFormat, kind: ModelKind): string {
  return `${kind}-over-${target}`;
}

export function upstreamModel(target: TargetFormat, kind: ModelKind): string {
  const { models } = TARGETS[target];
  return models[kind] ?? models.plain;
}

export function channelOf(target: TargetFormat, upstreamOrigin: string): ConfiguredChannel {
  const { provider, settings, basePath, models } = TARGETS[target];
  return {
    id: target,
    name: target,
    provider,
    base_url: `${upstreamOrigin}/${target}${basePath}`,
    api_key: 'upstream-key',
    // Recorded requests name files, caches and items, as an account may only on a channel of its own.
    owner: ACCOUNT_ID,
    ...(settings === undefined ? {} : { settings }),
    formats: [target],
    models: {
      [publicModel(target, 'plain')]: models.plain,
      [publicModel(target, 'thinking')]: models.thinking,
      [publicModel(target, 'unruled')]: upstreamModel(target, 'unruled'),
    },
  };
}

/** The service that the target stands for, and the part of a path that belongs to its base URL. */
export function serviceOf(target: TargetFormat): { readonly service: Service; readonly basePath: string } {
  const { provider, basePath } = TARGETS[target];
  return { service: { provider, wire: target }, basePath };
}
