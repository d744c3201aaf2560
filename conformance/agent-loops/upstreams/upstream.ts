import type { JsonObject } from '../../shared/json.ts';
import type { Random } from '../random.ts';
import type { Step } from '../script.ts';

/** A response of an upstream, against which the upstream checks later requests. */
export interface IssuedTurn {
  readonly channel: string;
  readonly step: Step;
  /** The assistant's turn in the upstream's own wire format: blocks, items, parts, or one message. */
  readonly native: readonly JsonObject[];
  /** State that only the issuer may ever see. */
  readonly secrets: readonly string[];
  /** The id by which a request can continue from this response, and the whole conversation up to it; `null` if it cannot. */
  readonly stored: { readonly id: string; readonly items: readonly JsonObject[] } | null;
  /** The arguments' texts, if the wire has them. */
  readonly argsTexts: readonly string[];
}

/** The call ids, names and arguments of an assistant's turn in a request. */
export interface ReadCall {
  readonly id: string | null;
  readonly name: unknown;
  readonly args: unknown;
  /** The arguments as the model wrote them, if the wire has them as text. */
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
  /** Server-sent events: the data, and the name if the format has names. */
  readonly events: readonly { readonly event?: string; readonly data: JsonObject | '[DONE]' }[];
}

/** A provider as its clients see it: it answers by the script, and checks returned state as the real one does. */
export interface ScriptedUpstream {
  readonly takesToolImages: boolean;
  answer(step: Step, random: Random, body: JsonObject, turns: readonly IssuedTurn[]): ScriptedAnswer;
  isStream(path: string, body: JsonObject): boolean;
  /** Returns the turns in a request, or the error in its shape. `turns` is the conversation so far. */
  read(body: JsonObject, turns: readonly IssuedTurn[]): readonly ReadTurn[] | string;
  /** Returns the problem with a turn that this upstream issued: its state is missing, changed or misplaced. */
  problemOf(turn: ReadTurn, issued: IssuedTurn): string | null;
  /** Returns any other problem with the request. `asked` says whether the client requested reasoning. */
  problemWith?(body: JsonObject, turns: readonly IssuedTurn[], asked: boolean): string | null;
  /** Returns the body of a 400. */
  refusal(message: string): JsonObject;
}

/** Cuts a text into pieces, never inside a surrogate pair. */
export function pieces(text: string, count = 3): string[] {
  const letters = [...text];
  const size = Math.max(1, Math.ceil(letters.length / count));
  const out: string[] = [];
  for (let at = 0; at < letters.length; at += size) out.push(letters.slice(at, at + size).join(''));
  return out;
}
