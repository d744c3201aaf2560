import { isObject, parseJson } from '../shared/json.ts';
import type { StreamEvent } from './stream-event.ts';

/** The deltas of each type of content block; a block type that is not listed may have any. */
const DELTAS: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
  server_tool_use: ['input_json_delta'],
};

/**
 * Returns the violations of a Messages stream as a whole: `message_start`; content blocks in sequence, each started with the next index, changed
 * by deltas of its kind, and stopped; `message_delta`; `message_stop` last. A `ping` may come anywhere.
 */
export function judgeMessagesStream(events: readonly StreamEvent[]): readonly string[] {
  const stream = new MessagesStream();
  events.forEach((event, index) => {
    stream.take(event, index);
  });
  stream.finish();
  return stream.problems;
}

class MessagesStream {
  readonly problems: string[] = [];
  private phase: 'before' | 'blocks' | 'ending' | 'over' = 'before';
  private nextIndex = 0;
  private open: { readonly index: number; readonly type: string } | null = null;
  private place = '';

  take(event: StreamEvent, index: number): void {
    const data = parseJson(event.data);
    this.place = `event ${index}`;
    if (!isObject(data) || typeof data.type !== 'string') {
      this.note('has no object with a type as its data');
      return;
    }
    this.place = `event ${index} (${data.type})`;
    if (event.event !== data.type) this.note(`is named ${JSON.stringify(event.event)}`);
    if (this.phase === 'over') this.note('comes after the end');
    switch (data.type) {
      case 'ping':
        return;
      case 'message_start':
        this.require(this.phase === 'before', 'is not first');
        this.phase = 'blocks';
        return;
      case 'content_block_start':
        this.startBlock(data);
        return;
      case 'content_block_delta':
        this.changeBlock(data);
        return;
      case 'content_block_stop':
        this.stopBlock(data);
        return;
      case 'message_delta':
        this.require(this.phase === 'blocks' || this.phase === 'ending', 'comes before message_start');
        this.require(this.open === null, 'comes before the open content block is stopped');
        this.phase = 'ending';
        return;
      case 'message_stop':
        this.require(this.phase === 'ending', 'comes without a message_delta before it');
        this.phase = 'over';
        return;
      case 'error':
        this.phase = 'over';
        return;
      default:
        this.note('is not an event of this format');
    }
  }

  finish(): void {
    this.place = 'stream';
    this.require(this.phase === 'over', 'ends without message_stop');
  }

  private startBlock(data: Readonly<Record<string, unknown>>): void {
    this.require(this.phase === 'blocks', 'stands outside of the message');
    this.require(this.open === null, 'comes before the open content block is stopped');
    this.require(data.index === this.nextIndex, `has index ${String(data.index)}, not ${this.nextIndex}`);
    const type = isObject(data.content_block) ? String(data.content_block.type) : '';
    this.open = { index: this.nextIndex, type };
    this.nextIndex += 1;
  }

  private changeBlock(data: Readonly<Record<string, unknown>>): void {
    if (this.open === null) {
      this.note('comes without an open content block');
      return;
    }
    this.require(data.index === this.open.index, `has index ${String(data.index)}, open is ${this.open.index}`);
    const delta = isObject(data.delta) ? data.delta : {};
    const allowed = DELTAS[this.open.type];
    if (allowed !== undefined && !allowed.includes(String(delta.type))) {
      this.note(`changes a ${this.open.type} block by ${String(delta.type)}`);
    }
  }

  private stopBlock(data: Readonly<Record<string, unknown>>): void {
    if (this.open === null) {
      this.note('comes without an open content block');
      return;
    }
    this.require(data.index === this.open.index, `has index ${String(data.index)}, open is ${this.open.index}`);
    this.open = null;
  }

  private require(holds: boolean, problem: string): void {
    if (!holds) this.note(problem);
  }

  private note(problem: string): void {
    this.problems.push(`${this.place}: ${problem}`);
  }
}
