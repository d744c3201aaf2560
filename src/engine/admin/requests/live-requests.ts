import { describeError } from '../../../domain/text/describe-error.ts';
import type { Clock, Sleep } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { RequestLog, WrittenLine } from '../../ports/request-log.ts';
import { AdminError } from '../admin-error.ts';
import { type NameSource, Names } from '../names.ts';
import { LiveLine, type LivePage, LiveViewer, type ViewerOptions } from './live-viewer.ts';
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
  readonly sleep: Sleep;
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
/** The largest number of lines that wait for a viewer who must not miss any; beyond it, the viewer reads the log itself. */
const MOST_OF_COMPLETE = 500;
/**
 * The pause between two pages that viewers read themselves, one viewer at a time: whatever cursors they send, they take a small share of the
 * process.
 */
const PAUSE_MS = 50;
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
  private readonly closing = new AbortController();
  /** Resolves when the next page may be read for a viewer. */
  private pages: Promise<void> = Promise.resolve();

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
    const viewer = new LiveViewer(options, {
      seal: (cursor) => this.ports.cursors.seal(cursor),
      placeOf: (cursor) => WrittenTracker.parse(cursor, this.nowMs()),
      page: (place) => this.pageFor(place),
    });
    this.opening++;
    try {
      const tracker = await this.started();
      if (missed !== null && options.isComplete) viewer.readFrom(missed);
      else if (missed !== null) await this.catchUp(viewer, missed, tracker);
      viewer.beat((this.tracker ?? tracker).cursor());
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
    this.closing.abort();
    for (const viewer of this.viewers.keys()) viewer.end('shutting_down');
    this.viewers.clear();
    this.tracker = null;
  }

  private placeOf(after: string | null): WrittenTracker | null {
    const cursor = after === null ? null : this.ports.cursors.open(after);
    return cursor === null ? null : WrittenTracker.parse(cursor, this.nowMs());
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
          const bytes = await this.nextOf(viewer);
          if (bytes === null) controller.close();
          else controller.enqueue(bytes);
        },
        cancel: () => this.leave(viewer),
      },
      // Lines that were not asked for stay with the viewer, which can skip some of them.
      { highWaterMark: 0 },
    );
  }

  /** Ends a view whose lines cannot be read now: its client connects again and continues where it was. */
  private async nextOf(viewer: LiveViewer): Promise<Uint8Array | null> {
    try {
      return await viewer.next();
    } catch (error) {
      this.ports.logger.warn(describeError(error), 'live views could not be updated');
      this.leave(viewer);
      return null;
    }
  }

  private leave(viewer: LiveViewer): void {
    viewer.leave();
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
      viewer.offer(await this.namedLines(known, missed), MOST_MISSED);
      if (found.length < LINES_AT_ONCE && this.finds === before) return;
    }
  }

  /**
   * Reads the next page for a viewer who has fallen behind, up to where the other viewers are: later lines are offered to this one, too.
   */
  private pageFor(viewed: WrittenTracker): Promise<LivePage> {
    const reading = this.pages.then(async () => {
      const found = await this.ports.log.written(viewed.place(), LINES_AT_ONCE);
      const { tracker } = this;
      if (tracker === null) return { lines: [], isLast: true };
      const known = found.filter(({ id }) => tracker.hasSeen(id) && !viewed.hasSeen(id));
      const isLast = found.length < LINES_AT_ONCE || (found.at(-1)?.id ?? 0) > tracker.place().topId;
      const lines = await this.namedLines(known, viewed);
      viewed.forgetLate(this.nowMs());
      return { lines, isLast };
    });
    const pause = () => this.ports.sleep(PAUSE_MS, this.closing.signal);
    this.pages = reading.then(pause, pause);
    return reading;
  }

  private async namedLines(found: readonly WrittenLine[], tracker: WrittenTracker): Promise<LiveLine[]> {
    return this.linesOf(found, tracker, await this.namesOf(found));
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
      return new LiveLine(id, record, names, tracker.cursor());
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
      for (const viewer of this.viewers.keys()) {
        viewer.offer(news, viewer.isComplete ? MOST_OF_COMPLETE : this.settings.mostLines);
      }
      if (found.length < LINES_AT_ONCE) return;
    }
  }

  private beat(): void {
    if (this.tracker === null) return;
    const cursor = this.tracker.cursor();
    for (const viewer of this.viewers.keys()) viewer.beat(cursor);
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
