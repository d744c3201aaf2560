import type { JsonObject } from '../json.ts';

/** A call as a wire holds it: the arguments as a JSON text, or a freeform tool's plain text. */
export interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  /** The upstream has freeform tools, and this is a call of one. */
  readonly isFreeform: boolean;
  readonly namespace?: string;
}

export interface DeclaredTool {
  readonly name: string;
  readonly isFreeform: boolean;
  readonly namespace?: string;
}

export type WireAnswer = { readonly call: WireCall } | { readonly text: string };

/** One of the formats that upstreams speak: what they read in a request, and how they answer. */
export interface Wire {
  /** What the provider takes as the name of a tool. */
  readonly names: RegExp;
  declared(body: JsonObject): readonly DeclaredTool[];
  /** The calls of earlier turns, in their order. */
  calls(body: JsonObject): readonly Pick<WireCall, 'id' | 'name' | 'text'>[];
  /** The ids of the calls that have results, in their order. */
  results(body: JsonObject): readonly string[];
  /** What else the provider answers with a 400. */
  refusal?(body: JsonObject): string | null;
  /** The answer in one piece. */
  whole(answer: WireAnswer): JsonObject;
  /** The bytes of the answer as a stream. */
  stream(answer: WireAnswer): { readonly contentType: string; readonly body: Uint8Array };
}

export const COMMON_NAMES = /^[a-zA-Z0-9_-]{1,64}$/;

/** Cuts a text in pieces, escapes and halves of characters apart, as models' tokens do. */
export function cut(text: string, length = 7): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${length}}`, 'g')) ?? [];
}

/** Server-sent events; with their names where the data has a `type` and the format wants it. */
export function eventStream(events: readonly (JsonObject | '[DONE]')[], named = false) {
  const text = events.map((data) => {
    const name = named && typeof data === 'object' ? `event: ${String(data.type)}\n` : '';
    return `${name}data: ${data === '[DONE]' ? data : JSON.stringify(data)}\n\n`;
  });
  return { contentType: 'text/event-stream', body: new TextEncoder().encode(text.join('')) };
}
