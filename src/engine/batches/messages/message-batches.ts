import type { Principal } from '../../../domain/access/principal.ts';
import { type Batch, isEnded, NO_BATCH_USAGE, NO_LINES } from '../../../domain/batches/batch.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { BatchStore } from '../../ports/batch-store.ts';
import type { RelayedCall } from '../../relay/relayed-call.ts';
import type { BatchSettings } from '../../settings/settings.ts';
import { unknownPlace, wrong } from '../page-query.ts';
import type { ServedAnswer, ServedApi } from '../served-apis.ts';
import { messageBatchView } from './message-batch-view.ts';
import { MESSAGES_PATH } from './message-line.ts';
import { MessageResults } from './message-results.ts';
import { type RequestBounds, RequestsFile, type RequestsFilePorts, removed } from './requests-file.ts';

/** Anthropic's: what is not answered after a day expires. */
const DEADLINE_MS = 24 * 60 * 60 * 1_000;
/** The bounds of Anthropic's API. */
const MOST = { bodyBytes: 256 * 1024 * 1024, requests: 100_000 };
/** More than a request grows by when it becomes a line, which may have the size of a request's body. */
const LINE_BYTES = 256;
const PAGE = { usual: 20, most: 1_000 };

/** Returns what a message batch may have; `maxBodyBytes` is the bound of a request's body. */
export function messageBatchBounds({ maxLines }: BatchSettings, maxBodyBytes: number): RequestBounds {
  const { bodyBytes, requests } = MOST;
  return { bodyBytes, requestBytes: maxBodyBytes - LINE_BYTES, requests: Math.min(maxLines, requests) };
}

export interface MessageBatchesPorts extends RequestsFilePorts {
  readonly batches: BatchStore;
  readonly settings: Pick<BatchSettings, 'maxOpenPerAccount'>;
  /** Returns `msgbatch_` followed by random letters and digits. */
  readonly newBatchId: () => string;
  readonly newFileId: () => string;
  /** Runs new batches, and follows cancellations. */
  readonly runner: { look(): void };
}

/** Serves Anthropic's message batches: their requests become the input file of a batch, which runs like those of `/v1/batches`. */
export class MessageBatches implements ServedApi {
  constructor(private readonly ports: MessageBatchesPorts) {}

  async has(id: string, accountId: string): Promise<boolean> {
    return (await this.find(id, accountId)) !== null;
  }

  async answer(call: RelayedCall, { account, credential }: Principal): Promise<ServedAnswer | Failure> {
    const { method } = call;
    const [, id = '', part = '', ...rest] = call.tail.split('/');
    if (rest.length > 0) return noSuchPath(call);
    if (id === '') {
      if (method === 'POST') return this.create(call, account.id, credential.id);
      return method === 'GET' ? this.list(call, account.id) : noSuchPath(call);
    }
    const batch = await this.find(id, account.id);
    if (batch === null) return gone(id);
    if (part === '' && method === 'GET') return shown(batch, call);
    if (part === '' && method === 'DELETE') return this.delete(batch);
    if (part === 'cancel' && method === 'POST') return this.cancel(batch, call);
    return part === 'results' && method === 'GET' ? this.results(batch) : noSuchPath(call);
  }

  private async find(id: string, accountId: string): Promise<Batch | null> {
    const batch = await this.ports.batches.find(id, accountId);
    if (batch === null || batch.api !== 'anthropic') return null;
    const { expiresAtMs } = batch;
    return expiresAtMs !== null && expiresAtMs <= this.ports.clock.nowMs() ? null : batch;
  }

  private async create(call: RelayedCall, accountId: string, keyId: string): Promise<ServedAnswer | Failure> {
    const { ports } = this;
    const most = ports.settings.maxOpenPerAccount;
    // Refuses a large body before it is read.
    if ((await ports.batches.countOpen(accountId)) >= most) return tooManyOpen(most);
    const file = new RequestsFile(ports, { id: ports.newFileId(), accountId, keyId });
    const lines = await file.receive(call);
    if (lines instanceof Failure) return lines;
    const createdAtMs = Math.floor(ports.clock.nowMs());
    const batch = newBatch({ id: ports.newBatchId(), accountId, keyId, inputFileId: file.id, createdAtMs, lines });
    let created: 'created' | 'full' | 'no-file' | null = null;
    try {
      created = await ports.batches.createWithin(batch, most);
    } finally {
      if (created !== 'created') await file.remove();
    }
    if (created === 'full') return tooManyOpen(most);
    if (created === 'no-file') return removed();
    ports.runner.look();
    return shown(batch, call);
  }

