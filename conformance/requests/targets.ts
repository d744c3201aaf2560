import type { ClientFormat } from '../readers/index.ts';
import { ACCOUNT_ID, type ConfiguredChannel } from '../shared/gateway.ts';
import type { Service } from '../strict/check.ts';

/** An upstream format, reached over a provider that speaks only this one. */
export type TargetFormat = ClientFormat | 'bedrock-converse' | 'cohere-chat';

/**
 * Requests for thinking go to a model that supports it. The provider's rules do not know an unruled model.
 */
export type ModelKind = 'plain' | 'thinking' | 'unruled';

interface Target {
  readonly provider: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Relative to the recording upstream's own path for this target. */
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

// `Object.keys` returns `string[]`; these are the only keys.
export const TARGET_FORMATS = Object.keys(TARGETS) as TargetFormat[];

/** Returns the public model id that reaches the target. */
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
    // Recorded requests name files, caches and items, which only the owner of a channel may do.
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

/** Returns the service that the target imitates, and the part of its paths that belongs to the base URL. */
export function serviceOf(target: TargetFormat): { readonly service: Service; readonly basePath: string } {
  const { provider, basePath } = TARGETS[target];
  return { service: { provider, wire: target }, basePath };
}
