import type { z } from 'zod';
import type { CatalogModel } from '../domain/catalog/catalog-model.ts';
import type { Failure } from '../domain/failure/failure.ts';
import type { PiecedBody } from '../domain/media/pieced-body.ts';
import type { EmbeddingTraits } from '../formats/embeddings/wire.ts';
import type { LimitSpelling } from '../formats/shared/rate-limits/stated-limits.ts';
import type { SpeechDialect } from '../formats/speech/wire.ts';
import type { Quirk } from '../formats/text/quirk.ts';
import type { TranscriptionTraits } from '../formats/transcription/wire.ts';
import type { OwnMembers } from '../formats/wire.ts';
import type { ProviderBatches } from './shared/batch-rules.ts';
import type { GovernedMember } from './shared/governed-member.ts';
import type { MessagesBetas } from './shared/messages-betas.ts';
import type { ModelFamily } from './shared/model-families.ts';
import type { RelayedApiName } from './shared/relayed-apis.ts';
import type { ServerFamily } from './shared/servers/server-family.ts';

/** The inputs for the path of an upstream call. */
export interface UpstreamCall {
  readonly model: string;
  readonly stream: boolean;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A path below the base address, including the query. */
export type UpstreamPath = string | ((call: UpstreamCall) => string);

/** A format that the provider's API speaks, and its endpoint. */
export interface ProviderFormat {
  /** A format's name, such as `openai-chat`. */
  readonly format: string;
  readonly path: UpstreamPath;
  /** Replaces the channel's base address, if the provider has this format elsewhere. */
  readonly baseUrl?: string;
  /** Used only by a channel whose `formats` names it, because not every server of this kind has it. */
  readonly optIn?: boolean;
  /** Only upstream models whose id matches are served in this format; absent means all. */
  readonly models?: RegExp;
  readonly quirks?: readonly Quirk[];
  /** Members by which the provider chooses other models, bills extra, or accesses its owner's objects. */
  readonly governs?: readonly GovernedMember[];
  /** Headers that belong to the format here (`anthropic-version`). A client's own relayed headers take precedence. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Changes that the provider requires in every body of this format (Claude on Bedrock and Vertex). */
  readonly body?: BodyPatch;
  /** How streams are framed; absent means server-sent events. */
  readonly framing?: 'aws-event-stream';
  /**
   * Whether the provider stores answers (Responses' `store`, Anthropic's threads) and continues them by id; other providers store
   * nothing, even if the request asks for it.
   */
  readonly stores?: boolean;
  /** Whether the provider knows `session_id`. Others do not get it. */
  readonly takesSessionId?: true;
  /** The endpoint of the format's token counting, if the provider offers it. */
  readonly countTokens?: UpstreamPath;
  /** The endpoint for compacting long conversations, if the provider offers it. */
  readonly compact?: UpstreamPath;
}

/** A wire of an operation other than text generation that the provider's API speaks, and its endpoint. */
export interface ProviderWire {
  /** The wire's name, such as `openai-embeddings`. */
  readonly wire: string;
  readonly path: UpstreamPath;
  /** See `ProviderFormat`. */
  readonly baseUrl?: string;
  /** Only upstream models whose id matches are served over it; absent means all models with the operation. */
  readonly models?: RegExp;
  readonly headers?: Readonly<Record<string, string>>;
  /** See `ProviderFormat`. */
  readonly governs?: readonly GovernedMember[];
  /** Differences from the wire's member names. */
  readonly members?: OwnMembers;
  /** For the wire `openai-speech`: how the provider's models differ from OpenAI's. */
  readonly speech?: readonly SpeechDialect[];
  /** For the wires `openai-transcriptions` and `openai-translations`: how the provider differs from OpenAI. */
  readonly transcription?: TranscriptionTraits;
  /** For the wire `openai-embeddings`: how the provider differs; the first entry whose `models` match applies. */
  readonly embeddings?: readonly EmbeddingTraits[];
}

/** Changes to top-level members of a JSON body, made in its bytes so that everything else stays as it is. */
export interface BodyPatch {
  readonly remove: readonly string[];
  /** The added values as JSON text. */
  readonly add: Readonly<Record<string, string>>;
  /** The member for the list in the `anthropic-beta` header, if the provider does not read that header. */
  readonly betaMember?: string;
  /** The Anthropic betas that the provider knows, if it refuses others; absent means that all are sent. */
  readonly betas?: MessagesBetas;
}

/** A request that is about to be sent. */
export interface UnsignedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A body that contains files cannot be signed. */
  readonly body: Uint8Array<ArrayBuffer> | PiecedBody | null;
}

/** Returns the headers to add to this particular request (AWS signatures, short-lived Google tokens). Never throws. */
export type Signer = (request: UnsignedRequest) => Promise<Readonly<Record<string, string>> | Failure>;

