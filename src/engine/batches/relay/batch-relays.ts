import type { WaitingLine } from '../../../domain/batches/batch.ts';
import type { RelayedBatch, RelayedBatchChanges, RelayedLine } from '../../../domain/batches/relayed-batch.ts';
import { describeError } from '../../../domain/text/describe-error.ts';
import type { RelayChannel } from '../../directory/relay-channel.ts';
import { AnthropicBatches } from './anthropic-batches.ts';
import type { BatchApi, MakeInput, ProviderBatch } from './batch-api.ts';
import { type AddedLine, type CollectedLine, CollectingLine, type LineTaker } from './collecting-line.ts';
import { customIdOf } from './custom-ids.ts';
import { FileBatches } from './file-batches.ts';
import { lineContent } from './line-content.ts';
import { OpenRelay } from './open-relay.ts';
import { ProviderApi } from './provider-api.ts';
import { ProviderRefusal } from './provider-refusal.ts';
import { relayInput } from './relay-input.ts';
import type { RelayOwner, SettleLine } from './relay-owner.ts';
import { holdIdOf, type RelayPorts } from './relay-ports.ts';
import { readResults } from './relay-results.ts';

/** A batch collects lines for at most this long while others of its lines run. */
const COLLECT_MS = 60_000;
/** A create request that may have been lost on its way is not repeated before this time. */
const ARRIVES_WITHIN_MS = 120_000;
/** How long a channel may be away before its lines are run by the gateway. */
const CHANNEL_AWAY_MS = 3_600_000;
/** How long the provider may take to cancel. */
const CANCEL_MS = 900_000;
/** Holds are overdue this long after the deadline of the batch. */
const HOLD_LEEWAY_MS = 3_600_000;
const LEAST_POLL_MS = 1_000;
const LONGEST_POLL_MS = 60_000;
const FULL_MS = 30_000;
/** Collected lines wait at most this long for a place among the open batches of their upstream key. */
const LONGEST_FULL_MS = 600_000;
/** A batch that is missing this many times in a row is given up. */
const MOST_MISSING = 5;
/** Results that cannot be processed this many times are given up, after about half an hour. */
const MOST_BROKEN = 30;
/** The tries to submit a batch that the provider surely does not have, within about a quarter of an hour. */
const MOST_SUBMISSIONS = 20;
const LINES_AT_ONCE = 64;

/**
 * Relays lines of one batch to batches of providers: collects them, submits, polls, and settles the results. Each step is stored before the
 * provider is asked, so that another process can go on with it. The owner of the gateway's batch is the only one that does.
 */
export class BatchRelays implements LineTaker {
  private readonly open = new Set<OpenRelay>();
  private isLoaded = false;

  constructor(
    private readonly ports: RelayPorts,
    private readonly owner: RelayOwner,
    private readonly settle: SettleLine,
  ) {}

  /** Takes over what an earlier owner has begun. Lines that it had only collected wait again. */
  async load(): Promise<void> {
    const { batch } = this.owner;
    for (const relay of await this.ports.store.of(batch.id)) {
      const entry = new OpenRelay(relay, this.ports.clock.monotonicMs());
      if (relay.stage === 'collecting') await this.dissolve(entry, null);
      else this.open.add(entry);
    }
    this.isLoaded = true;
  }

  /** Whether no batch at a provider is left. */
  get isIdle(): boolean {
    return this.isLoaded && this.open.size === 0;
  }

  get isOpen(): boolean {
    return this.isLoaded && !this.owner.isLost && this.owner.ends === null;
  }

  // ---- collecting

  /** Returns the way of a line into a batch of its provider. */
  lineFor({ number }: WaitingLine, requestId: string): CollectingLine {
    const { accountId, deadlineMs } = this.owner.batch;
    return new CollectingLine(this.ports, this, {
      ...{ accountId, number, requestId },
      expiresAtMs: deadlineMs + HOLD_LEEWAY_MS,
    });
  }

