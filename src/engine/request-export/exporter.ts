import { describeError } from '../../domain/text/describe-error.ts';
import { type NameSource, Names } from '../admin/names.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  ExportBatch,
  ExportDestination,
  ExportedLine,
  ExportSettings,
  SkippedLine,
} from '../ports/export-destination.ts';
import type { ExportPlace, ExportProgress, ExportStore } from '../ports/export-store.ts';
import type { Logger } from '../ports/logger.ts';
import type { RequestLog, WrittenLine } from '../ports/request-log.ts';
import { PlaceTracker } from './place-tracker.ts';

/** Few enough that reading and preparing them delays requests by a few milliseconds. */
const PAGE_LINES = 250;
/** A process that dies is replaced after this time. */
const CLAIM_MS = 60_000;
/** How often a process asks for a claim that another one has. */
const ASK_MS = 15_000;
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 120_000;
/** A failure that lasts is logged this often. */
const WARN_EVERY_MS = 60_000;
/** The most lines of one batch that are logged because they were left out. */
const MOST_LOGGED = 10;

/** Counts what this process exports. */
export interface ExportCounters {
  exported(exportId: string, lines: number): void;
  skipped(exportId: string, lines: number): void;
  failed(exportId: string): void;
}

export interface ExporterOptions {
  readonly settings: ExportSettings;
  /** Called when the first batch is due, since a destination has threads and connections. */
  readonly destination: () => Promise<ExportDestination>;
  readonly store: ExportStore;
  readonly log: Pick<RequestLog, 'written' | 'lastWritten'>;
  readonly directory: NameSource;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly counters: ExportCounters;
  /** The name of this process among those that share the store. */
  readonly holder: string;
  readonly random: () => number;
  /** Awaited between two pages, so that requests are handled. */
  readonly pause: () => Promise<unknown>;
}

/** Another process has the claim now, so nothing more may be sent. */
class ClaimLost extends Error {}

/**
 * Sends the lines of the request log to one destination, in batches, behind a stored place. A batch is decided before it is sent and the
 * place moves after it was, so a process that dies in between leaves a batch that is sent again with the same lines.
 */
export class Exporter {
  private progress: ExportProgress | null = null;
  private claimedUntilMs = Number.NEGATIVE_INFINITY;
  private askAgainAtMs = Number.NEGATIVE_INFINITY;
  private retryAtMs = Number.NEGATIVE_INFINITY;
  private sentAtMs: number;
  private failures = 0;
  private warnedAtMs = Number.NEGATIVE_INFINITY;
  private opened: ExportDestination | null = null;
  private running: Promise<void> | null = null;
  private isSending = false;
  private renewing: Promise<unknown> | null = null;
  private isStopped = false;

  constructor(private readonly options: ExporterOptions) {
    this.sentAtMs = options.clock.monotonicMs();
  }

