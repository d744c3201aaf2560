import type { RestField } from '../../../domain/exchange/request.ts';
import { saysSomething } from '../../shared/json/json-values.ts';
import { piecesOf, TextBuilder } from '../../shared/json/long-text.ts';
import { isRecord } from '../../shared/json/record.ts';
import { noteUnknown } from '../shared/rest.ts';

export type WireObject = Readonly<Record<string, unknown>>;

/**
 * Reads an object of a client's request. Members are requested in camelCase and found in either spelling, because the JSON
 * mapping of protocol buffers accepts both. Members that were not requested are reported at the end, so that nothing is lost
 * silently.
 */
export class ObjectReader {
  private readonly asked = new Set<string>();

  constructor(
    readonly value: WireObject,
    /** The client's own path to the object; empty for the body. */
    readonly path: string,
    readonly rest: RestField[],
  ) {}

  /** Returns the member; a `null` counts as absent. */
  get(name: string): unknown {
    const key = this.keyOf(name);
    this.asked.add(key);
    return this.value[key] ?? undefined;
  }

  text(name: string): string | null {
    const value = this.get(name);
    return typeof value === 'string' ? value : null;
  }

  /** Returns a number. The JSON of protocol buffers also allows numbers as text. */
  number(name: string): number | null {
    return numberOf(this.get(name));
  }

  object(name: string): ObjectReader | null {
    const value = this.get(name);
    return isRecord(value) ? new ObjectReader(value, this.pathOf(name), this.rest) : null;
  }

  list(name: string): readonly unknown[] {
    const value = this.get(name);
    return Array.isArray(value) ? value : [];
  }

  /** Returns the client's own path to a member. */
  pathOf(name: string): string {
    return joinPath(this.path, this.keyOf(name));
  }

  /** Keeps a member for upstreams of this format, with the verdict for all other formats. */
  keepForGemini(name: string, verdict: RestField['verdict'], why: string): void {
    const value = this.get(name);
    if (value !== undefined) this.rest.push({ path: this.pathOf(name), value, verdict, why });
  }

  /** Reports the members that were not requested. */
  finish(): void {
    noteUnknown(this.value, this.asked, this.path, this.rest);
  }

  private keyOf(name: string): string {
    if (this.value[name] !== undefined && this.value[name] !== null) return name;
    const snake = snakeCase(name);
    return this.value[snake] === undefined ? name : snake;
  }
}

export function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

const snakeNames = new Map<string, string>();

/** Converts `inlineData` to `inline_data`. Only names of the format are converted, so the cache stays small. */
function snakeCase(name: string): string {
  let snake = snakeNames.get(name);
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeNames.set(name, snake);
  }
  return snake;
}

/** Returns a member of an answer. Its name is in camelCase unless a proxy has rewritten it. */
export function memberOf(object: WireObject, name: string): unknown {
  return object[name] ?? object[snakeCase(name)];
}

/** A number in JSON's syntax. Hexadecimal numbers and white space, which `Number` would accept, are excluded. */
const NUMBER_AS_TEXT = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || !NUMBER_AS_TEXT.test(value)) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/**
 * Returns an enum's value by its name, whatever the case, or by its number (clients of the Go and C++ libraries send numbers).
 */
export function enumName(value: unknown, names: readonly string[]): string | null {
  if (typeof value === 'number') return names[value] ?? null;
  return typeof value === 'string' && value !== '' ? value.toUpperCase() : null;
}

/** Returns standard base64 from either alphabet, because the JSON mapping of protocol buffers accepts both. */
export function standardBase64(data: string): string {
  let isOther = false;
  for (const piece of piecesOf(data)) isOther ||= piece.includes('-') || piece.includes('_');
  if (!isOther) return data;
  const standard = new TextBuilder();
  for (const piece of piecesOf(data)) standard.add(piece.replaceAll('-', '+').replaceAll('_', '/'));
  return standard.build();
}

/**
 * The prefix of ids for calls that have none on the wire. A made-up id is never sent to a Gemini upstream, which would not
 * know it.
 */
export const MADE_UP_ID = 'gemini_call_';

/** Letters and digits derived from a text, for an answer without an id of its own (FNV-1a, 32 bits). */
export function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

export function errorOf(value: unknown): value is WireObject {
  return isRecord(value) && ('message' in value || 'code' in value) && saysSomething(value);
}
