import type { Modality } from '../../domain/catalog/capabilities.ts';
import { decimalPrice } from './decimal-price.ts';
import type { PriceList, PriceListKind, PriceListModel } from './price-list-model.ts';

/** At most so many entries are read: ten times as many as either list has. */
export const MAXIMUM_ENTRIES = 20_000;

const NAMED_MALFORMED = 5;
const MAXIMUM_TOKENS = 1_000_000_000;

export type JsonObject = Readonly<Record<string, unknown>>;

/** A malformed entry. It is thrown and caught only within the reading of a list. */
export class MalformedEntry extends Error {}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads entries one by one, counts those that are left out, and never throws. */
export class ListReader {
  readonly #entries = new Map<string, PriceListModel>();
  readonly #firstMalformed: string[] = [];
  #seen = 0;
  #skipped = 0;
  #malformed = 0;

  /** `read` gives the model, or `null` for what is none of ours; it throws `MalformedEntry`. */
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

/** A name out of a list for a terminal: short, and without control characters. */
function shown(name: string): string {
  return `"${name.slice(0, 100).replace(/\p{C}/gu, '?')}"`;
}

/** A model's id without white space, control characters and such as turn a terminal's text around. */
export function checkedId(id: string): string {
  if (!/^[^\s\p{C}]{1,200}$/u.test(id)) throw new MalformedEntry('its id has characters that no id has');
  return id;
}

/** `undefined` where it is absent or `null`, as for all that follow. */
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

/** A positive whole number; a nought counts as absent, since it is written for what is not known. */
export function countAt(entry: JsonObject, member: string): number | undefined {
  const value = entry[member] ?? undefined;
  if (value === undefined || value === 0) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAXIMUM_TOKENS) {
    throw new MalformedEntry(`${member} is not a positive whole number`);
  }
  return value;
}

/** A decimal string in USD (`decimalPrice`); a nought counts as absent: both lists write it where they know of no price. */
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

/** Words that are no modality of ours are passed over. */
export function modalitiesAt(entry: JsonObject, member: string): readonly Modality[] {
  const words = entry[member] ?? [];
  if (!Array.isArray(words) || words.length > 20) throw new MalformedEntry(`${member} is not a short list`);
  return [...new Set(words.flatMap((word) => MODALITY_OF_WORD.get(word) ?? []))];
}

type Known<T> = { readonly [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The members that are not `undefined`: what is not known is absent, so that it cannot hide what another one knows. */
export function known<T extends object>(value: T): Known<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Known<T>;
}
