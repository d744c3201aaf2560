import type { RequestLogQuery, RequestRecord } from '../../ports/request-log.ts';
import { matchesQuery } from '../../ports/request-log-match.ts';
import { requestView } from './read-requests.ts';

const utf8 = new TextEncoder();
/** A disconnected client connects again after this many milliseconds. */
const FIRST_WORDS = 'retry: 2000\n: watching\n';

/** A line as all viewers receive it, rendered when the first of them wants it. */
export class LiveLine {
  private text: string | null = null;

  constructor(
    readonly record: RequestRecord,
    /** The cursor from which a viewer continues after this line. */
    private readonly id: () => string,
  ) {}

  get event(): string {
    this.text ??= `event: request\nid: ${this.id()}\ndata: ${JSON.stringify({ object: 'request', ...requestView(this.record) })}\n\n`;
    return this.text;
  }
}

export interface ViewerOptions {
  readonly query: RequestLogQuery;
  /** Resolves to whether the viewer is still allowed to watch. */
  readonly isStillAllowed: () => Promise<boolean>;
}

/** A client that watches the log. Lines that it does not read in time are counted instead of kept. */
export class LiveViewer {
  readonly isStillAllowed: () => Promise<boolean>;
  private readonly query: RequestLogQuery;
  private waiting: LiveLine[] = [];
  private skipped = 0;
  private words = FIRST_WORDS;
  private isOver = false;
  private wake: (() => void) | null = null;

  constructor({ query, isStillAllowed }: ViewerOptions) {
    this.query = query;
    this.isStillAllowed = isStillAllowed;
  }

  /** Adds lines for the viewer. At most `most` of them wait to be read, the newest. */
  offer(lines: readonly LiveLine[], most: number): void {
    const wanted = lines.filter(({ record }) => matchesQuery(record, this.query));
    if (wanted.length === 0) return;
    const all = [...this.waiting, ...wanted];
    this.waiting = all.slice(-Math.max(most, this.waiting.length));
    this.skipped += all.length - this.waiting.length;
    this.awake();
  }

  /** Keeps the connection alive, and reports how far the log was read. */
  beat(id: string): void {
    // Queued lines have their own cursors, which report the same.
    if (this.waiting.length > 0 || this.isOver) return;
    this.words = `${this.words === FIRST_WORDS ? FIRST_WORDS : ': watching\n'}id: ${id}\n`;
    this.awake();
  }

  end(reason: 'not_allowed' | 'shutting_down'): void {
    if (this.isOver) return;
    this.isOver = true;
    this.words = `event: end\ndata: ${JSON.stringify({ reason })}\n`;
    this.awake();
  }

  /** Resolves to what was added since the last call, or `null` at the end. */
  async next(): Promise<Uint8Array | null> {
    while (this.words === '' && this.waiting.length === 0) {
      if (this.isOver) return null;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    // The cursor of the heartbeat is older than the lines that were added after it.
    const words = this.words === '' ? '' : `${this.words}\n`;
    const lines = this.waiting.map(({ event }) => event).join('');
    const skipped = this.skipped === 0 ? '' : `event: skipped\ndata: ${JSON.stringify({ count: this.skipped })}\n\n`;
    this.waiting = [];
    this.words = '';
    this.skipped = 0;
    return utf8.encode(this.isOver ? skipped + lines + words : words + skipped + lines);
  }

  private awake(): void {
    this.wake?.();
    this.wake = null;
  }
}