  /** Sends what is due. Call it once a second; it never rejects. While an earlier call runs, it only renews the claim. */
  look(): Promise<void> {
    if (this.running !== null) this.renewWhileSending();
    this.running ??= this.work().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  /** Ends after the current page or request and gives up the claim. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
    const { store, settings, holder } = this.options;
    // If this fails, others wait until the claim expires.
    await store.release(settings.id, holder).catch(() => undefined);
    await this.opened?.close();
  }

  private async work(): Promise<void> {
    const nowMs = this.nowMs();
    if (this.isStopped || nowMs < this.retryAtMs || nowMs < this.askAgainAtMs) return;
    try {
      if (!(await this.claim())) return;
      // Each call takes what fits into one batch, and goes on while full batches are waiting.
      while (!this.isStopped && (await this.sendNext())) await this.options.pause();
    } catch (error) {
      await this.fail(error);
    }
  }

  /** Resolves to whether this process has the claim, which is renewed in time. */
  private async claim(): Promise<boolean> {
    const nowMs = this.nowMs();
    if (this.progress !== null && nowMs < this.claimedUntilMs - CLAIM_MS / 2) return true;
    const { store, settings, holder, clock } = this.options;
    const initial = this.progress ?? (await this.initialProgress());
    const claimed = await store.claim(settings.id, { holder, nowMs: clock.nowMs(), forMs: CLAIM_MS, initial });
    if (claimed === null) {
      this.progress = null;
      this.askAgainAtMs = nowMs + ASK_MS;
      return false;
    }
    this.claimedUntilMs = nowMs + CLAIM_MS;
    if (this.progress !== null) return true;
    this.progress = claimed.progress;
    await this.beginAgainIfReplaced();
    return true;
  }

  /**
   * Sending may take longer than a claim lasts. Without renewal another process would send the same batch meanwhile, and neither could store
   * that it was sent.
   */
  private renewWhileSending(): void {
    if (!this.isSending || this.isStopped) return;
    // If this fails, the claim ends, and the progress is not stored.
    this.renewing ??= this.claim()
      .catch(() => undefined)
      .finally(() => {
        this.renewing = null;
      });
  }

  private async initialProgress(): Promise<ExportProgress> {
    const { log, settings } = this.options;
    const [newest = 0] = settings.start === 'now' ? await log.lastWritten(1) : [];
    return {
      place: { topId: newest, missing: [] },
      sending: null,
      lastRequestId: null,
      ...{ exportedLines: 0, skippedLines: 0, exportedAtMs: null, failure: null },
    };
  }

  /**
   * Begins again if the latest lines were deleted, for example with their account, since SQLite then uses their numbers again: the highest
   * number is lower than the one that was exported, or the line with that number is another one.
   */
  private async beginAgainIfReplaced(): Promise<void> {
    const { log, settings, logger } = this.options;
    const progress = this.known();
    const { topId } = progress.place;
    if (topId === 0) return;
    const [newest = 0] = await log.lastWritten(1);
    const [last] = progress.lastRequestId === null ? [] : await log.written({ topId: topId - 1, missing: [] }, 1);
    const isOther = last !== undefined && last.id === topId && last.record.requestId !== progress.lastRequestId;
    if (newest >= topId && !isOther) return;
    if (newest > 0) logger.warn({ exportId: settings.id }, 'the request log was replaced; it is exported again');
    await this.save({ ...progress, place: { topId: 0, missing: [] }, sending: null, lastRequestId: null });
  }

  /** Sends one batch if one is due; resolves to whether there may be another one. */
  private async sendNext(): Promise<boolean> {
    const { settings, log } = this.options;
    const { place, sending } = this.known();
    if (sending === null) {
      const [newest = 0] = await log.lastWritten(1);
      const isFull = newest - place.topId >= settings.maxRows;
      const isDue = isFull || newest < place.topId || this.nowMs() - this.sentAtMs >= settings.intervalMs;
      if (!isDue) return false;
      await this.beginAgainIfReplaced();
    }
    this.opened ??= await this.options.destination();
    const batch = this.opened.open();
    try {
      const found = sending === null ? await this.fill(batch) : await this.refill(batch, sending);
      await this.sendBatch(batch, found);
      return found.isMore;
    } catch (error) {
      batch.discard();
      throw error;
    }
  }

  private async sendBatch(batch: ExportBatch, { place, lines, lastRequestId }: FoundLines): Promise<void> {
    const { clock, counters, settings } = this.options;
    const before = this.known();
    const isFirstTime = before.sending === null;
    // Also without lines, since numbers that never appear must be forgotten.
    const isMoved = JSON.stringify(place) !== JSON.stringify(before.place);
    if (lines === 0) {
      batch.discard();
      this.sentAtMs = this.nowMs();
      if (isMoved || !isFirstTime) await this.save({ ...before, place, sending: null });
      return;
    }
    if (isFirstTime) await this.save({ ...before, sending: place });
    const skipped = await this.send(batch);
    this.reportSkipped(skipped);
    await this.save({
      place,
      sending: null,
      lastRequestId: lastRequestId ?? before.lastRequestId,
      exportedLines: before.exportedLines + lines - skipped.length,
      skippedLines: before.skippedLines + skipped.length,
      exportedAtMs: clock.nowMs(),
      failure: null,
    });
    counters.exported(settings.id, lines - skipped.length);
    if (skipped.length > 0) counters.skipped(settings.id, skipped.length);
    this.sentAtMs = this.nowMs();
    this.failures = 0;
    this.warnedAtMs = Number.NEGATIVE_INFINITY;
  }

  private async send(batch: ExportBatch): Promise<readonly SkippedLine[]> {
    this.isSending = true;
    try {
      return await batch.send();
    } finally {
      this.isSending = false;
      await this.renewing;
    }
  }

  /** Adds the next lines to the batch, up to its limits. */
  private async fill(batch: ExportBatch): Promise<FoundLines> {
    const { log, clock, settings } = this.options;
    const tracker = new PlaceTracker(this.known().place);
    tracker.forgetLate(clock.nowMs());
    const found = new Found(tracker);
    for (let isFirst = true; ; isFirst = false) {
      const missing = isFirst ? tracker.placeToRead().missing : [];
      const limit = Math.min(PAGE_LINES, Math.max(1, settings.maxRows - found.lines));
      const read = await log.written({ topId: tracker.topId, missing }, limit);
      const isLast = read.filter(({ id }) => id > tracker.topId).length < limit;
      await this.addTo(
        batch,
        found,
        read.filter(({ id }) => !tracker.hasSeen(id)),
      );
      const isFull = found.lines >= settings.maxRows || batch.size >= settings.maxBytes;
      if (isLast || isFull) return found.result(!isLast);
      await this.renewed();
    }
  }

  /** Adds the lines of an interrupted batch, which are those between the two places. */
  private async refill(batch: ExportBatch, upTo: ExportPlace): Promise<FoundLines> {
    const { log } = this.options;
    const tracker = new PlaceTracker(this.known().place);
    const end = new PlaceTracker(upTo);
    const found = new Found(tracker);
    for (let isFirst = true; ; isFirst = false) {
      const missing = isFirst ? tracker.placeToRead().missing : [];
      const read = await log.written({ topId: tracker.topId, missing }, PAGE_LINES);
      const isLast = read.filter(({ id }) => id > tracker.topId).length < PAGE_LINES;
      const wanted = read.filter(({ id }) => !tracker.hasSeen(id) && end.hasSeen(id));
      await this.addTo(batch, found, wanted);
      if (isLast || (read.at(-1)?.id ?? 0) >= upTo.topId) return { ...found.result(true), place: upTo };
      // The page may have had none of the wanted lines.
      tracker.pass(read.at(-1)?.id ?? tracker.topId, this.options.clock.nowMs());
      await this.renewed();
    }
  }

  private async addTo(batch: ExportBatch, found: Found, lines: readonly WrittenLine[]): Promise<void> {
    if (lines.length === 0) return;
    await batch.add(await this.named(lines));
    found.pass(lines, this.options.clock.nowMs());
  }

  /** Lets requests be handled between two pages. Throws if another process has the claim meanwhile, or the gateway stops. */
  private async renewed(): Promise<void> {
    await this.options.pause();
    if (this.isStopped || !(await this.claim())) throw new ClaimLost();
  }

  private async named(lines: readonly WrittenLine[]): Promise<readonly ExportedLine[]> {
    const { settings, directory } = this.options;
    if (!settings.names) return lines.map(({ id, record }) => ({ id, record, names: null }));
    const views = lines.map(({ record }) => ({
      ...{ account: record.accountId, key: record.keyId, channel: record.channelId },
    }));
    const names = await Names.of(directory, views);
    return lines.map(({ id, record: { accountId, keyId, channelId }, record }) => ({
      id,
      record,
      names: {
        account: names.account(accountId),
        key: names.key(accountId, keyId),
        channel: names.channel(channelId, accountId),
      },
    }));
  }

  private async save(progress: ExportProgress): Promise<void> {
    const { store, settings, holder } = this.options;
    if (!(await store.save(settings.id, holder, progress))) throw new ClaimLost();
    this.progress = progress;
  }

  private known(): ExportProgress {
    if (this.progress === null) throw new ClaimLost();
    return this.progress;
  }

  private reportSkipped(skipped: readonly SkippedLine[]): void {
    const { logger, settings } = this.options;
    for (const { requestId, reason } of skipped.slice(0, MOST_LOGGED)) {
      logger.error(
        { exportId: settings.id, requestId, reason },
        'a line of the request log cannot be exported and was left out',
      );
    }
  }

  private async fail(error: unknown): Promise<void> {
    if (error instanceof ClaimLost) {
      this.progress = null;
      this.askAgainAtMs = this.nowMs() + ASK_MS;
      return;
    }
    const { logger, settings, counters, clock, random } = this.options;
    counters.failed(settings.id);
    const longestMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** this.failures);
    this.failures++;
    // A random part, so that the exports of many gateways do not return to a destination at once.
    this.retryAtMs = this.nowMs() + longestMs * (0.5 + random() / 2);
    const fields = describeError(error);
    if (this.nowMs() - this.warnedAtMs >= WARN_EVERY_MS) {
      this.warnedAtMs = this.nowMs();
      logger.warn({ exportId: settings.id, ...fields }, 'the request log could not be exported; retrying');
    }
    const { progress } = this;
    if (progress === null) return;
    // For operators; while the database is unavailable, the log has it.
    await this.save({ ...progress, failure: { atMs: clock.nowMs(), message: fields.error } }).catch(() => {
      this.progress = null;
    });
  }

  private nowMs(): number {
    return this.options.clock.monotonicMs();
  }
}

interface FoundLines {
  readonly place: ExportPlace;
  readonly lines: number;
  /** The request id of the line with the highest number; `null` without one. */
  readonly lastRequestId: string | null;
  readonly isMore: boolean;
}

/** The lines of a batch so far. */
class Found {
  lines = 0;
  private lastRequestId: string | null = null;

  constructor(private readonly tracker: PlaceTracker) {}

  pass(lines: readonly WrittenLine[], nowMs: number): void {
    for (const { id, record } of lines) {
      if (id > this.tracker.topId) this.lastRequestId = record.requestId;
      this.tracker.pass(id, nowMs);
    }
    this.lines += lines.length;
  }

  result(isMore: boolean): FoundLines {
    return { place: this.tracker.place(), lines: this.lines, lastRequestId: this.lastRequestId, isMore };
  }
}
