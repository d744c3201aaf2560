import type { JsonObject } from '../../../shared/json.ts';
import type { Call } from '../../wire/call.ts';
import type { AnswerTurn, Asked, Attachment, Draft, FormatId } from '../conversation.ts';

/** One of the formats in which a conversation is sent. */
export interface ChatFormat {
  readonly id: FormatId;
  /** Returns the streaming request. */
  request(asked: Asked): Call;
  reader(): AnswerReader;
}

/** Assembles an answer from its events. */
export interface AnswerReader {
  /** Throws a `Refusal` for an error event. */
  read(event: JsonObject): void;
  readonly draft: Draft;
  /** The answer in the form in which the next request includes it. */
  readonly native: readonly JsonObject[];
  /** Whether the end marker has arrived: without it the answer was truncated. */
  readonly isComplete: boolean;
  readonly routing: unknown;
}

/** Returns the native answer if the request is in the same format. */
export function nativeOf(turn: AnswerTurn, format: FormatId): readonly JsonObject[] | null {
  return turn.format === format && !turn.isStopped && turn.failure === null ? turn.native : null;
}

export function dataUri({ type, base64 }: Attachment): string {
  return `data:${type};base64,${base64}`;
}

const TEXTS = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|toml|javascript|typescript|sql))/;

/** Returns the text of a file below its name, which any model can read. */
export function plainText({ name, type, base64 }: Attachment): string | null {
  if (!TEXTS.test(type)) return null;
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return `${name}:\n\`\`\`\n${new TextDecoder().decode(bytes)}\n\`\`\``;
}

export function cacheHeaders({ cache }: Asked): Pick<Call, 'headers'> {
  return cache === null ? {} : { headers: { 'x-switchyard-cache': cache } };
}
