import { Failure } from '../../domain/failure/failure.ts';
import { NO_TAGS, type RequestTags, tagsInHeader } from '../../domain/usage/request-tags.ts';
import type { RecordPorts } from './record-ports.ts';

/** A call whose usage is summed by the tags of its header, its body and its end user. */
export abstract class TaggedCall {
  tags: RequestTags = NO_TAGS;
  abstract readonly atMs: number;
  protected abstract readonly ports: Pick<RecordPorts, 'endUsers' | 'tagValues'>;
  protected abstract get accountId(): string;

  /** Reads the request's tags header. Returns the failure if it is malformed. */
  taggedBy(header: string | null): Failure | null {
    const tags = header === null ? null : tagsInHeader(header);
    if (tags instanceof Failure || tags === null) return tags;
    this.tag(this.ports.endUsers.storedTags(this.accountId, tags));
    return null;
  }

  /** Adds the `metadata` of the request's body to the tags. */
  labelledBy(metadata: object): void {
    this.tag(this.ports.endUsers.withLabels(this.accountId, this.tags.given, metadata));
  }

  /** Adds the client's end user to the tags. */
  servesUser(user: unknown): void {
    this.tag(this.ports.endUsers.withUser(this.accountId, this.tags.given, user));
  }

  private tag(given: readonly string[]): void {
    if (given.length === this.tags.given.length) return;
    this.tags = { given, summed: this.ports.tagValues.summed(this.accountId, given, this.atMs) };
  }
}
