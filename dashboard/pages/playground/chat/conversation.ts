import type { JsonObject } from '../../shared/json.ts';
import type { Facts } from '../wire/call.ts';
import type { Failure } from '../wire/failure.ts';

/* A conversation as the page keeps it, whichever format it is sent in. */

export const FORMATS = ['openai-chat', 'responses', 'messages', 'gemini'] as const;
export type FormatId = (typeof FORMATS)[number];

export const EFFORTS = ['low', 'medium', 'high'] as const;
export type Effort = (typeof EFFORTS)[number];

export interface Attachment {
  readonly name: string;
  /** `image/png` */
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

/** What has come of an answer so far. */
export interface Draft {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly tokens: Tokens | null;
  /** Why it ended, in the format's own word. */
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
  /** As the format has it, with the signatures of thoughts, to be sent back as it came. */
  readonly native: readonly JsonObject[] | null;
  readonly isRunning: boolean;
  readonly isStopped: boolean;
  readonly failure: Failure | null;
  /** Milliseconds until the first event, and until the last, as this page has seen them. */
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
  /** Of the JSON that the answer shall be. */
  readonly schema: JsonObject | null;
  /** Of the gateway's answer cache: `no_cache` …; the account's default where it is null. */
  readonly cache: string | null;
}

/** The answers that a later request repeats: those that came to their end, and what they said. */
export function isRepeated(turn: Turn): boolean {
  return turn.role !== 'answer' || (!turn.isRunning && (turn.text !== '' || turn.calls.length > 0));
}
