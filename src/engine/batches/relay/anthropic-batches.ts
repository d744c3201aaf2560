import type { RelayedBatch } from '../../../domain/batches/relayed-batch.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';
import type { RelayAddress, RelayChannel } from '../../directory/relay-channel.ts';
import type { UpstreamBody } from '../../ports/upstream.ts';
import type { LineBodies } from '../line-bodies.ts';
import type { BatchApi, MakeInput, ProviderBatch } from './batch-api.ts';
import { numberOf } from './custom-ids.ts';
import { readAnthropicResult } from './line-content.ts';
import { comingBody, idIn, type ProviderApi } from './provider-api.ts';
import { ProviderRefusal } from './provider-refusal.ts';
import { LongLine, linesOf } from './result-lines.ts';

const PAGE = 100;
/** The most pages of batches that are searched for one. */
const MOST_PAGES = 20;
/** The provider's clock may differ from this one. */
const CLOCKS_DIFFER_MS = 600_000;
const COUNTS = ['processing', 'succeeded', 'errored', 'canceled', 'expired'];

/**
 * Anthropic's message batches. They have neither metadata nor an input file, so a batch whose creation was not answered can be recognized
 * only by the ids in its results: while a batch of the same size that was created at that time still runs, nothing is known.
 */
export class AnthropicBatches implements BatchApi {
  readonly lineOf = readAnthropicResult;
  private readonly batches: RelayAddress | null;

  /** @param strangers batches that are known to be of others; those that are found to be are added */
  constructor(
    private readonly api: ProviderApi,
    channel: Pick<RelayChannel, 'addressOf'>,
    private readonly strangers: Set<string>,
    private readonly bodies: Pick<LineBodies, 'take' | 'giveBack'>,
    private readonly accountId: string,
  ) {
    this.batches = channel.addressOf('message-batches');
  }

  async create(_relay: RelayedBatch, makeInput: MakeInput): Promise<string | ProviderRefusal> {
    const body = comingBody(await makeInput({ head: '{"requests":[', separator: ',', tail: ']}' }));
    const headers = { 'content-type': 'application/json' };
    return idIn(await this.api.json(this.batches, { method: 'POST', path: '/messages/batches', body, headers }));
  }

  async find(relay: RelayedBatch, others: ReadonlySet<string>): Promise<string | null | ProviderRefusal> {
    const oldestMs = (relay.submittedAtMs ?? 0) - CLOCKS_DIFFER_MS;
    let running: string | null = null;
    let after = '';
    for (let page = 0; page < MOST_PAGES; page++) {
      const list = await this.api.json(this.batches, {
        method: 'GET',
        path: `/messages/batches?limit=${PAGE}${after}`,
      });
      if (list instanceof ProviderRefusal) return list;
      const data = Array.isArray(list.data) ? list.data.filter(isRecord) : [];
      for (const one of data) {
        const id = idIn(one);
        if (id instanceof ProviderRefusal || !isOfSize(one, relay.lines)) continue;
        if (others.has(id) || this.strangers.has(id)) continue;
        if (isEnded(one)) {
          const isOwn = await this.isOwn(id, relay);
          if (isOwn instanceof ProviderRefusal) return isOwn;
          if (isOwn) return id;
          this.strangers.add(id);
        } else running = id;
      }
      const last = data.at(-1);
      const isOld = Date.parse(String(last?.created_at)) < oldestMs;
      if (last === undefined || list.has_more !== true || isOld || typeof last.id !== 'string') {
        return running === null ? null : new ProviderRefusal(null, `it may be "${running}", which has not ended`);
      }
      after = `&after_id=${encodeURIComponent(last.id)}`;
    }
    return new ProviderRefusal(null, 'the provider lists too many newer batches');
  }

  async read(id: string): Promise<ProviderBatch | ProviderRefusal> {
    const path = `/messages/batches/${encodeURIComponent(id)}`;
    const batch = await this.api.json(this.batches, { method: 'GET', path });
    if (batch instanceof ProviderRefusal) return batch;
    if (typeof batch.processing_status !== 'string') return new ProviderRefusal(null, 'the batch has no status');
    return { id, results: [id], isEnded: isEnded(batch) };
  }

  async cancel(id: string): Promise<ProviderRefusal | null> {
    const path = `/messages/batches/${encodeURIComponent(id)}/cancel`;
    const answer = await this.api.json(this.batches, { method: 'POST', path });
    return answer instanceof ProviderRefusal ? answer : null;
  }

  open(id: string): Promise<UpstreamBody | ProviderRefusal> {
    return this.api.open(this.batches, { method: 'GET', path: `/messages/batches/${encodeURIComponent(id)}/results` });
  }

  async clear(_relay: RelayedBatch, batch: ProviderBatch | null): Promise<readonly string[]> {
    if (batch === null) return [];
    const isGone = await this.api.remove(this.batches, `/messages/batches/${encodeURIComponent(batch.id)}`);
    return isGone ? [] : [batch.id];
  }

  /** Resolves to whether the first result has an id that this batch has given. */
  private async isOwn(id: string, relay: RelayedBatch): Promise<boolean | ProviderRefusal> {
    const body = await this.open(id);
    // Results that are no longer there, or that nobody may read, cannot be used in any case.
    if (body instanceof ProviderRefusal) return body.isFinal ? false : body;
    const memory = new LongLine(this.bodies, this.accountId);
    try {
      for await (const line of linesOf(body, memory)) {
        const result = line === null ? null : this.lineOf(line);
        return result !== null && numberOf(relay.id, result.customId) !== null;
      }
      return false;
    } catch (error) {
      return new ProviderRefusal(null, error instanceof Error ? error.message : 'the results could not be read');
    } finally {
      memory.free();
      body.cancel();
    }
  }
}

function isEnded({ processing_status: status }: Readonly<Record<string, unknown>>): boolean {
  return status === 'ended';
}

function isOfSize({ request_counts: counts }: Readonly<Record<string, unknown>>, lines: number): boolean {
  if (!isRecord(counts)) return false;
  return COUNTS.reduce((sum, name) => sum + Number(counts[name] ?? 0), 0) === lines;
}