  async add(line: CollectedLine): Promise<AddedLine | null> {
    if (!this.isOpen) return null;
    const { number, requestId, modelId, place, endpoint, model, body, verdicts, batches } = line;
    const { store, mostLines } = this.ports;
    const mostBytes = Math.min(this.ports.mostBytes, batches.mostBytes ?? this.ports.mostBytes);
    const contentFor = (relayId: string) =>
      lineContent({ customId: customIdOf(relayId, number), endpoint, body }, batches);
    // The id has the same length for every batch.
    const bytes = contentFor('').length + 1;
    if (bytes > mostBytes) return null;
    const fits = ({ relay, lines, bytes: used, isClosed, refused }: OpenRelay) =>
      relay.stage === 'collecting' &&
      !isClosed &&
      lines < mostLines &&
      used + bytes <= mostBytes &&
      !refused.some((one) => one.number === number);
    const isSame = ({ relay }: OpenRelay) =>
      relay.place === place && relay.endpoint === endpoint && relay.model === model;
    const entry =
      [...this.open].find((one) => isSame(one) && fits(one)) ?? this.begin({ place, endpoint, model }, mostBytes);
    entry.pending++;
    entry.lines++;
    entry.bytes += bytes;
    const dropped = () => {
      entry.pending--;
      entry.lines--;
      entry.bytes -= bytes;
    };
    try {
      const content = contentFor(entry.relay.id);
      const isMade = entry.ready === null || (await entry.ready);
      if (!isMade || !(await store.addLine(this.claimOf(entry), { number, requestId, modelId, content, verdicts }))) {
        dropped();
        return null;
      }
    } catch (error) {
      // The store may have added it nevertheless.
      entry.refused.push({ number, requestId });
      dropped();
      throw error;
    }
    return {
      kept: () => {
        entry.pending--;
      },
      undo: async () => {
        const own = { number, requestId };
        try {
          await this.takeOut(entry, [own]);
        } catch (error) {
          entry.refused.push(own);
          throw error;
        } finally {
          dropped();
        }
      },
    };
  }

  /** Takes out lines whose money is not held. */
  private async takeOut(entry: OpenRelay, lines: readonly Pick<RelayedLine, 'number' | 'requestId'>[]): Promise<void> {
    if (lines.length === 0) return;
    await this.free(lines);
    const numbers = lines.map(({ number }) => number);
    await this.ports.store.giveBack(this.claimOf(entry), numbers, 'waits');
  }

  private begin(of: Pick<RelayedBatch, 'place' | 'endpoint' | 'model'>, mostBytes: number): OpenRelay {
    const { clock, newRelayId, store } = this.ports;
    const { id: batchId, claim } = this.owner.batch;
    const nothing = { submittedAtMs: null, upstreamFileId: null, upstreamId: null };
    const relay: RelayedBatch = {
      ...{ id: newRelayId(), batchId, ...of, stage: 'collecting', lines: 0, bytes: 0, ...nothing },
      createdAtMs: Math.floor(clock.nowMs()),
    };
    const entry = new OpenRelay(relay, clock.monotonicMs(), mostBytes);
    this.open.add(entry);
    entry.ready = store.create(relay, claim).catch((error: unknown) => {
      this.open.delete(entry);
      throw error;
    });
    // Those that add lines see the failure.
    entry.ready.catch(() => undefined);
    return entry;
  }

  // ---- steps

  /** Returns the steps that are due now. They never reject. */
  due(): readonly Promise<void>[] {
    if (!this.isLoaded || this.owner.isLost) return [];
    const nowMs = this.ports.clock.monotonicMs();
    const due = [...this.open].filter((entry) => !entry.isWorking && (entry.dueMs <= nowMs || this.mustCancel(entry)));
    return due.map((entry) => this.work(entry));
  }

  private mustCancel({ relay, cancelledMs, isRead }: OpenRelay): boolean {
    if (this.owner.ends === null) return false;
    return relay.stage === 'collecting' || ((isRead || cancelledMs === null) && relay.stage === 'running');
  }

  private async work(entry: OpenRelay): Promise<void> {
    entry.isWorking = true;
    try {
      await this.step(entry);
    } catch (error) {
      const { id, batchId } = entry.relay;
      this.ports.logger.error(
        { batchId, relayId: id, ...describeError(error) },
        'a relayed batch could not be processed',
      );
      entry.broken++;
      // Running the rest again is better than a batch that never ends.
      if (entry.broken >= MOST_BROKEN && entry.relay.stage === 'running') entry.isRead = true;
      this.later(entry);
    } finally {
      entry.isWorking = false;
    }
  }

