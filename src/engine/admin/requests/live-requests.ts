import { describeError } from '../../../domain/text/describe-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import {
  matchesQuery,
  type RequestLog,
  type RequestLogQuery,
  type RequestRecord,
  type WrittenLine,
} from '../../ports/request-log.ts';
import { AdminError } from '../admin-error.ts';
import { type NameSource, Names } from '../names.ts';
import { requestView } from './read-requests.ts';
import { WrittenTracker } from './written-tracker.ts';

/** Cursors as viewers receive them: opaque, and readable by every node. */
export interface LiveCursors {
  seal(cursor: string): string;
  /** Returns the cursor, or `null` if it was not sealed by `seal`. */
  open(id: string): string | null;
}

interface LivePorts {
  readonly log: Pick<RequestLog, 'written' | 'lastWritten'>;
  readonly names: NameSource;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Logger;
  readonly cursors: LiveCursors;
}

interface LiveSettings {
  /** The number of views that may be open at once for one account, or for operators who watch all accounts. */
  readonly mostOfAccount: number;
  readonly most: number;
  /** The largest number of lines that one poll delivers to a viewer. */
  readonly mostLines: number;
}

const USUAL_LIVE: LiveSettings = { mostOfAccount: 50, most: 500, mostLines: 50 };
const LOOKS_PER_BEAT = 16;
/**
 * Each viewer's permission is checked once in this many polls, since looking up a session costs more than everything else done for a
 * viewer.
 */
const LOOKS_PER_CHECK = 5;
const LINES_AT_ONCE = 500;
const PAGES_AT_ONCE = 10;
/** The largest number of missed lines that a viewer receives after it connects again. */
const MOST_MISSED = 1_000;
/** The number of newest lines among which some may still be in writing. */
const RECENT = 200;

interface Watching {
  /** The account; empty for all accounts. */
  readonly owner: string;
  /** In which polls the viewer's permission is checked. */
  readonly turn: number;
}

/**
 * Delivers the request log to viewers as it is written. No matter how many watch, the log is polled once a second and each line is rendered
 * once. Nothing is done while nobody watches.
 */
export class LiveRequests {
  private readonly viewers = new Map<LiveViewer, Watching>();
  private opened = 0;
  private tracker: WrittenTracker | null = null;
  private starting: Promise<WrittenTracker> | null = null;
  /** Increases whenever lines were found: anything read at the same time may lack them. */
  private finds = 0;
  private looks = 0;
  private isLooking = false;
  private opening = 0;
  private isClosed = false;

  constructor(
    private readonly ports: LivePorts,
    private readonly settings: LiveSettings = USUAL_LIVE,
  ) {}

  /** Opens a view. `after` is the `id` of the last event that the viewer has seen; `null` for lines from now on. Throws `AdminError`. */
  async open(
    accountId: string | null,
    options: ViewerOptions,
    after: string | null,
  ): Promise<ReadableStream<Uint8Array>> {
    this.refuseTooMany(accountId ?? '');
    const missed = this.placeOf(after);
    if (after !== null && missed === null) {
      throw new AdminError('invalid_value', 'after', 'must be the id of an event of this stream');
    }
    const viewer = new LiveViewer(options);
    this.opening++;
    try {
      const tracker = await this.started();
      if (missed !== null) await this.catchUp(viewer, missed, tracker);
      viewer.beat(this.idOf(this.tracker ?? tracker));
      this.viewers.set(viewer, { owner: accountId ?? '', turn: this.opened++ % LOOKS_PER_CHECK });
    } finally {
      this.opening--;
      this.restIfAlone();
    }
    if (this.isClosed) viewer.end('shutting_down');
    return this.streamOf(viewer);
  }

  /** Ends all views because the gateway stops. */
  close(): void {
    this.isClosed = true;
    for (const viewer of this.viewers.keys()) viewer.end('shutting_down');
    this.viewers.clear();
    this.tracker = null;
  }

