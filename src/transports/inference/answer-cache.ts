import { createHash } from 'node:crypto';
import { Failure } from '../../domain/failure/failure.ts';
import type { Directory } from '../../engine/directory/directory.ts';

/** A complete answer that can be sent again while nothing in it has changed. */
export interface CachedAnswer {
  readonly body: string;
  /** A strong validator (RFC 9110, 8.8.3). */
  readonly etag: string;
}

interface Entry {
  readonly answer: CachedAnswer;
  readonly untilMs: number;
  /** The size in memory, including the key. */
  readonly characters: number;
}

interface Generation {
  readonly entries: Map<string, Entry>;
  characters: number;
}

/** The limit for all cached answers of one directory; when it is exceeded, all are dropped and computed again on request. */
const MOST_CHARACTERS = 32 * 1024 * 1024;
/** The overhead of an entry, in characters. */
const ENTRY_CHARACTERS = 1024;
/** Longer keys are unusual: such requests are answered but not cached. */
const LONGEST_KEY = 1024;

/** Caches answers by the values that they depend on. A new directory starts with an empty cache. */
export class AnswerCache {
  private readonly generations = new WeakMap<Directory, Generation>();

  /** @param make returns the answer, and when it may change by itself (`untilMs`, milliseconds since 1970) */
  get(
    directory: Directory,
    key: string,
    nowMs: number,
    make: () => { readonly body: string; readonly untilMs: number | null } | Failure,
  ): CachedAnswer | Failure {
    const generation = this.generationOf(directory);
    const known = generation.entries.get(key);
    if (known !== undefined && nowMs < known.untilMs) return known.answer;
    const made = make();
    if (made instanceof Failure) return made;
    const { body, untilMs } = made;
    const answer = { body, etag: `"${createHash('sha1').update(body).digest('base64url')}"` };
    if (key.length > LONGEST_KEY) return answer;
    const characters = key.length + body.length + ENTRY_CHARACTERS;
    generation.characters -= known?.characters ?? 0;
    if (generation.characters + characters > MOST_CHARACTERS) {
      generation.entries.clear();
      generation.characters = 0;
    }
    generation.entries.set(key, { answer, untilMs: untilMs ?? Number.POSITIVE_INFINITY, characters });
    generation.characters += characters;
    return answer;
  }

  private generationOf(directory: Directory): Generation {
    let generation = this.generations.get(directory);
    if (generation === undefined) {
      generation = { entries: new Map(), characters: 0 };
      this.generations.set(directory, generation);
    }
    return generation;
  }
}

/** Returns whether `If-None-Match` names this answer, so that it need not be sent again (RFC 9110, 13.1.2). */
export function isNotModified(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  return ifNoneMatch.split(',').some((tag) => {
    const candidate = tag.trim().replace(/^W\//, '');
    return candidate === '*' || candidate === etag;
  });
}