  private async step(entry: OpenRelay): Promise<void> {
    if (entry.isRead) return this.giveRestBack(entry);
    const channel = this.ports.channelAt(entry.relay.place, this.owner.batch.accountId);
    const api = channel === null ? null : this.apiOf(channel, entry);
    if (api === null) return this.away(entry);
    entry.awaySinceMs = null;
    const { stage } = entry.relay;
    if (stage === 'collecting') return this.collect(entry);
    return stage === 'submitting' ? this.submit(entry, api) : this.poll(entry, api);
  }

  private apiOf(channel: RelayChannel, { strangers }: OpenRelay): BatchApi | null {
    const { ports, owner } = this;
    const { accountId } = owner.batch;
    if (channel.batches === undefined) return null;
    const api = new ProviderApi(ports.upstream, channel, { accountId, signal: owner.cut.signal });
    if (channel.batches.kind === 'files') return new FileBatches(api, channel, channel.batches);
    return new AnthropicBatches(api, channel, strangers, ports.bodies, accountId);
  }

  private async away(entry: OpenRelay): Promise<void> {
    const nowMs = this.ports.clock.monotonicMs();
    entry.awaySinceMs ??= nowMs;
    const isShort = nowMs - entry.awaySinceMs < CHANNEL_AWAY_MS;
    if (isShort && entry.relay.stage !== 'collecting' && this.owner.ends === null) return this.later(entry);
    if (entry.pending > 0) return this.later(entry);
    return this.giveUp(entry, 'its channel is no longer in use', null);
  }

  private async collect(entry: OpenRelay): Promise<void> {
    const { clock, store, settings, mostLines } = this.ports;
    if (entry.pending > 0) return;
    if (this.owner.ends !== null) return this.dissolve(entry, null);
    const isFull = entry.lines >= mostLines || entry.bytes > entry.mostBytes * 0.95;
    const isOld = clock.monotonicMs() - entry.bornMs >= COLLECT_MS;
    if (!isFull && !isOld && !this.owner.isDrained) return;
    if (entry.lines === 0) return this.dissolve(entry, null);
    entry.isClosed = true;
    try {
      await this.takeOut(entry, entry.refused);
      entry.refused.length = 0;
      const begun = await store.beginSubmission(this.claimOf(entry), settings.maxRelayed);
      const { lines, bytes } = entry;
      if (begun === 'begun') entry.relay = { ...entry.relay, stage: 'submitting', lines, bytes };
      if (begun !== 'full') return;
    } finally {
      entry.isClosed = false;
    }
    entry.dueMs = clock.monotonicMs() + FULL_MS;
    const hasWaited = clock.monotonicMs() - entry.bornMs >= LONGEST_FULL_MS;
    if (hasWaited) await this.giveUp(entry, 'its upstream key has as many open batches as it may have', null);
  }

  private async submit(entry: OpenRelay, api: BatchApi): Promise<void> {
    const { clock, store } = this.ports;
    const { id, upstreamFileId, submittedAtMs } = entry.relay;
    if (submittedAtMs === null && this.owner.ends !== null) return this.dissolve(entry, api);
    const input: MakeInput = (framing) => relayInput(store, id, framing);
    if (upstreamFileId === null && api.upload !== undefined) {
      const uploaded = await api.upload(id, input);
      if (uploaded instanceof ProviderRefusal) return this.refused(entry, api, uploaded);
      if (await this.change(entry, { upstreamFileId: uploaded })) return this.submit(entry, api);
      // The next owner does not know the file, and uploads its own.
      await api.clear({ ...entry.relay, upstreamFileId: uploaded }, null);
      return;
    }
    if (submittedAtMs !== null) {
      // The request may have reached the provider without an answer.
      const found = await api.find(entry.relay, this.idsBeside(entry));
      if (found instanceof ProviderRefusal) return this.unknown(entry, api, found);
      if (found !== null) return this.submitted(entry, found);
      if (clock.nowMs() - submittedAtMs < ARRIVES_WITHIN_MS) return this.later(entry);
      if (this.owner.ends !== null) return this.dissolve(entry, api);
    }
    if (!(await this.change(entry, { submittedAtMs: clock.nowMs() }))) return;
    const created = await api.create(entry.relay, input);
    if (!(created instanceof ProviderRefusal)) return this.submitted(entry, created);
    if (created.status === null) return this.later(entry);
    // The provider has answered that it has not created it.
    if (!created.isFinal) await this.change(entry, { submittedAtMs: null });
    return this.refused(entry, api, created);
  }

