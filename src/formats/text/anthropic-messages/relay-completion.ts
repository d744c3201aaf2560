import { appendMember, applyEdits, safeParse } from '../../shared/json/json-patch.ts';
import { MemberNames, type MemberSpan, scanObject } from '../../shared/json/json-scan.ts';
import { dataSpan } from '../../shared/stream/sse.ts';
import { memberNamed } from '../shared/fill-in.ts';

const MEMBERS = new MemberNames('type', 'index');
const BLOCK_EVENTS: ReadonlySet<unknown> = new Set([
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
]);

/** Supplies the `index` of block events, by which clients find the block, for upstreams that omit it. */
export class BlockIndexes {
  /**
   * Whether the upstream has stated the index of a block's start and of its first delta, so that later events need no inspection.
   */
  isComplete = false;
  private hasStarts = false;
  private lacksSome = false;
  /** The index of the block that was started last. */
  private index = -1;

  /** Returns the event with its index; the same event if none is missing. */
  completed(event: Uint8Array): Uint8Array {
    const data = dataSpan(event);
    // Events with several data lines are put on one line first, and passed in again.
    if (data === null || data === 'many') return event;
    const object = scanObject(event, data.start, MEMBERS);
    const member = object === null ? null : memberNamed(object, 'type');
    const type = member === null ? null : safeParse(event, member);
    if (object === null || !BLOCK_EVENTS.has(type)) return event;
    const present = memberNamed(object, 'index');
    const stated = present === null ? null : numberIn(event, present);
    if (type === 'content_block_start') this.index = stated ?? this.index + 1;
    if (stated === null) this.lacksSome = true;
    else if (type === 'content_block_start') this.hasStarts = true;
    else this.isComplete = this.hasStarts && !this.lacksSome;
    return present === null ? applyEdits(event, [appendMember(object, `"index":${Math.max(0, this.index)}`)]) : event;
  }
}

function numberIn(event: Uint8Array, member: MemberSpan): number | null {
  const value = safeParse(event, member);
  return typeof value === 'number' ? value : null;
}
