import type { JsonObject } from '../../shared/json.ts';
import type { Random } from '../random.ts';
import type { Step } from '../script.ts';

/** What an upstream has answered: it knows it again when it comes back. */
export interface IssuedTurn {
  readonly channel: string;
  readonly step: Step;
  /** The assistant's turn in the upstream's own wire shape: blocks, items, parts, or one message. */
  readonly native: readonly JsonObject[];
  /** State that nobody but the issuer may ever see. */
  readonly secrets: readonly string[];
  /** Where a request can go on from the answer by its id: that id, and the whole conversation up to it. */
  readonly stored: { readonly id: string; readonly items: readonly JsonObject[] } | null;
  /** The arguments' texts, where the wire has them. */
  readonly argsTexts: readonly string[];
}

/** The call ids, names and arguments of an assistant's turn as a request brings them. */
export interface ReadCall {
  readonly id: string | null;
  readonly name: unknown;
  readonly args: unknown;
  /** The arguments as the model wrote them, where the wire has a text for them. */
  readonly argsText?: unknown;
}

export interface ReadResult {
  readonly id: string | null;
  readonly text: string;
  readonly images: readonly string[];
}

/** An assistant's turn in a request, with the results that follow it. */
export interface ReadTurn {
  readonly native: readonly JsonObject[];
  readonly calls: readonly ReadCall[];
  readonly results: readonly ReadResult[];
}

export interface ScriptedAnswer {
  readonly turn: Pick<IssuedTurn, 'native' | 'secrets' | 'stored' | 'argsTexts'>;
  readonly whole: JsonObject;
  /** Server-sent events: the name, where the format has names, and the data. */
  readonly events: readonly { readonly event?: string; readonly data: JsonObject | '[DONE]' }[];
}

/** A provider as its clients see it: it answers by the script, and checks what comes back as the real one does. */
export interface ScriptedUpstream {
  readonly takesToolImages: boolean;
  answer(step: Step, random: Random, body: JsonObject, turns: readonly IssuedTurn[]): ScriptedAnswer;
  isStream(path: string, body: JsonObject): boolean;
  /** The turns that a request brings back, or what is wrong with its shape. `turns` is the conversation so far. */
  read(body: JsonObject, turns: readonly IssuedTurn[]): readonly ReadTurn[] | string;
  /** What is wrong with a turn of its own: the state is missing, changed or in the wrong place. */
  problemOf(turn: ReadTurn, issued: IssuedTurn): string | null;
  /** What else it refuses, or was not `asked` for by the client. */
  problemWith?(body: JsonObject, turns: readonly IssuedTurn[], asked: boolean): string | null;
  /** The body of a 400. */
  refusal(message: string): JsonObject;
}

/** Cuts a text in pieces, never inside of a surrogate pair. */
export function pieces(text: string, count = 3): string[] {
  const letters = [...text];
  const size = Math.max(1, Math.ceil(letters.length / count));
  const out: string[] = [];
  for (let at = 0; at < letters.length; at += size) out.push(letters.slice(at, at + size).join(''));
  return out;
}