  /** Returns the provider's ids of the other batches. */
  private idsBeside(entry: OpenRelay): ReadonlySet<string> {
    return new Set([...this.open].flatMap((one) => (one === entry ? [] : (one.relay.upstreamId ?? []))));
  }

  private async submitted(entry: OpenRelay, upstreamId: string): Promise<void> {
    if (!(await this.change(entry, { stage: 'running', upstreamId }))) return;
    entry.polls = 0;
    this.later(entry);
  }

  /** Asks again later whether the provider has a batch, but not long after the end of the gateway's. */
  private async unknown(entry: OpenRelay, api: BatchApi, { message }: ProviderRefusal): Promise<void> {
    const nowMs = this.ports.clock.monotonicMs();
    if (this.owner.ends !== null) entry.cancelledMs ??= nowMs;
    const isLate = entry.cancelledMs !== null && nowMs - entry.cancelledMs >= CANCEL_MS;
    return isLate ? this.giveUp(entry, message, api) : this.later(entry);
  }

  private async refused(entry: OpenRelay, api: BatchApi, { isFinal, message }: ProviderRefusal): Promise<void> {
    const isHopeless = entry.relay.submittedAtMs === null && entry.polls >= MOST_SUBMISSIONS;
    if (isFinal || isHopeless) return this.giveUp(entry, message, api);
    this.report(entry, message);
    this.later(entry);
  }

  private async poll(entry: OpenRelay, api: BatchApi): Promise<void> {
    const { clock } = this.ports;
    const id = entry.relay.upstreamId ?? '';
    const nowMs = clock.monotonicMs();
    if (this.owner.ends !== null && !entry.isCancelled) {
      if (entry.cancelledMs === null) entry.polls = 0;
      entry.cancelledMs ??= nowMs;
      const refusal = await api.cancel(id);
      entry.isCancelled = refusal === null || refusal.isFinal;
    }
    const batch = await api.read(id);
    const isLate = entry.cancelledMs !== null && nowMs - entry.cancelledMs >= CANCEL_MS;
    if (batch instanceof ProviderRefusal) {
      entry.missing = batch.status === 404 ? entry.missing + 1 : 0;
      if (entry.missing >= MOST_MISSING || isLate) return this.giveUp(entry, batch.message, api);
      return this.later(entry);
    }
    if (!batch.isEnded)
      return isLate ? this.giveUp(entry, 'the provider has not cancelled it in time', api) : this.later(entry);
    // Each takes memory, which accounts with providers of their own could use up.
    await this.ports.reading.run(this.owner.batch.accountId, () => this.read(entry, api, batch));
  }

  private async read(entry: OpenRelay, api: BatchApi, batch: ProviderBatch): Promise<void> {
    const { ports, owner, settle } = this;
    const back = (lines: readonly RelayedLine[], isAgain: boolean) => this.lineBack(entry, lines, isAgain);
    const problems: unknown[] = [];
    for (const results of batch.results) {
      const body = await api.open(results);
      if (body instanceof ProviderRefusal) {
        if (body.isFinal) this.report(entry, body.message);
        else problems.push(new Error(`the results could not be read: ${body.message}`));
        continue;
      }
      try {
        if (!(await readResults({ ports, owner, settle, back, relay: entry.relay, lineOf: api.lineOf }, body))) return;
      } catch (error) {
        problems.push(error);
      }
    }
    // Lines that could not be settled are read again later.
    if (problems.length > 0) throw problems[0];
    entry.isRead = true;
    await this.clear(entry, api, batch);
    return this.giveRestBack(entry);
  }

  // ---- the end

