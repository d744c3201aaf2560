import type { CacheEntry } from '../../../domain/cache/cache.ts';
import { type ContentBox, createContentBox } from '../content-box.ts';
import { SecretBoxError } from '../secret-box.ts';
import { entryBytes } from './entry-size.ts';

/** The format version. It is authenticated with each entry, so that two releases do not read each other's entries. */
const FORM = 'cache entry 1';
/** The first byte of an unencrypted entry; a `ContentBox` begins with a different one. */
const PLAIN = 0;
const CHECKSUM_BYTES = 8;
const LENGTH_BYTES = 4;

/** An entry without its response. `bytes` is the size of the whole entry. */
export type EntryHead = Omit<CacheEntry, 'answer'> & { readonly bytes: number };

/** The serialised form on disk or in Redis. The response is separate, since lists and questions need only the head. */
export interface ClosedEntry {
  readonly head: Uint8Array;
  readonly body: Uint8Array;
}

/**
 * Serialises entries: encrypted and bound to their key, or with a checksum. With encryption enabled, unencrypted entries are rejected, so
 * that write access to the disk or Redis is not enough to forge responses.
 */
export class EntryCodec {
  readonly #where: string;
  readonly #box: ContentBox;
  readonly #encrypts: boolean;

  /** @param where the tier that stores the entries */
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

  /** Returns `null` if the bytes belong to another key or secret, or are damaged. */
  openHead(key: string, head: Uint8Array): EntryHead | null {
    const bytes = this.#open(head, this.#headPlace(key));
    try {
      const opened = bytes === null ? null : readHead(bytes);
      return opened?.key === key ? opened : null;
    } catch {
      // Written by another program: unencrypted bytes can be anything.
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

  /** Includes the id, so that the response of an earlier entry with this key does not open. */
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

/** Detects damage, such as after a power loss, but not tampering. */
function checksum(plain: Uint8Array, place: readonly string[]): Buffer {
  const sum = Buffer.alloc(CHECKSUM_BYTES);
  sum.writeBigUInt64LE(Bun.hash.xxHash64(plain, Bun.hash.xxHash64(JSON.stringify(place))));
  return sum;
}

/** Returns the length of the JSON, the JSON, and the question's vector as little-endian 32-bit floats. */
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
  // Written by `headBytes` in this format, and authentic or at least undamaged.
  const facts = JSON.parse(buffer.toString('utf8', LENGTH_BYTES, end));
  if (facts.question === null) return facts;
  // Copied, since a view of 32-bit floats must be aligned.
  const vector = new Float32Array(new Uint8Array(buffer.subarray(end)).buffer);
  return { ...facts, question: { ...facts.question, vector } };
}
