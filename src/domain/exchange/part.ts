import type { OpaqueState } from './opaque-state.ts';

/** A mark up to which the provider may cache the prompt (Anthropic `cache_control`, Bedrock `cachePoint`). */
export interface CacheMark {
  readonly ttl: '5m' | '1h';
  /** The client's own path to it, unless it is a `cache_control` of the part or tool itself: chat clients mark whole messages. */
  readonly path?: string;
}

/** Returns the path under which a lost mark is reported. */
export function markPath({ cache, path }: { readonly cache?: CacheMark; readonly path?: string }): string {
  return cache?.path ?? `${path ?? 'messages'}.cache_control`;
}

/** Members that every part of a request may have. */
interface PartOfRequest {
  /** The path in the client's body, such as `messages[2].content[0]`, under which losses are reported. */
  readonly path?: string;
  readonly cache?: CacheMark;
}

export interface TextPart extends PartOfRequest {
  readonly type: 'text';
  readonly text: string;
  readonly citations?: readonly Citation[];
  readonly state?: OpaqueState;
}

/** A model's thought. `text` may be empty if the provider shows none of it and only `state` matters. */
export interface ReasoningPart extends PartOfRequest {
  readonly type: 'reasoning';
  readonly text: string;
  /** Whether the text is the provider's summary and not the thought itself. */
  readonly summary?: boolean;
  /** Whether the provider withheld the text (Anthropic `redacted_thinking`), which only the state contains. */
  readonly redacted?: boolean;
  readonly state?: OpaqueState;
  /** The original state, if `state` is a router's wrapping of it (OpenRouter's details name the vendor's format). */
  readonly issued?: IssuedState;
}

export interface IssuedState {
  readonly state: OpaqueState;
  /** The tool call to which the vendor attached it. */
  readonly callId: string | null;
}

export interface ToolCallPart extends PartOfRequest {
  readonly type: 'tool-call';
  /** Links the call to its result; the same in both directions, in all formats. */
  readonly id: string;
  readonly name: string;
  /** The group under which the upstream names the tool; only until it is known whether the client declared it that way. */
  readonly namespace?: string;
  /** JSON text as the model wrote it, possibly empty; plain text for a custom (freeform) tool. */
  readonly arguments: string;
  /** Whether it is a freeform tool (OpenAI `custom`), whose `arguments` are text and not JSON. */
  readonly custom?: boolean;
  readonly state?: OpaqueState;
}

export interface ToolResultPart extends PartOfRequest {
  readonly type: 'tool-result';
  /** The id of the answered call. */
  readonly id: string;
  /** The tool's name, if the client states it (Gemini) or the conversation reveals it. */
  readonly name?: string;
  readonly content: readonly (TextPart | MediaPart | UnknownPart)[];
  readonly isError?: boolean;
  readonly custom?: boolean;
  /** The client's result if it is a JSON value (Gemini `response` objects); `content` has it as JSON text. */
  readonly structured?: unknown;
}

export type MediaSource =
  /** Standard base64 without line breaks. */
  | { readonly kind: 'base64'; readonly data: string }
  | { readonly kind: 'url'; readonly url: string }
  /** A plain-text document. */
  | { readonly kind: 'text'; readonly text: string }
  /** A file stored at a provider; it is meaningful only in the format that it came in. */
  | { readonly kind: 'file'; readonly id: string; readonly format: string };

export interface MediaPart extends PartOfRequest {
  readonly type: 'image' | 'audio' | 'video' | 'document';
  readonly source: MediaSource;
  /** A type such as `image/png`; `null` if the client stated none. */
  readonly mediaType: string | null;
  /** OpenAI's `detail` for an image. */
  readonly detail?: string;
  readonly fileName?: string;
  readonly title?: string;
  /** Anthropic's `context` for a document. */
  readonly context?: string;
  /** Whether the model should cite this document. */
  readonly citationsEnabled?: boolean;
  readonly state?: OpaqueState;
}

export interface RefusalPart extends PartOfRequest {
  readonly type: 'refusal';
  readonly text: string;
  /** Whether it is the gateway's own sentence about a blocked prompt. The model has not written it, so it is not charged. */
  readonly byGateway?: boolean;
}

/** Content that only its own format understands (a server tool's block, a future field); it is sent back only to that format. */
export interface UnknownPart extends PartOfRequest {
  readonly type: 'unknown';
  /** The format of the value. */
  readonly format: string;
  readonly value: unknown;
  /** State that only its issuer can read, and without which the rest is meaningless. */
  readonly state?: OpaqueState;
}

export type Part = TextPart | ReasoningPart | ToolCallPart | ToolResultPart | MediaPart | RefusalPart | UnknownPart;

/** Returns whether a part is an image, audio, a video or a document, wherever it is stored. */
export function isMedia(part: Part): part is MediaPart {
  return part.type === 'image' || part.type === 'audio' || part.type === 'video' || part.type === 'document';
}

/** A source that the answer cites. Offsets count UTF-16 code units of the text part that contains the citation. */
export interface Citation {
  readonly url: string | null;
  readonly title: string | null;
  /** The passage in the source. */
  readonly citedText: string | null;
  /** The cited span of the answer's own text; the end is exclusive. */
  readonly start: number | null;
  readonly end: number | null;
  /** The document's index among the request's documents. */
  readonly documentIndex: number | null;
  /** The wire value, for its own format. */
  readonly raw: { readonly format: string; readonly value: unknown } | null;
}

/** A message. Tool results occur only in messages of the role `tool`, calls and reasoning only in those of `assistant`. */
export interface Message {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  readonly parts: readonly Part[];
  /** The participant's name (OpenAI chat). */
  readonly name?: string;
  readonly path?: string;
}
