import type { z } from 'zod';
import type { CatalogModel } from '../domain/catalog/catalog-model.ts';
import type { Failure } from '../domain/failure/failure.ts';
import type { PiecedBody } from '../domain/media/pieced-body.ts';
import type { Quirk } from '../formats/quirk.ts';
import type { EmbeddingTraits, OwnMembers, SpeechDialect, TranscriptionTraits } from '../formats/wire.ts';
import type { GovernedMember } from './shared/governed-member.ts';
import type { MessagesBetas } from './shared/messages-betas.ts';
import type { ModelFamily } from './shared/model-families.ts';
import type { RelayedApiName } from './shared/relayed-apis.ts';
import type { ServerFamily } from './shared/servers/server-family.ts';

/** What the path of an upstream call may depend on. */
export interface UpstreamCall {
  readonly model: string;
  readonly stream: boolean;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A path below the base address, query included. */
export type UpstreamPath = string | ((call: UpstreamCall) => string);

/** A format that the provider's API speaks itself, and where. */
export interface ProviderFormat {
  /** A format's name, such as `openai-chat`. */
  readonly format: string;
  readonly path: UpstreamPath;
  /** An absolute address instead of the channel's base address, where the provider has this format elsewhere. */
  readonly baseUrl?: string;
  /** Used only by a channel whose `formats` names it: not every server of this kind has it. */
  readonly optIn?: boolean;
  /** Only upstream models whose id matches are served in this format; absent means all. */
  readonly models?: RegExp;
  readonly quirks?: readonly Quirk[];
  /** By which it chooses other models, bills more, or reaches for what is its owner's. */
  readonly governs?: readonly GovernedMember[];
  /** Headers that belong to the format here (`anthropic-version`). A client's own, where they are relayed, win. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the provider wants changed in every body of this format (Claude at Bedrock and Vertex). */
  readonly body?: BodyPatch;
  /** How streams are framed; absent means server-sent events. */
  readonly framing?: 'aws-event-stream';
  /**
   * The provider keeps answers (Responses' `store`, Anthropic's threads) and continues them by id; other providers store nothing,
   * even if the request asks for it.
   */
  readonly stores?: boolean;
  /** Where the format's token counting is, if the provider offers it. */
  readonly countTokens?: UpstreamPath;
  /** Where the provider makes long conversations shorter, if it does. */
  readonly compact?: UpstreamPath;
}

/** A wire of an operation other than texts that the provider's API speaks, and where. */
export interface ProviderWire {
  /** The wire's name, such as `openai-embeddings`. */
  readonly wire: string;
  readonly path: UpstreamPath;
  /** As of `ProviderFormat`. */
  readonly baseUrl?: string;
  /** Only upstream models whose id matches are served over it; absent means all whose operation it is. */
  readonly models?: RegExp;
  readonly headers?: Readonly<Record<string, string>>;
  /** As of `ProviderFormat`. */
  readonly governs?: readonly GovernedMember[];
  /** Where it differs from the wire. */
  readonly members?: OwnMembers;
  /** How its models differ from OpenAI's, of the wire `openai-speech`. */
  readonly speech?: readonly SpeechDialect[];
  /** How its transcriptions differ from OpenAI's, of the wires `openai-transcriptions` and `openai-translations`. */
  readonly transcription?: TranscriptionTraits;
  /** How its embeddings differ, of the wire `openai-embeddings`; the first whose `models` match holds. */
  readonly embeddings?: readonly EmbeddingTraits[];
}

/** Changes of top-level members of a JSON body, made byte by byte so that all others stay as they are. */
export interface BodyPatch {
  readonly remove: readonly string[];
  /** Values as JSON text. */
  readonly add: Readonly<Record<string, string>>;
  /** The member that takes the list of the `anthropic-beta` header where the provider reads no such header. */
  readonly betaMember?: string;
  /** What the provider knows of Anthropic's betas, where it answers others with an error; absent means that all go. */
  readonly betas?: MessagesBetas;
}

/** One request as it is about to go out. */
export interface UnsignedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A body with files in it cannot be signed. */
  readonly body: Uint8Array<ArrayBuffer> | PiecedBody | null;
}

/** The headers to add to this very request (AWS signatures, short-lived Google tokens). Never throws. */
export type Signer = (request: UnsignedRequest) => Promise<Readonly<Record<string, string>> | Failure>;