  private async list({ query, origin }: RelayedCall, accountId: string): Promise<ServedAnswer | Failure> {
    const { batches, clock } = this.ports;
    const limit = query.get('limit') ?? String(PAGE.usual);
    if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > PAGE.most) {
      return wrong('limit', `must be a whole number from 1 to ${PAGE.most}`);
    }
    const [after, before] = [query.get('after_id') || null, query.get('before_id') || null];
    if (after !== null && before !== null) return wrong('before_id', 'must be absent if `after_id` is set');
    const id = after ?? before;
    const place = id === null ? null : await this.find(id, accountId);
    if (id !== null && place === null) return unknownPlace(after === null ? 'before_id' : 'after_id', id);
    const found = await batches.list(
      {
        accountId,
        api: 'anthropic',
        readableAtMs: clock.nowMs(),
        // The page before a batch has the next newer ones.
        isAscending: before !== null,
        ...(place !== null && { after: place }),
      },
      Number(limit) + 1,
    );
    const page = found.slice(0, Number(limit));
    if (before !== null) page.reverse();
    const body = {
      data: page.map((batch) => messageBatchView(batch, origin())),
      has_more: found.length > page.length,
      first_id: page[0]?.id ?? null,
      last_id: page.at(-1)?.id ?? null,
    };
    return { body: JSON.stringify(body) };
  }

  private async cancel(batch: Batch, call: RelayedCall): Promise<ServedAnswer | Failure> {
    const { batches, clock, runner } = this.ports;
    if (isEnded(batch.stage)) {
      // A repeated request learns that the first has been carried out.
      return batch.cancelAskedAtMs === null
        ? notInState('It has ended, so it cannot be cancelled.')
        : shown(batch, call);
    }
    const nowMs = Math.floor(clock.nowMs());
    if (batch.cancelAskedAtMs === null && (await batches.askToCancel(batch.id, nowMs))) runner.look();
    return shown((await this.find(batch.id, batch.accountId)) ?? { ...batch, cancelAskedAtMs: nowMs }, call);
  }

  private async delete(batch: Batch): Promise<ServedAnswer | Failure> {
    const { batches, files } = this.ports;
    const { id, accountId, inputFileId } = batch;
    if (!(await batches.deleteEnded(id))) return notInState('It has not ended. Cancel it first.');
    await files.delete(inputFileId, accountId);
    return { body: JSON.stringify({ id, type: 'message_batch_deleted' }) };
  }

  private results(batch: Batch): ServedAnswer | Failure {
    if (!isEnded(batch.stage)) return notInState('It has no results yet, because it has not ended.');
    return {
      body: new MessageResults(this.ports, batch),
      headers: { 'content-type': 'application/x-jsonl', 'x-content-type-options': 'nosniff' },
    };
  }
}

function shown(batch: Batch, { origin }: Pick<RelayedCall, 'origin'>): ServedAnswer {
  return { body: JSON.stringify(messageBatchView(batch, origin())) };
}

function tooManyOpen(most: number): Failure {
  return new Failure('rate_limit_exceeded', {
    message: `The account has ${most} batches that have not ended, the most that it may have.`,
    kind: 'batch_quota',
    side: 'gateway',
    retryAfterMs: 60_000,
    hint: 'Wait for a batch to end, or cancel one.',
  });
}

function newBatch(fields: Pick<Batch, 'id' | 'accountId' | 'keyId' | 'inputFileId' | 'createdAtMs' | 'lines'>): Batch {
  return {
    ...fields,
    api: 'anthropic',
    endpoint: MESSAGES_PATH,
    deadlineMs: fields.createdAtMs + DEADLINE_MS,
    keepOutputMs: null,
    stage: 'validating',
    counts: NO_LINES,
    usage: NO_BATCH_USAGE,
    costNanoUsd: 0n,
    notes: { metadata: null, errors: [], model: null },
    startedAtMs: null,
    cancelAskedAtMs: null,
    finalizingAtMs: null,
    endedAtMs: null,
    expiresAtMs: null,
    outputFileId: null,
    errorFileId: null,
    owner: null,
    claim: 0,
  };
}

function gone(id: string): Failure {
  return new Failure('object_not_found', {
    message: `There is no message batch \`${id.slice(0, 100)}\`: it was deleted, has expired, or belongs to another account.`,
    kind: 'batch_not_found',
    param: 'message_batch_id',
  });
}

/** Returns the failure for a request that the batch's state does not allow. Anthropic has a 400; its SDKs would repeat a 409. */
function notInState(why: string): Failure {
  return new Failure('invalid_request', {
    message: `The message batch is not in the right state. ${why}`,
    kind: 'batch_state',
  });
}

function noSuchPath({ method, tail }: RelayedCall): Failure {
  return new Failure('object_not_found', {
    message: `The gateway has no \`${method} /v1/messages/batches${tail.slice(0, 100)}\`.`,
    kind: 'no_such_path',
    hint: 'It has `POST` and `GET /v1/messages/batches`, `GET` and `DELETE` of `/{id}`, `POST /{id}/cancel` and `GET /{id}/results`.',
  });
}
