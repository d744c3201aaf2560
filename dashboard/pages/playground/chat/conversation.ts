import type { JsonObject } from '../../shared/json.ts';
import type { Facts } from '../wire/call.ts';
import type { Failure } from '../wire/failure.ts';

/* A conversation in the page's own form, independent of the format in which it is sent. */

export const FORMATS = ['openai-chat', 'responses', 'messages', 'gemini'] as const;
export type FormatId = (typeof FORMATS)[number];

export const EFFORTS = ['low', 'medium', 'high'] as const;
export type Effort = (typeof EFFORTS)[number];

export interface Attachment {
  readonly name: string;
  /** Such as `image/png`. */
  readonly type: string;
  readonly base64: string;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
}

export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  readonly output: string;
}

export interface Tokens {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

/** The answer so far. */
export interface Draft {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly tokens: Tokens | null;
  /** The finish reason, in the format's own word. */
  readonly finish: string | null;
}

export const EMPTY_DRAFT: Draft = { text: '', reasoning: '', calls: [], tokens: null, finish: null };

export interface UserTurn {
  readonly role: 'user';
  readonly text: string;
  readonly files: readonly Attachment[];
}

export interface ToolTurn {
  readonly role: 'tool';
  readonly results: readonly ToolResult[];
}

export interface AnswerTurn extends Draft, Facts {
  readonly role: 'answer';
  readonly model: string;
  readonly format: FormatId;
  /** The answer in the format's own form, including thought signatures, for sending it back unchanged. */
  readonly native: readonly JsonObject[] | null;
  readonly isRunning: boolean;
  readonly isStopped: boolean;
  readonly failure: Failure | null;
  /** Milliseconds until the first and the last event, as measured by this page. */
  readonly firstMs: number | null;
  readonly totalMs: number | null;
}

export type Turn = UserTurn | ToolTurn | AnswerTurn;

export interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly parameters: JsonObject;
}

export interface Asked {
  readonly model: string;
  readonly turns: readonly Turn[];
  readonly system: string;
  readonly temperature: number | null;
  readonly maxTokens: number | null;
  readonly effort: Effort | null;
  readonly tools: readonly Tool[];
  /** The schema of a JSON answer. */
  readonly schema: JsonObject | null;
  /** The control of the gateway's answer cache: `no_cache` …; null for the account's default. */
  readonly cache: string | null;
}

/** Returns whether later requests include this turn: answers that are complete and not empty. */
export function isRepeated(turn: Turn): boolean {
  return turn.role !== 'answer' || (!turn.isRunning && (turn.text !== '' || turn.calls.length > 0));
}
