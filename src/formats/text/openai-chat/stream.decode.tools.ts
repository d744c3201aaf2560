import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { GrowingObject } from '../shared/growing-object.ts';

interface Call {
  /** The wire's index; `null` if it has none. */
  readonly key: number | null;
  readonly wireId: string | null;
  readonly id: string;
  name: string | null;
  readonly custom: boolean;
  state: OpaqueState | null;
}

interface Block extends Call {
  readonly arguments: GrowingObject;
  started: boolean;
  /** The part of the arguments that has not been sent yet. */
  unsent: string;
}

interface Piece {
  readonly name: string | null;
  readonly text: string | null;
  readonly state: OpaqueState | null;
}

/**
 * The tool calls of one candidate. The wire may interleave them, but they are emitted one after the other: the first one as
 * it grows, later ones only when the call before is complete. A call is complete when its arguments are whole JSON.
 */
export class ToolBlocks {
  /** The first entry is the call that is being sent. Other parts wait between the calls, in their order. */
  private queue: (Block | StreamPart[])[] = [];
  private latest: Block | null = null;

  constructor(
    private readonly candidate: number,
    private readonly emit: (part: StreamPart) => void,
  ) {}

  /** Returns whether the call that is being sent may still grow. */
  isBusy(): boolean {
    if (this.queue.length === 0) return false;
    this.advance();
    return this.queue.length > 0;
  }

  /**
   * Returns whether a piece continues a known call. Some servers leave out the index or use 0 for every call; then a new id with
   * a name means a new call. Other servers repeat the id and the name in every piece.
   */
  continues(key: number | null, id: string | null, name: string | null): boolean {
    const block = this.find(key);
    if (block === null) return false;
    const isOtherId = id !== null && block.wireId !== null && id !== block.wireId;
    if (isOtherId) return name === null;
    return id !== null || name === null || (key !== null && !isComplete(block));
  }

  begin(call: Call, text: string | null): void {
    const block: Block = { ...call, arguments: new GrowingObject(), started: false, unsent: '' };
    take(block, text);
    this.latest = block;
    if (this.queue.length > 0) this.advance();
    this.queue.push(block);
    if (this.queue[0] === block) this.send(block);
  }

  add(key: number | null, { name, text, state }: Piece): void {
    const block = this.find(key);
    if (block === null) return;
    block.name ??= name;
    block.state ??= state;
    take(block, text);
    if (this.queue[0] === block) this.send(block);
  }

  /** Keeps parts until the calls before them are complete. */
  hold(parts: readonly StreamPart[]): void {
    const last = this.queue.at(-1);
    const ended = last !== undefined && !('id' in last) ? last.at(-1)?.type : undefined;
    const goesOn = ended === 'text-end' || ended === 'reasoning-end' ? parts[0]?.type === startOf[ended] : false;
    if (goesOn && last !== undefined && !('id' in last)) {
      last.pop();
      for (const part of parts.slice(1)) last.push(part);
    } else this.queue.push([...parts]);
  }

  /** Emits everything that is held, because no more pieces will come. */
  close(): void {
    for (const item of this.queue) this.end(item);
    this.queue = [];
    this.latest = null;
  }

  private find(key: number | null): Block | null {
    if (key === null) return this.latest;
    if (this.latest?.key === key) return this.latest;
    return this.queue.findLast((item): item is Block => 'id' in item && item.key === key) ?? null;
  }

  /** Ends the complete calls at the head of the queue, then begins to send the new first call. */
  private advance(): void {
    for (;;) {
      const head = this.queue[0];
      if (head === undefined) return;
      if ('id' in head && !isComplete(head)) {
        this.send(head);
        return;
      }
      this.end(head);
      this.queue.shift();
    }
  }

  private send(block: Block): void {
    const { candidate } = this;
    if (!block.started) {
      if (block.name === null) return;
      block.started = true;
      const { id, name, custom, state } = block;
      this.emit({
        type: 'tool-call-start',
        candidate,
        id,
        name,
        ...(custom ? { custom } : {}),
        ...(state === null ? {} : { state }),
      });
    }
    if (block.unsent === '') return;
    this.emit({ type: 'tool-call-delta', candidate, arguments: block.unsent });
    block.unsent = '';
  }

  private end(item: Block | readonly StreamPart[]): void {
    if (!('id' in item)) {
      for (const part of item) this.emit(part);
      return;
    }
    item.name ??= '';
    this.send(item);
    const state = item.state === null ? {} : { state: item.state };
    this.emit({ type: 'tool-call-end', candidate: this.candidate, ...state });
  }
}

const startOf = { 'text-end': 'text-start', 'reasoning-end': 'reasoning-start' } as const;

function take(block: Block, text: string | null): void {
  if (text === null || text === '') return;
  block.arguments.push(text);
  block.unsent += text;
}

/** Returns whether the arguments are a whole JSON object, so that only white space could follow. */
function isComplete(block: Block): boolean {
  return !block.custom && block.arguments.isWhole();
}
