import type { OpaqueState } from './opaque-state.ts';

/** A mark up to which the provider may cache the prompt (Anthropic `cache_control`, Bedrock `cachePoint`). */
export interface CacheMark {
  readonly ttl: '5m' | '1h';
  /** The client's own path to it, where it is no `cache_control` of the part or tool itself: chat clients mark whole messages. */
  readonly path?: string;
}

/** By what a mark that is lost is named. */
export function markPath({ cache, path }: { readonly cache?: CacheMark; readonly path?: string }): string {
  return cache?.path ?? `${path ?? 'messages'}.cache_control`;
}

/** What every part of a request may carry. */
interface PartOfRequest {
  /** Where it stood in the client's body, such as `messages[2].content[0]`: losses are named by it. */
  readonly path?: string;
  readonly cache?: CacheMark;
}

export interface TextPart extends PartOfRequest {
  readonly type: 'text';
  readonly text: string;
  readonly citations?: readonly Citation[];
  readonly state?: OpaqueState;
}

/** What the model thought. `text` may be empty where the provider shows none of it and only `state` counts. */
export interface ReasoningPart extends PartOfRequest {
  readonly type: 'reasoning';
  readonly text: string;
  /** The text is the provider's summary and not the thought itself. */
  readonly summary?: boolean;
  /** The provider withheld the text (Anthropic `redacted_thinking`); the state holds it. */
  readonly redacted?: boolean;
  readonly state?: OpaqueState;
  /** Whose state it is, where `state` is a router's wrapping of it (OpenRouter's details name the vendor's format). */
  readonly issued?: IssuedState;
}

export interface IssuedState {
  readonly state: OpaqueState;
  /** The tool call that the vendor put it on. */
  readonly callId: string | null;
}

export interface ToolCallPart extends PartOfRequest {
  readonly type: 'tool-call';
  /** Joins the call with its result; the same in both directions, whatever the formats. */
  readonly id: string;
  readonly name: string;
  /** The group that the upstream names the tool in; only until it is known whether the client declared it so. */
  readonly namespace?: string;
  /** JSON text as the model wrote it, possibly empty; for a custom (freeform) tool the plain text. */
  readonly arguments: string;
  /** A freeform tool (OpenAI `custom`): `arguments` is text and not JSON. */
  readonly custom?: boolean;
  readonly state?: OpaqueState;
}

export interface ToolResultPart extends PartOfRequest {
  readonly type: 'tool-result';
  /** The id of the call that it answers. */
  readonly id: string;
  /** The tool's name, where the client says it (Gemini) or the conversation tells. */
  readonly name?: string;
  readonly content: readonly (TextPart | MediaPart | UnknownPart)[];
  readonly isError?: boolean;
  readonly custom?: boolean;
  /** The client's result is this JSON value (Gemini `response` objects); `content` then holds it as JSON text. */
  readonly structured?: unknown;
}

export type MediaSource =
  /** Standard base64, no line breaks. */
  | { readonly kind: 'base64'; readonly data: string }
  | { readonly kind: 'url'; readonly url: string }
  /** A plain-text document. */
  | { readonly kind: 'text'; readonly text: string }
  /** A file stored at a provider; it means something only to the format that it came in. */
  | { readonly kind: 'file'; readonly id: string; readonly format: string };

export interface MediaPart extends PartOfRequest {
  readonly type: 'image' | 'audio' | 'video' | 'document';
  readonly source: MediaSource;
  /** Such as `image/png`; `null` where the client did not say. */
  readonly mediaType: string | null;
  /** OpenAI's `detail` of an image. */
  readonly detail?: string;
  readonly fileName?: string;
  readonly title?: string;
  /** Anthropic's `context` of a document. */
  readonly context?: string;
  /** Whether the model is to cite this document. */
  readonly citationsEnabled?: boolean;
  readonly state?: OpaqueState;
}

export interface RefusalPart extends PartOfRequest {
  readonly type: 'refusal';
  readonly text: string;
  /** The gateway's own sentence about a prompt that was blocked. The model has not written it, so nobody pays for it. */
  readonly byGateway?: boolean;
}

/** What only its own format understands (a server tool's block, a field of tomorrow); it is sent back only to that format. */
export interface UnknownPart extends PartOfRequest {
  readonly type: 'unknown';
  /** The format whose wire value it is. */
  readonly format: string;
  readonly value: unknown;
  /** What of it only its issuer can read, and without which the rest says nothing. */
  readonly state?: OpaqueState;
}

export type Part = TextPart | ReasoningPart | ToolCallPart | ToolResultPart | MediaPart | RefusalPart | UnknownPart;

/** Whether a part is an image, a sound, a film or a document, wherever it lies. */
export function isMedia(part: Part): part is MediaPart {
  return part.type === 'image' || part.type === 'audio' || part.type === 'video' || part.type === 'document';
}

/** A source that the answer names. Offsets count UTF-16 code units of the text part that carries it. */
export interface Citation {
  readonly url: string | null;
  readonly title: string | null;
  /** The passage of the source. */
  readonly citedText: string | null;
  /** The cited span of the answer's own text, end exclusive. */
  readonly start: number | null;
  readonly end: number | null;
  /** The index of the document among the request's documents. */
  readonly documentIndex: number | null;
  /** The wire value, for its own format. */
  readonly raw: { readonly format: string; readonly value: unknown } | null;
}

/** Tool results stand in messages of the role `tool` and nowhere else; calls and reasoning in those of `assistant`. */
export interface Message {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  readonly parts: readonly Part[];
  /** The participant's name (OpenAI chat). */
  readonly name?: string;
  readonly path?: string;
}
