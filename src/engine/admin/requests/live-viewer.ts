import { matchesQuery, type RequestLogQuery, type RequestRecord } from '../../ports/request-log.ts';
import type { Names } from '../names.ts';
import { requestView } from './read-requests.ts';
import type { WrittenTracker } from './written-tracker.ts';

const utf8 = new TextEncoder();
/** A disconnected client connects again after this many milliseconds. */
const FIRST_EVENT = 'retry: 2000\n: watching\n';

/** A line as all viewers receive it, rendered when the first of them wants it. */
export class LiveLine {
  private text: string | null = null;

  constructor(
    readonly id: number,
    readonly record: RequestRecord,
    private readonly names: Names,
    /** The cursor from which a viewer continues after this line. */
    readonly cursor: string,
  ) {}

  event(seal: (cursor: string) => string): string {
    if (this.text === null) {
      const data = { object: 'request', ...this.names.in(requestView(this.record)) };
      this.text = `event: request\nid: ${seal(this.cursor)}\ndata: ${JSON.stringify(data)}\n\n`;
    }
    return this.text;
  }
}

export interface LivePage {
  readonly lines: readonly LiveLine[];
  /** Whether the other viewers were not further when it was read. */
  readonly isLast: boolean;
}

export interface ViewerOptions {
  readonly query: RequestLogQuery;
  /** Whether the viewer must receive every line, however late, instead of the number of lines that it has missed. */
  readonly isComplete: boolean;
  /** Resolves to whether the viewer is still allowed to watch. */
  readonly isStillAllowed: () => Promise<boolean>;
}

interface ViewerPorts {
  readonly seal: (cursor: string) => string;
  /** Returns the lines that a viewer at this cursor has seen; `null` if it is not one. */
  readonly placeOf: (cursor: string) => WrittenTracker | null;
  /** Reads the next lines that the tracker has not seen, and passes them. */
  readonly page: (tracker: WrittenTracker) => Promise<LivePage>;
}

/** A client that watches the log. Lines that it does not read in time are counted, or read again from the log, instead of kept. */
export class LiveViewer {
  readonly isComplete: boolean;
  readonly isStillAllowed: () => Promise<boolean>;
  private readonly query: RequestLogQuery;
  private waiting: LiveLine[] = [];
  private skipped = 0;
  private control = FIRST_EVENT;
  private isOver = false;
  private wake: (() => void) | null = null;
  /** The cursor of everything that was delivered. */
  private delivered: string | null = null;
  /** The lines that the viewer has seen, while it reads the log itself because it has fallen behind. */
  private behind: WrittenTracker | null = null;
  /** The lines that were offered during the latest of these reads; `null` if they were too many to keep. */
  private offered: LiveLine[] | null = [];

  constructor(
    { query, isComplete, isStillAllowed }: ViewerOptions,
    private readonly ports: ViewerPorts,
  ) {
    this.query = query;
    this.isComplete = isComplete;
    this.isStillAllowed = isStillAllowed;
  }

  /** Makes the viewer read the log itself from this place on, until it has caught up with the others. */
  readFrom(place: WrittenTracker): void {
    this.behind = place;
    this.awake();
  }

  /** Adds lines for the viewer. At most `most` of them wait to be read, the newest. */
  offer(lines: readonly LiveLine[], most: number): void {
    const wanted = lines.filter(({ record }) => matchesQuery(record, this.query));
    if (wanted.length === 0) return;
    if (this.behind !== null) this.offerMeanwhile(wanted, most);
    else if (this.isComplete) this.keepAll([...this.waiting, ...wanted], most);
    else this.keepNewest([...this.waiting, ...wanted], most);
    this.awake();
  }

  private offerMeanwhile(wanted: readonly LiveLine[], most: number): void {
    if (this.offered === null) return;
    const all = [...this.offered, ...wanted];
    this.offered = all.length > most ? null : all;
  }

  private keepNewest(all: LiveLine[], most: number): void {
    this.waiting = all.slice(-Math.max(most, this.waiting.length));
    this.skipped += all.length - this.waiting.length;
  }

  private keepAll(all: LiveLine[], most: number): void {
    if (all.length > most && this.delivered !== null) this.fallBehind(this.delivered);
    else this.waiting = all;
  }

  private fallBehind(cursor: string): void {
    this.waiting = [];
    const place = this.ports.placeOf(cursor);
    if (place !== null) this.readFrom(place);
  }

  /** Keeps the connection alive, and reports how far the log was read. */
  beat(cursor: string): void {
    // Queued lines have their own cursors, which report the same.
    if (this.waiting.length > 0 || this.isOver) return;
    const comment = this.control === FIRST_EVENT ? FIRST_EVENT : ': watching\n';
    // The others have read further than a viewer that has fallen behind.
    if (this.behind === null) this.delivered = cursor;
    this.control = this.behind === null ? `${comment}id: ${this.ports.seal(cursor)}\n` : comment;
    this.awake();
  }

  end(reason: 'not_allowed' | 'shutting_down'): void {
    if (this.isOver) return;
    this.isOver = true;
    this.control = `event: end\ndata: ${JSON.stringify({ reason })}\n`;
    this.awake();
  }

  /** Ends the view of a client that has disconnected. */
  leave(): void {
    this.isOver = true;
    this.awake();
  }

  /** Resolves to what was added since the last call, or `null` at the end. */
  async next(): Promise<Uint8Array | null> {
    while (this.control === '' && this.waiting.length === 0) {
      if (this.isOver) return null;
      if (this.behind !== null) {
        await this.readOn(this.behind);
        continue;
      }
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    // The cursor of the heartbeat is older than the lines that were added after it.
    const control = this.control === '' ? '' : `${this.control}\n`;
    const lines = this.waiting.map((line) => line.event(this.ports.seal)).join('');
    const skipped = this.skipped === 0 ? '' : `event: skipped\ndata: ${JSON.stringify({ count: this.skipped })}\n\n`;
    this.delivered = this.waiting.at(-1)?.cursor ?? this.delivered;
    this.waiting = [];
    this.control = '';
    this.skipped = 0;
    return utf8.encode(this.isOver ? skipped + lines + control : control + skipped + lines);
  }

  /** Reads one page, and joins the others again if it was the last one. */
  private async readOn(place: WrittenTracker): Promise<void> {
    this.offered = [];
    const { lines, isLast } = await this.ports.page(place);
    this.waiting = lines.filter(({ record }) => matchesQuery(record, this.query));
    this.delivered = place.cursor();
    if (!isLast || this.offered === null) return;
    this.behind = null;
    this.waiting.push(...this.offered.filter(({ id }) => !place.hasSeen(id)));
  }

  private awake(): void {
    this.wake?.();
    this.wake = null;
  }
}
