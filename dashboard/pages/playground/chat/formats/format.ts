import type { JsonObject } from '../../../shared/json.ts';
import type { Call } from '../../wire/call.ts';
import type { AnswerTurn, Asked, Attachment, Draft, FormatId } from '../conversation.ts';

/** One of the ways in which a conversation is sent. */
export interface ChatFormat {
  readonly id: FormatId;
  /** The streamed request. */
  request(asked: Asked): Call;
  reader(): AnswerReader;
}

/** Puts an answer together from its events. */
export interface AnswerReader {
  /** Throws a `Refusal` for an event that says that the answer has failed. */
  read(event: JsonObject): void;
  readonly draft: Draft;
  /** The answer as the format repeats it in the next request. */
  readonly native: readonly JsonObject[];
  /** The mark of the end has come: without it the answer was cut off. */
  readonly isComplete: boolean;
  readonly routing: unknown;
}

/** The native answer, where the request is in the same format. */
export function nativeOf(turn: AnswerTurn, format: FormatId): readonly JsonObject[] | null {
  return turn.format === format && !turn.isStopped && turn.failure === null ? turn.native : null;
}

export function dataUri({ type, base64 }: Attachment): string {
  return `data:${type};base64,${base64}`;
}

const TEXTS = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|toml|javascript|typescript|sql))/;

/** A file that any model can read: its text, below its name. */
export function plainText({ name, type, base64 }: Attachment): string | null {
  if (!TEXTS.test(type)) return null;
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return `${name}:\n\`\`\`\n${new TextDecoder().decode(bytes)}\n\`\`\``;
}

export function cacheHeaders({ cache }: Asked): Pick<Call, 'headers'> {
  return cache === null ? {} : { headers: { 'x-switchyard-cache': cache } };
}