/** What `authorize` may look at: the channel's key and its settings, already checked by the manifest's schema. */
export interface ChannelCredentials {
  readonly apiKey: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The models that the provider offers to a key, by its own list. */
export interface ModelList {
  /** Below the base address. */
  readonly path: string;
  /** As of `ProviderFormat`. */
  readonly baseUrl?: string;
  /** The model ids in the answer's JSON, each once; empty when it is something else. */
  modelsIn(json: unknown): string[];
  /** It is shown to everybody, so that it says nothing of the key. */
  readonly isOpen?: true;
}

/** What costs nothing and is answered with 2xx to a valid key alone (the account's credit). */
export interface KeyCheck {
  /** Below the base address. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A provider that runs on this machine or network without a key (Ollama) is found by its list of models. */
export interface Discovery {
  /** Whether it is looked for at every start; the others only when an operator asks. */
  readonly atStart: boolean;
}

/**
 * An upstream inside the process: it answers as the provider's HTTP API would, and rejects when the request's signal fires, at the
 * latest once it has nothing left to do. `accountId` is whose call it is; `null` for the gateway's own.
 */
export type LocalUpstream = (request: Request, accountId: string | null) => Promise<Response>;

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
  /**
   * Groups of variables that hold the key together, joined by colons where all are set; a name with `?` at its end may be
   * absent. Looked at after `keyVariables`.
   */
  readonly keyVariableGroups?: readonly (readonly string[])[];
  readonly keyRequired: boolean;
  /** How its keys look, where that tells it from all other providers: a form chooses the provider by it. Never refuses a key. */
  readonly keyPattern?: RegExp;
  /** A key may be the JSON of a credentials file. */
  readonly takesCredentialsFile?: true;
  /** The environment variables that customarily hold a setting, the first one set wins. */
  readonly settingVariables?: Readonly<Record<string, readonly string[]>>;
  /** In order of preference. */
  readonly formats: readonly ProviderFormat[];
  /** The wires of its other operations (embeddings, moderations …); the first one for an operation and model is used. */
  readonly wires?: readonly ProviderWire[];
  /** Checks a channel's `settings`, none of which is a secret: views show them. Absent means that the provider takes none. */
  readonly settings?: z.ZodType<Record<string, unknown>>;
  /** The base address where it depends on the settings (region, resource); a channel's own `base_url` still wins. */
  readonly baseUrlOf?: (settings: Readonly<Record<string, unknown>>) => string | null;
  /** The headers that authorize a request of a format; absent means `Authorization: Bearer <key>`. */
  readonly authorize?: (credentials: ChannelCredentials, format: string) => Record<string, string>;
  /** Where headers depend on the request itself or on the time; called once per channel. `null`: `authorize` is enough. */
  readonly signer?: (credentials: ChannelCredentials) => Signer | null;
  /** The upstream ids are names of deployments, which an operator has chosen: they do not tell the model. */
  readonly hasDeployments?: true;
  /** Its models for texts, divided by the rules that they have, where some have rules that others do not have. */
  readonly families?: readonly ModelFamily[];
  /** The provider's part of the catalog: what a channel made from the environment serves. */
  readonly models?: readonly CatalogModel[];
  readonly modelList?: ModelList;
  /** Where the list says nothing of a key. */
  readonly keyCheck?: KeyCheck;
  readonly discovery?: Discovery;
  /**
   * What a channel's address may be served by. The setting `server` names one of them; without it the gateway asks the address, and the
   * rules of the server that it recognizes hold.
   */
  readonly servers?: readonly ServerFamily[];
  /** What else it has that accounts reach over channels of their own. */
  readonly relays?: readonly RelayedApiName[];
  /** Where that is below the base address; absent means right there. */
  readonly relayPath?: string;
  readonly local?: LocalUpstream;
  /** Its answers are made up. No request gets one that names no model while another provider serves its operation. */
  readonly isSynthetic?: true;
  /**
   * Why a key is none that an account's own people may give: it would have the gateway use its own credentials, read its files or ask
   * inner addresses. `null` for one that they may.
   */
  readonly untrustedKeyProblem?: (apiKey: string | null) => string | null;
  /** A channel to it is there without a configuration: it costs nothing before its first use. */
  readonly isBuiltIn?: true;
}