  /** Ends the carriage of lines, and lets the gateway run those without an answer. Resolves to `false` if another process has the batch. */
  private async lineBack(entry: OpenRelay, lines: readonly RelayedLine[], isAgain: boolean): Promise<boolean> {
    if (this.owner.isLost) return false;
    // A crash between the two leaves a line without a hold, rather than a hold without a line.
    await this.free(lines);
    const mayRun = isAgain && this.owner.ends === null;
    const numbers = lines.map(({ number }) => number);
    if (!(await this.ports.store.giveBack(this.claimOf(entry), numbers, mayRun ? 'own' : 'waits'))) return false;
    const nowMs = this.ports.clock.monotonicMs();
    for (const { number, offset, bytes, isOpen } of lines) {
      if (mayRun && isOpen) this.owner.again({ number, offset, bytes, isOwn: true }, 0, nowMs);
    }
    return true;
  }

  /** Gives back the lines that the provider has not answered, a few at a time, and forgets the batch. */
  private async giveRestBack(entry: OpenRelay): Promise<void> {
    const { store } = this.ports;
    for (;;) {
      const lines = await store.carried(entry.relay.id, 0, LINES_AT_ONCE);
      if (lines.length === 0) break;
      if (this.owner.ends === null && !this.owner.mayRetry) return this.later(entry);
      if (!(await this.lineBack(entry, lines, true))) return;
    }
    if (await store.remove(this.claimOf(entry))) this.open.delete(entry);
  }

  /** @param api `null` if the provider has nothing of it, or cannot be asked */
  private async giveUp(entry: OpenRelay, why: string, api: BatchApi | null): Promise<void> {
    this.report(entry, why);
    entry.isRead = true;
    if (api !== null) await this.clear(entry, api, null);
    return this.giveRestBack(entry);
  }

  /** Removes what the provider has of a batch. What it keeps nevertheless is logged, for the operator to remove. */
  private async clear({ relay }: OpenRelay, api: BatchApi, batch: ProviderBatch | null): Promise<void> {
    if (this.owner.isLost) return;
    const left = await api.clear(relay, batch);
    if (left.length === 0) return;
    const { id: relayId, batchId, upstreamId } = relay;
    this.ports.logger.warn(
      { batchId, relayId, upstreamBatchId: upstreamId ?? '', reason: `still there: ${left.join(', ')}` },
      'files of a batch could not be deleted at its provider',
    );
  }

  /** Forgets a batch that no provider has, and its input there. Its lines wait again. */
  private async dissolve(entry: OpenRelay, api: BatchApi | null): Promise<void> {
    const { store } = this.ports;
    if (api !== null) await this.clear(entry, api, null);
    for (;;) {
      const lines = await store.carried(entry.relay.id, 0, LINES_AT_ONCE);
      if (lines.length === 0) break;
      await this.free(lines);
      const numbers = lines.map(({ number }) => number);
      if (!(await store.giveBack(this.claimOf(entry), numbers, 'waits'))) return;
    }
    if (await store.remove(this.claimOf(entry))) this.open.delete(entry);
  }

  private async free(lines: readonly Pick<RelayedLine, 'requestId'>[]): Promise<void> {
    const { holds, clock } = this.ports;
    await Promise.all(lines.map(({ requestId }) => holds.release(holdIdOf(requestId), clock.nowMs())));
  }

  private async change(entry: OpenRelay, changes: RelayedBatchChanges): Promise<boolean> {
    const isOwn = await this.ports.store.change(this.claimOf(entry), changes);
    if (isOwn) entry.relay = { ...entry.relay, ...changes };
    return isOwn;
  }

  private claimOf({ relay: { id, batchId } }: OpenRelay) {
    return { id, batchId, claim: this.owner.batch.claim };
  }

  private later(entry: OpenRelay): void {
    const most = Math.min(LONGEST_POLL_MS, LEAST_POLL_MS * 2 ** Math.min(entry.polls++, 10));
    entry.dueMs = this.ports.clock.monotonicMs() + most * (0.75 + this.ports.random() / 4);
  }

  private report(entry: OpenRelay, reason: string): void {
    const { id, batchId, upstreamId } = entry.relay;
    this.ports.logger.warn(
      { batchId, relayId: id, upstreamBatchId: upstreamId ?? '', reason },
      'a batch at a provider has failed',
    );
  }
}
