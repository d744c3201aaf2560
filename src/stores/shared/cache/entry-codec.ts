import type { CacheEntry } from '../../../domain/cache/cache-entry.ts';
import { type ContentBox, createContentBox } from '../content-box.ts';
import { SecretBoxError } from '../secret-box.ts';
import { entryBytes } from './entry-size.ts';

/** Part of what is kept, so that two releases do not read each other's entries. */
const FORM = 'cache entry 1';
/** The first byte of what is not encrypted; a `ContentBox` begins with another one. */
const PLAIN = 0;
const CHECKSUM_BYTES = 8;
const LENGTH_BYTES = 4;

/** An entry without its answer. `bytes` is what it occupies with it. */
export type EntryHead = Omit<CacheEntry, 'answer'> & { readonly bytes: number };

/** As it lies on the disk or in Redis: the answer apart, since lists and questions need only the rest. */
export interface ClosedEntry {
  readonly head: Uint8Array;
  readonly body: Uint8Array;
}

/**
 * Entries as bytes: encrypted for their key, or with a checksum. Where entries are to be encrypted nothing else opens, so that nobody
 * who can write there puts words into the gateway's mouth.
 */
export class EntryCodec {
  readonly #where: string;
  readonly #box: ContentBox;
  readonly #encrypts: boolean;

  /** `where` the entries lie. */
  constructor(where: 'disk' | 'redis', masterSecret: string, encrypts: boolean) {
    this.#where = where;
    this.#box = createContentBox(masterSecret);
    this.#encrypts = encrypts;
  }

  close(entry: CacheEntry): ClosedEntry {
    return { head: this.closeHead(entry), body: this.#close(entry.answer, this.#bodyPlace(entry)) };
  }

  closeHead(entry: CacheEntry): Uint8Array {
    return this.#close(headBytes(entry), this.#headPlace(entry.key));
  }

  /** `null` for what was made for another key or with another secret, or is damaged. */
  openHead(key: string, head: Uint8Array): EntryHead | null {
    const bytes = this.#open(head, this.#headPlace(key));
    try {
      const opened = bytes === null ? null : readHead(bytes);
      return opened?.key === key ? opened : null;
    } catch {
      // Somebody else wrote it: what is not encrypted can be anything.
      return null;
    }
  }

  open(key: string, { head, body }: ClosedEntry): CacheEntry | null {
    const opened = this.openHead(key, head);
    if (opened === null) return null;
    const answer = this.#open(body, this.#bodyPlace(opened));
    if (answer === null) return null;
    const { bytes: _, ...facts } = opened;
    return { ...facts, answer: new Uint8Array(answer) };
  }

  #headPlace(key: string): readonly string[] {
    return [FORM, this.#where, key, 'head'];
  }

  /** With the id, so that the answer of an earlier entry of this key does not open. */
  #bodyPlace({ key, id }: Pick<CacheEntry, 'key' | 'id'>): readonly string[] {
    return [FORM, this.#where, key, 'answer', id];
  }

  #close(plain: Uint8Array, place: readonly string[]): Uint8Array {
    if (this.#encrypts) return this.#box.seal(plain, place);
    return Buffer.concat([Buffer.of(PLAIN), checksum(plain, place), plain]);
  }

  #open(closed: Uint8Array, place: readonly string[]): Uint8Array | null {
    if (closed[0] === PLAIN) {
      const plain = closed.subarray(1 + CHECKSUM_BYTES);
      const isIntact = checksum(plain, place).equals(closed.subarray(1, 1 + CHECKSUM_BYTES));
      return this.#encrypts || !isIntact ? null : plain;
    }
    try {
      return this.#box.openBytes(closed, place);
    } catch (error) {
      if (error instanceof SecretBoxError) return null;
      throw error;
    }
  }
}

/** Against damage, not against an attacker: a disk that lost power may hold other bytes than were written. */
function checksum(plain: Uint8Array, place: readonly string[]): Buffer {
  const sum = Buffer.alloc(CHECKSUM_BYTES);
  sum.writeBigUInt64LE(Bun.hash.xxHash64(plain, Bun.hash.xxHash64(JSON.stringify(place))));
  return sum;
}

/** The length of a JSON text, the text, and the question's vector (32-bit floats of this machine's order, which is little-endian). */
function headBytes(entry: CacheEntry): Uint8Array {
  const { answer: _, question, ...facts } = entry;
  const asked = question === null ? null : { partition: question.partition, text: question.text };
  const json = Buffer.from(JSON.stringify({ ...facts, question: asked, bytes: entryBytes(entry) }));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(json.length);
  const vector = question?.vector ?? new Float32Array(0);
  return Buffer.concat([length, json, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)]);
}

function readHead(bytes: Uint8Array): EntryHead {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = LENGTH_BYTES + buffer.readUInt32LE(0);
  // Written by `headBytes`, of this form, and authentic or at least undamaged.
  const facts = JSON.parse(buffer.toString('utf8', LENGTH_BYTES, end));
  if (facts.question === null) return facts;
  // A copy begins where 32-bit floats may begin.
  const vector = new Float32Array(new Uint8Array(buffer.subarray(end)).buffer);
  return { ...facts, question: { ...facts.question, vector } };
}
