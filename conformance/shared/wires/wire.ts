import type { JsonObject } from '../json.ts';

/** A call in a wire's form: the arguments as a JSON text, or a freeform tool's plain text. */
export interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  /** Whether this is a call of a freeform tool, at an upstream that supports them. */
  readonly isFreeform: boolean;
  readonly namespace?: string;
}

export interface DeclaredTool {
  readonly name: string;
  readonly isFreeform: boolean;
  readonly namespace?: string;
}

export type WireAnswer = { readonly call: WireCall } | { readonly text: string };

/** An upstream format: how it reads a request, and how it responds. */
export interface Wire {
  /** The valid names of tools. */
  readonly names: RegExp;
  declared(body: JsonObject): readonly DeclaredTool[];
  /** Returns the calls of earlier turns, in order. */
  calls(body: JsonObject): readonly Pick<WireCall, 'id' | 'name' | 'text'>[];
  /** Returns the ids of the calls with results, in order. */
  results(body: JsonObject): readonly string[];
  /** Returns further reasons for which the provider answers 400. */
  refusal?(body: JsonObject): string | null;
  /** Returns the response in one piece. */
  whole(answer: WireAnswer): JsonObject;
  /** Returns the bytes of the streamed response. */
  stream(answer: WireAnswer): { readonly contentType: string; readonly body: Uint8Array };
}

export const COMMON_NAMES = /^[a-zA-Z0-9_-]{1,64}$/;

/** Splits a text even within escapes and surrogate pairs, as models' tokens do. */
export function cut(text: string, length = 7): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${length}}`, 'g')) ?? [];
}

/** Returns server-sent events; with names if the data has a `type` and the format needs them. */
export function eventStream(events: readonly (JsonObject | '[DONE]')[], named = false) {
  const text = events.map((data) => {
    const name = named && typeof data === 'object' ? `event: ${String(data.type)}\n` : '';
    return `${name}data: ${data === '[DONE]' ? data : JSON.stringify(data)}\n\n`;
  });
  return { contentType: 'text/event-stream', body: new TextEncoder().encode(text.join('')) };
}