  private placeOf(after: string | null): WrittenTracker | null {
    const cursor = after === null ? null : this.ports.cursors.open(after);
    return cursor === null ? null : WrittenTracker.parse(cursor, this.nowMs());
  }

  private idOf(tracker: WrittenTracker): string {
    return this.ports.cursors.seal(tracker.cursor());
  }

  private refuseTooMany(owner: string): void {
    const ofOwner = [...this.viewers.values()].filter((other) => other.owner === owner).length;
    const { most, mostOfAccount } = this.settings;
    if (this.viewers.size + this.opening >= most) {
      throw new AdminError('too_many', 'account_id', `${most} live views are already open at this gateway`);
    }
    if (ofOwner < mostOfAccount) return;
    throw new AdminError('too_many', 'account_id', `${mostOfAccount} live views of this account are already open`);
  }

  private streamOf(viewer: LiveViewer): ReadableStream<Uint8Array> {
    return new ReadableStream(
      {
        pull: async (controller) => {
          const bytes = await viewer.next();
          if (bytes === null) controller.close();
          else controller.enqueue(bytes);
        },
        cancel: () => this.leave(viewer),
      },
      // Lines that were not asked for stay with the viewer, which can skip some of them.
      { highWaterMark: 0 },
    );
  }

  private leave(viewer: LiveViewer): void {
    this.viewers.delete(viewer);
    this.restIfAlone();
  }

  private restIfAlone(): void {
    if (this.viewers.size + this.opening === 0) this.tracker = null;
  }

  private async started(): Promise<WrittenTracker> {
    if (this.tracker !== null) return this.tracker;
    this.starting ??= this.ports.log
      .lastWritten(RECENT)
      .then((ids) => WrittenTracker.after(ids, this.nowMs()))
      .finally(() => {
        this.starting = null;
      });
    const tracker = await this.starting;
    this.tracker ??= tracker;
    return this.tracker;
  }

  /** Offers the lines written since `missed`, up to where the other viewers are, so that none is lost or repeated in between. */
  private async catchUp(viewer: LiveViewer, missed: WrittenTracker, tracker: WrittenTracker): Promise<void> {
    for (let page = 0; page < PAGES_AT_ONCE; page++) {
      const before = this.finds;
      const found = await this.ports.log.written(missed.place(), LINES_AT_ONCE);
      const known = found.filter(({ id }) => tracker.hasSeen(id) && !missed.hasSeen(id));
      viewer.offer(this.linesOf(known, missed, await this.namesOf(known)), MOST_MISSED);
      if (found.length < LINES_AT_ONCE && this.finds === before) return;
    }
  }

  private namesOf(lines: readonly WrittenLine[]): Promise<Names> {
    return Names.of(
      this.ports.names,
      lines.map(({ record }) => ({ account: record.accountId, channel: record.channelId, key: record.keyId })),
    );
  }

  private linesOf(found: readonly WrittenLine[], tracker: WrittenTracker, names: Names): LiveLine[] {
    const nowMs = this.nowMs();
    return found.map(({ id, record }) => {
      tracker.pass(id, nowMs);
      const cursor = tracker.cursor();
      return new LiveLine(record, names, () => this.ports.cursors.seal(cursor));
    });
  }

  /** Delivers new lines to all viewers. Call it once a second. */
  async look(): Promise<void> {
    if (this.viewers.size === 0 || this.isLooking) return;
    this.isLooking = true;
    try {
      await this.checkSome();
      await this.passOn();
      if (++this.looks % LOOKS_PER_BEAT === 0) this.beat();
    } catch (error) {
      this.ports.logger.warn(describeError(error), 'live views could not be updated');
    } finally {
      this.isLooking = false;
    }
  }

