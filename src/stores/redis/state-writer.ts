import type { RememberedKind } from '../../engine/ports/conversation-state.ts';
import type { QueueFigures } from '../../engine/ports/figures.ts';
import { PARTS, type Place, type SharedParts } from './shared-parts.ts';

/** The size of one command, limited so that others do not wait long behind it. */
const MAX_WRITE_BYTES = 512 * 1024;
const MAX_WRITE_ENTRIES = 100;
/** The part of one gateway's capacity that may wait to be written. Values beyond it are not shared. */
const MAX_WAITING_SHARE = 0.25;

interface Waiting<Value> {
  readonly place: Place;
  readonly accountId: string;
  readonly key: string;
  readonly value: Value;
}

interface PartQueue<Value> {
  readonly part: number;
  /** Keyed by field. */
  readonly waiting: Map<string, Waiting<Value>>;
  isWriting: boolean;
}

/**
 * Writes new values at the end of the event loop turn. Values that arrive during a write are sent with the next one, so that a busy gateway
 * sends few commands.
 */
export class StateWriter<Value> {
  readonly #parts: SharedParts;
  readonly #kind: RememberedKind<Value>;
  readonly #onCollided: (accountId: string, key: string) => void;
  readonly #queues: readonly PartQueue<Value>[];
  #size = 0;
  #dropped = 0;

  constructor(parts: SharedParts, kind: RememberedKind<Value>, onCollided: (accountId: string, key: string) => void) {
    this.#parts = parts;
    this.#kind = kind;
    this.#onCollided = onCollided;
    this.#queues = Array.from({ length: PARTS }, (_, part) => ({ part, waiting: new Map(), isWriting: false }));
  }

  /** The values that wait, and those that were not shared: too much waited, or Redis was away. */
  get figures(): Pick<QueueFigures, 'waiting' | 'dropped'> {
    return { waiting: this.#queues.reduce((sum, { waiting }) => sum + waiting.size, 0), dropped: this.#dropped };
  }

  add(accountId: string, key: string, value: Value): void {
    const size = this.#kind.sizeOf(accountId, key, value);
    if (this.#size + size > this.#kind.capacity * MAX_WAITING_SHARE) {
      this.#dropped++;
      return;
    }
    const [place] = this.#parts.placesOf(this.#kind, accountId, [key]);
    const queue = this.#queues[place?.part ?? 0];
    if (place === undefined || queue === undefined) return;
    this.#take(queue, place.field);
    queue.waiting.set(place.field, { place, accountId, key, value });
    this.#size += size;
    if (queue.isWriting) return;
    queue.isWriting = true;
    queueMicrotask(() => void this.#write(queue));
  }

  async #write(queue: PartQueue<Value>): Promise<void> {
    const { collision } = this.#kind;
    while (queue.waiting.size > 0) {
      const { values, keys } = this.#batch(queue);
      if (this.#parts.isAway || values.size === 0) continue;
      for (const field of await this.#parts.keep(this.#kind, queue.part, values, collision !== undefined)) {
        const collided = keys.get(field);
        if (collided) this.#onCollided(collided.accountId, collided.key);
      }
    }
    queue.isWriting = false;
  }

  #batch(queue: PartQueue<Value>) {
    const values = new Map<string, Buffer>();
    const keys = new Map<string, Waiting<Value>>();
    let bytes = 0;
    for (const field of queue.waiting.keys()) {
      if (bytes > MAX_WRITE_BYTES || values.size >= MAX_WRITE_ENTRIES) break;
      const entry = this.#take(queue, field);
      if (entry === undefined) continue;
      if (this.#parts.isAway) {
        this.#dropped++;
        continue;
      }
      const sealed = this.#parts.seal(this.#kind, entry.place, this.#kind.toText(entry.value));
      if (sealed === null) continue;
      values.set(field, sealed);
      keys.set(field, entry);
      bytes += sealed.length;
    }
    return { values, keys };
  }

  #take({ waiting }: PartQueue<Value>, field: string): Waiting<Value> | undefined {
    const entry = waiting.get(field);
    if (entry === undefined) return undefined;
    waiting.delete(field);
    this.#size -= this.#kind.sizeOf(entry.accountId, entry.key, entry.value);
    return entry;
  }
}
