import type { z } from 'zod';
import type { ModelCategory } from '../domain/catalog/model.ts';

/** A format that the provider's API speaks itself, and where. */
export interface ProviderFormat {
  /** A format's name, such as `openai-chat`. */
  readonly format: string;
  /** The path below the base address. */
  readonly path: string;
}

/** A model that the product knows the provider to have: what a channel made from the environment serves. */
export interface ProviderModel {
  readonly id: string;
  readonly category: ModelCategory;
}

/** What `authorize` may look at: the channel's key and its settings, already checked by the manifest's schema. */
export interface ChannelCredentials {
  readonly apiKey: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Finds a provider that runs on this machine or network without a key (Ollama). */
export interface Discovery {
  /** Below the base address; answered with 200 by a running server. */
  readonly path: string;
  /** The model ids in that answer's JSON; empty when it is something else. */
  modelsIn(json: unknown): string[];
  /** Whether it is looked for at every start; the others only when an operator asks. */
  readonly atStart: boolean;
}

/** An upstream inside the process: it answers as the provider's HTTP API would. */
export type LocalUpstream = (request: Request) => Promise<Response>;

/**
 * All that the gateway knows of a provider. One that is OpenAI-compatible needs nothing but this.
 * Capabilities are optional members, never stubs.
 */
export interface ProviderManifest {
  readonly name: string;
  readonly label: string;
  /** With the version segment, without a trailing slash; `null` when every channel must name its own. */
  readonly baseUrl: string | null;
  /** The environment variables that customarily hold the key, the first one set wins; empty when there is none. */
  readonly keyVariables: readonly string[];
  readonly keyRequired: boolean;
  /** In order of preference. */
  readonly formats: readonly ProviderFormat[];
  /** Checks a channel's `settings`; absent means that the provider takes none. */
  readonly settings?: z.ZodType<Record<string, unknown>>;
  /** The headers that authorize a request; absent means `Authorization: Bearer <key>`. */
  readonly authorize?: (credentials: ChannelCredentials) => Record<string, string>;
  readonly models?: readonly ProviderModel[];
  readonly discovery?: Discovery;
  readonly local?: LocalUpstream;
}