  private async passOn(): Promise<void> {
    for (let page = 0; page < PAGES_AT_ONCE; page++) {
      const { tracker } = this;
      if (tracker === null) return;
      const found = await this.ports.log.written(tracker.place(), LINES_AT_ONCE);
      const unseen = found.filter(({ id }) => !tracker.hasSeen(id));
      const names = await this.namesOf(unseen);
      // Meanwhile the last viewer may have left and another may have come.
      if (tracker !== this.tracker) return;
      const news = this.linesOf(unseen, tracker, names);
      tracker.forgetLate(this.nowMs());
      if (news.length > 0) this.finds++;
      for (const viewer of this.viewers.keys()) viewer.offer(news, this.settings.mostLines);
      if (found.length < LINES_AT_ONCE) return;
    }
  }

  private beat(): void {
    if (this.tracker === null) return;
    const id = this.idOf(this.tracker);
    for (const viewer of this.viewers.keys()) viewer.beat(id);
  }

  /**
   * Ends the views of those who are no longer allowed to watch. A failed check counts as not allowed, so that nobody watches after losing
   * the permission.
   */
  private async checkSome(): Promise<void> {
    const due = [...this.viewers].filter(([, { turn }]) => turn === this.looks % LOOKS_PER_CHECK);
    await Promise.all(
      due.map(async ([viewer]) => {
        if (await viewer.isStillAllowed().catch(() => false)) return;
        viewer.end('not_allowed');
        this.leave(viewer);
      }),
    );
  }

  private nowMs(): number {
    return this.ports.clock.monotonicMs();
  }
}

const utf8 = new TextEncoder();
/** A disconnected client connects again after this many milliseconds. */
const FIRST_EVENT = 'retry: 2000\n: watching\n';

/** A line as all viewers receive it, rendered when the first of them wants it. */
class LiveLine {
  private text: string | null = null;

  constructor(
    readonly record: RequestRecord,
    private readonly names: Names,
    /** The cursor from which a viewer continues after this line. */
    private readonly id: () => string,
  ) {}

  get event(): string {
    if (this.text === null) {
      const data = { object: 'request', ...this.names.in(requestView(this.record)) };
      this.text = `event: request\nid: ${this.id()}\ndata: ${JSON.stringify(data)}\n\n`;
    }
    return this.text;
  }
}

interface ViewerOptions {
  readonly query: RequestLogQuery;
  /** Resolves to whether the viewer is still allowed to watch. */
  readonly isStillAllowed: () => Promise<boolean>;
}

/** A client that watches the log. Lines that it does not read in time are counted instead of kept. */
class LiveViewer {
  readonly isStillAllowed: () => Promise<boolean>;
  private readonly query: RequestLogQuery;
  private waiting: LiveLine[] = [];
  private skipped = 0;
  private control = FIRST_EVENT;
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
    this.control = `${this.control === FIRST_EVENT ? FIRST_EVENT : ': watching\n'}id: ${id}\n`;
    this.awake();
  }

  end(reason: 'not_allowed' | 'shutting_down'): void {
    if (this.isOver) return;
    this.isOver = true;
    this.control = `event: end\ndata: ${JSON.stringify({ reason })}\n`;
    this.awake();
  }

  /** Resolves to what was added since the last call, or `null` at the end. */
  async next(): Promise<Uint8Array | null> {
    while (this.control === '' && this.waiting.length === 0) {
      if (this.isOver) return null;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    // The cursor of the heartbeat is older than the lines that were added after it.
    const control = this.control === '' ? '' : `${this.control}\n`;
    const lines = this.waiting.map(({ event }) => event).join('');
    const skipped = this.skipped === 0 ? '' : `event: skipped\ndata: ${JSON.stringify({ count: this.skipped })}\n\n`;
    this.waiting = [];
    this.control = '';
    this.skipped = 0;
    return utf8.encode(this.isOver ? skipped + lines + control : control + skipped + lines);
  }

  private awake(): void {
    this.wake?.();
    this.wake = null;
  }
}
