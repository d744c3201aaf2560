import type { ApiKind } from '../readers/index.ts';
import type { ConfiguredChannel } from '../shared/gateway.ts';
import type { Recording } from '../shared/recordings.ts';
import type { Replay } from '../shared/replay.ts';

/** The product's provider and format for a recorded provider. */
export interface Upstream {
  /** The name of a manifest. */
  readonly provider: string;
  readonly format: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** A prefix of the upstream model id by which the product recognizes the family. */
  readonly modelPrefix?: string;
  /** The provider's models do not support tools, so the product refuses them. */
  readonly withoutTools?: boolean;
}

/** The product's format for each kind of recorded API. */
const FORMATS: Readonly<Record<ApiKind, string>> = {
  chat: 'openai-chat',
  responses: 'openai-responses',
  messages: 'anthropic-messages',
  'generate-content': 'gemini',
  converse: 'bedrock-converse',
  'cohere-chat': 'cohere-chat',
};

/**
 * The product's manifests for the recordings' providers; the others are called as OpenAI-compatible servers.
 */
const MANIFESTS: Readonly<Record<string, Omit<Upstream, 'format'>>> = {
  alibaba: { provider: 'alibaba' },
  anthropic: { provider: 'anthropic' },
  azure: { provider: 'azure-openai', settings: { resource: 'replayed' } },
  bedrock: { provider: 'bedrock', settings: { region: 'us-east-1' } },
  cohere: { provider: 'cohere' },
  deepseek: { provider: 'deepseek' },
  gemini: { provider: 'google' },
  groq: { provider: 'groq' },
  huggingface: { provider: 'huggingface' },
  llamacpp: { provider: 'llamacpp' },
  lmstudio: { provider: 'lmstudio' },
  mistral: { provider: 'mistral' },
  moonshot: { provider: 'moonshot' },
  ollama: { provider: 'ollama' },
  openai: { provider: 'openai' },
  openrouter: { provider: 'openrouter' },
  // Sonar does not call tools.
  perplexity: { provider: 'perplexity', withoutTools: true },
  together: { provider: 'together' },
  vertex: { provider: 'vertex' },
  xai: { provider: 'xai' },
  zai: { provider: 'zai' },
};

/** Exceptions for one API of a provider. */
const APIS: Readonly<Record<string, Partial<Upstream>>> = {
  // Claude by `invoke`: the product recognizes Claude by the model id.
  'bedrock/invoke': { modelPrefix: 'anthropic.claude-' },
  'bedrock/invoke-with-response-stream': { modelPrefix: 'anthropic.claude-' },
};

/** Returns how the product calls the provider of a recording. */
export function upstreamOf({ provider, api }: Pick<Recording, 'provider' | 'api'>, kind: ApiKind): Upstream {
  const manifest = MANIFESTS[provider] ?? { provider: 'openai-compatible' };
  return { ...manifest, format: FORMATS[kind], ...APIS[`${provider}/${api}`] };
}

export function channelId({ provider, format }: Upstream): string {
  return `${provider}--${format}`;
}

/**
 * Returns one channel for each pair of provider and format, all to the same replayed upstream, which checks
 * their requests.
 */
export function channelsOf(
  models: readonly { readonly upstream: Upstream; readonly publicId: string; readonly upstreamId: string }[],
  strictUrlOf: Replay['strictUrlOf'],
): readonly ConfiguredChannel[] {
  return [...Map.groupBy(models, ({ upstream }) => channelId(upstream))].flatMap(([id, served]) => {
    const upstream = served[0]?.upstream;
    if (upstream === undefined) return [];
    const { provider, format, settings } = upstream;
    return {
      id,
      name: `Replayed ${provider}, ${format}`,
      provider,
      base_url: strictUrlOf({ provider, wire: format }),
      // A recorded answer states what was left of the limits then, which may be a single request.
      follow_provider_limits: false,
      api_key: 'upstream-key',
      ...(settings === undefined ? {} : { settings }),
      formats: [format],
      models: Object.fromEntries(served.map(({ publicId, upstreamId }) => [publicId, upstreamId])),
    };
  });
}