/** The inputs of `authorize`: the channel's key and its settings, already validated by the manifest's schema. */
export interface ChannelCredentials {
  readonly apiKey: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The models that the provider offers to a key, from its own list. */
export interface ModelList {
  /** The path below the base address. */
  readonly path: string;
  /** See `ProviderFormat`. */
  readonly baseUrl?: string;
  /** Returns the model ids in the answer's JSON, each once; empty if it is something else. */
  modelsIn(json: unknown): string[];
  /** Whether the list is public, so that it does not validate the key. */
  readonly isOpen?: true;
}

/** A free request that is answered with 2xx only for a valid key (the account's credit). */
export interface KeyCheck {
  /** The path below the base address. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How a provider that runs on this machine or network without a key (Ollama) is discovered: by its list of models. */
export interface Discovery {
  /** Whether to look for it at every start; the others are looked for only when an operator asks. */
  readonly atStart: boolean;
}

/**
 * An upstream inside the process: it answers like the provider's HTTP API, and rejects once the request's signal has fired, at
 * the latest when its work is done. `accountId` is the caller; `null` for the gateway itself.
 */
export type LocalUpstream = (request: Request, accountId: string | null) => Promise<Response>;

/**
 * Everything that the gateway knows about a provider. An OpenAI-compatible one needs nothing else. Capabilities are optional
 * members, never stubs.
 */
export interface ProviderManifest {
  readonly name: string;
  readonly label: string;
  /** The address with the version segment, without a trailing slash; `null` if every channel has to set its own. */
  readonly baseUrl: string | null;
  /** The environment variables that customarily hold the key; the first one that is set wins. Empty if none exists. */
  readonly keyVariables: readonly string[];
  /**
   * Groups of variables that hold the key together, joined by colons if all are set; a name ending in `?` is optional. Read after
   * `keyVariables`.
   */
  readonly keyVariableGroups?: readonly (readonly string[])[];
  readonly keyRequired: boolean;
  /**
   * The form of its keys, if that identifies the provider: a form uses it to preselect the provider. Never used to refuse a key.
   */
  readonly keyPattern?: RegExp;
  /** Whether a key may be the JSON of a credentials file. */
  readonly takesCredentialsFile?: true;
  /** The environment variables that customarily hold a setting; the first one that is set wins. */
  readonly settingVariables?: Readonly<Record<string, readonly string[]>>;
  /** The formats in order of preference. */
  readonly formats: readonly ProviderFormat[];
  /** The wires of its other operations (embeddings, moderations …); the first one for an operation and model is used. */
  readonly wires?: readonly ProviderWire[];
  /**
   * Validates a channel's `settings`, which hold no secrets because they are displayed. Absent means that the provider has none.
   */
  readonly settings?: z.ZodType<Record<string, unknown>>;
  /**
   * Returns the base address if it depends on the settings (region, resource); a channel's own `base_url` still takes precedence.
   */
  readonly baseUrlOf?: (settings: Readonly<Record<string, unknown>>) => string | null;
  /** Returns the headers that authorize a request of a format; absent means `Authorization: Bearer <key>`. */
  readonly authorize?: (credentials: ChannelCredentials, format: string) => Record<string, string>;
  /**
   * Creates a signer if headers depend on the request itself or on the time; called once per channel. `null`: `authorize` is
   * enough.
   */
  readonly signer?: (credentials: ChannelCredentials) => Signer | null;
  /** Upstream ids are names of deployments chosen by an operator, which do not reveal the model. */
  readonly hasDeployments?: true;
  /** Its text models, grouped by their rules, if these differ. */
  readonly families?: readonly ModelFamily[];
  /** The provider's part of the catalog, which a channel created from the environment serves. */
  readonly models?: () => readonly CatalogModel[];
  readonly modelList?: ModelList;
  /** For a provider whose list does not validate a key. */
  readonly keyCheck?: KeyCheck;
  readonly discovery?: Discovery;
  /**
   * The servers that may be behind a channel's address. The setting `server` names one of them; without it the gateway probes the
   * address and applies the rules of the server that it recognizes.
   */
  readonly servers?: readonly ServerFamily[];
  /** Further APIs that accounts reach over their own channels. */
  readonly relays?: readonly RelayedApiName[];
  /** Its API for batches, if the gateway can put lines of its own batches there. */
  readonly batches?: ProviderBatches;
  /** The path of these APIs below the base address; absent means directly below it. */
  readonly relayPath?: string;
  readonly local?: LocalUpstream;
  /** How its answers state its rate limits; as in the format of each answer if absent. */
  readonly rateLimits?: LimitSpelling;
  /** The header in which the provider takes a request id of its client, by its documents; `x-request-id` if absent. */
  readonly requestIdHeader?: string;
  /**
   * Whether its answers are synthetic. A request that names no model never gets one while another provider serves its operation.
   */
  readonly isSynthetic?: true;
  /**
   * Returns why an account's own users may not use a key: it would make the gateway use its own credentials, read its files or
   * call internal addresses. `null` if they may.
   */
  readonly untrustedKeyProblem?: (apiKey: string | null) => string | null;
  /** Whether a channel to it exists without configuration; it uses no resources before its first request. */
  readonly isBuiltIn?: true;
}

/** The providers that the product supports, by name. */
export type Providers = ReadonlyMap<string, ProviderManifest>;
