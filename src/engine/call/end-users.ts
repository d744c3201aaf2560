import { createHmac } from 'node:crypto';
import { END_USER_KEY, tagKeyOf, withEndUser, withMetadata } from '../../domain/usage/request-tags.ts';
import type { EndUserStorage } from '../settings/settings.ts';

/** The member of `metadata` in which Messages names the end user. */
export const USER_ID_KEY = 'user_id';
/** 64 bits: among a million end users of an account, two share a hash with a probability of 1 in 37 million. */
const HASH_DIGITS = 16;

/** Decides under which name the end users of requests are stored (docs/usage-sums.md). */
export class EndUsers {
  /** @param key 32 secret bytes, the same on every node */
  constructor(
    readonly storage: EndUserStorage,
    private readonly key: Uint8Array,
  ) {}

  /** Returns the value of the tag `end_user` for a name that a client has sent; `null` if end users are not stored. */
  stored(accountId: string, name: string): string | null {
    if (this.storage === 'off') return null;
    return this.storage === 'plain' ? name : this.hashed(accountId, name);
  }

  /** Returns the hash of a name. It differs between accounts, so that nobody can follow a person across them. */
  hashed(accountId: string, name: string): string {
    const text = JSON.stringify([accountId, name]);
    return `eu_${createHmac('sha256', this.key).update(text).digest('hex').slice(0, HASH_DIGITS)}`;
  }

  /** Returns tags of the header as they are stored. */
  storedTags(accountId: string, tags: readonly string[]): readonly string[] {
    return tags.flatMap((tag) => {
      if (tagKeyOf(tag) !== END_USER_KEY) return [tag];
      const name = this.stored(accountId, tag.slice(END_USER_KEY.length + 1));
      return name === null ? [] : [`${END_USER_KEY}=${name}`];
    });
  }

  /** Returns the tags with those of a body's `metadata`. */
  withLabels(accountId: string, given: readonly string[], metadata: object): readonly string[] {
    const added = withMetadata(given, metadata).slice(given.length);
    return [...given, ...this.storedLabels(accountId, added)];
  }

  /** Returns the tags with the end user that a body names; the same tags if it names none. */
  withUser(accountId: string, given: readonly string[], user: unknown): readonly string[] {
    if (typeof user !== 'string' || user.trim() === '') return given;
    const name = this.stored(accountId, user.trim());
    return name === null ? given : withEndUser(given, name);
  }

  /** Returns tags of a body's `metadata` as they are stored. Its `user_id` is a name of the end user, too. */
  storedLabels(accountId: string, tags: readonly string[]): readonly string[] {
    const kept = this.storage === 'plain' ? tags : tags.filter((tag) => tagKeyOf(tag) !== USER_ID_KEY);
    return this.storedTags(accountId, kept);
  }
}
