import type { Modality } from '../../domain/catalog/capabilities.ts';
import { decimalPrice } from './decimal-price.ts';
import type { PriceList, PriceListKind, PriceListModel } from './price-list-model.ts';

/** The largest number of entries to read, ten times as many as either list has. */
export const MAXIMUM_ENTRIES = 20_000;

const NAMED_MALFORMED = 5;
const MAXIMUM_TOKENS = 1_000_000_000;

export type JsonObject = Readonly<Record<string, unknown>>;

/** A malformed entry. It is thrown and caught only while a list is read. */
export class MalformedEntry extends Error {}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads entries one by one, and counts those that are left out. Never throws. */
export class ListReader {
  readonly #entries = new Map<string, PriceListModel>();
  readonly #firstMalformed: string[] = [];
  #seen = 0;
  #skipped = 0;
  #malformed = 0;

  /** Adds an entry. `read` returns the model, or `null` to skip the entry, and throws `MalformedEntry`. */
  add(name: string, read: () => PriceListModel | null): void {
    this.#seen++;
    if (this.#seen > MAXIMUM_ENTRIES) {
      if (this.#seen === MAXIMUM_ENTRIES + 1) this.#note(`all after the first ${MAXIMUM_ENTRIES}: too many entries`);
      this.#skipMalformed();
      return;
    }
    try {
      const model = read();
      const key = model === null ? null : `${model.provider} ${model.id}`;
      if (model === null || key === null || this.#entries.has(key)) this.#skipped++;
      else this.#entries.set(key, model);
    } catch (error) {
      if (!(error instanceof MalformedEntry)) throw error;
      this.#note(`${shown(name)}: ${error.message}`);
      this.#skipMalformed();
    }
  }

  skip(count: number): void {
    this.#skipped += count;
  }

  finish(kind: PriceListKind): PriceList {
    return {
      kind,
      entries: [...this.#entries.values()],
      skipped: this.#skipped,
      malformed: this.#malformed,
      firstMalformed: this.#firstMalformed,
    };
  }

  #note(text: string): void {
    if (this.#firstMalformed.length < NAMED_MALFORMED) this.#firstMalformed.push(text);
  }

  #skipMalformed(): void {
    this.#skipped++;
    this.#malformed++;
  }
}

/** Returns a name from a list for a terminal: short, and without control characters. */
function shown(name: string): string {
  return `"${name.slice(0, 100).replace(/\p{C}/gu, '?')}"`;
}

/** Returns a model's id if it has no white space, no control characters, and none that reverse the direction of text. */
export function checkedId(id: string): string {
  if (!/^[^\s\p{C}]{1,200}$/u.test(id)) throw new MalformedEntry('its id has invalid characters');
  return id;
}

/** Returns the object; `undefined` if it is absent or `null`, as in all functions below. */
export function objectAt(entry: JsonObject, member: string): JsonObject | undefined {
  const value = entry[member] ?? undefined;
  if (value !== undefined && !isObject(value)) throw new MalformedEntry(`${member} is not an object`);
  return value;
}

export function textAt(entry: JsonObject, member: string): string | undefined {
  const value = entry[member] ?? undefined;
  if (value !== undefined && (typeof value !== 'string' || !/^[^\p{C}]{1,200}$/u.test(value))) {
    throw new MalformedEntry(`${member} is not a short text`);
  }
  return value;
}

export function flagAt(entry: JsonObject, member: string): boolean | undefined {
  const value = entry[member] ?? undefined;
  if (value !== undefined && typeof value !== 'boolean')
    throw new MalformedEntry(`${member} is neither true nor false`);
  return value;
}

/** Returns a positive whole number. Zero counts as absent, since lists write it for unknown values. */
export function countAt(entry: JsonObject, member: string): number | undefined {
  const value = entry[member] ?? undefined;
  if (value === undefined || value === 0) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAXIMUM_TOKENS) {
    throw new MalformedEntry(`${member} is not a positive whole number`);
  }
  return value;
}

/** Returns a decimal string in USD (`decimalPrice`). Zero counts as absent, since both lists write it for unknown prices. */
export function priceAt(entry: JsonObject, member: string, places: number): string | undefined {
  const value = entry[member] ?? undefined;
  if (value === undefined) return undefined;
  const price = decimalPrice(value, places);
  if (price === null) throw new MalformedEntry(`${member} is not a price`);
  return price === '0' ? undefined : price;
}

const MODALITY_OF_WORD: ReadonlyMap<unknown, Modality> = new Map<unknown, Modality>([
  ['text', 'text'],
  ['image', 'image'],
  ['audio', 'audio'],
  ['video', 'video'],
  ['pdf', 'file'],
  ['file', 'file'],
]);

/** Returns the modalities; unknown words are skipped. */
export function modalitiesAt(entry: JsonObject, member: string): readonly Modality[] {
  const words = entry[member] ?? [];
  if (!Array.isArray(words) || words.length > 20) throw new MalformedEntry(`${member} is not a short list`);
  return [...new Set(words.flatMap((word) => MODALITY_OF_WORD.get(word) ?? []))];
}

type Known<T> = { readonly [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Returns the members that are not `undefined`, so that an unknown value cannot override a known one. */
export function known<T extends object>(value: T): Known<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Known<T>;
}
