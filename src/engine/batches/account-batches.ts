import type { Principal } from '../../domain/access/principal.ts';
import { type Batch, isEnded, NO_BATCH_USAGE, NO_LINES } from '../../domain/batches/batch.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { parseJsonBytes } from '../../formats/shared/json/json-text.ts';
import { isRecord } from '../../formats/shared/json/record.ts';
import type { BatchStore } from '../ports/batch-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { RelayedCall } from '../relay/relayed-call.ts';
import type { BatchSettings } from '../settings/settings.ts';
import type { AccountFiles } from './account-files.ts';
import { batchView } from './batch-view.ts';
import { fileGone } from './file-reader.ts';
import type { LineCalls } from './line-calls.ts';
import { pageQuery, unknownPlace, wrong } from './page-query.ts';
import type { ServedAnswer, ServedApi } from './served-apis.ts';

/** OpenAI's endpoints for batches that the gateway serves. */
export const BATCH_ENDPOINTS = [
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/moderations',
  '/v1/images/generations',
] as const;

const WINDOW = '24h';
const WINDOW_MS = 86_400_000;
const PAGE = { usual: 20, most: 100 };
/** OpenAI's bounds for metadata. */
const METADATA = { members: 16, key: 64, value: 512 };
/** OpenAI's bounds for `output_expires_after.seconds`: an hour to 30 days. */
const EXPIRES = { least: 3_600, most: 2_592_000 };

export interface AccountBatchesPorts {
  readonly batches: BatchStore;
  readonly files: Pick<AccountFiles, 'find'>;
  readonly lines: Pick<LineCalls, 'at'>;
  /** Runs new batches, and follows cancellations. */
  readonly runner: { look(): void };
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly settings: Pick<BatchSettings, 'maxOpenPerAccount'>;
  /** Returns `batch_` followed by random letters and digits. */
  readonly newBatchId: () => string;
}

/** Serves OpenAI's `/v1/batches`. */
export class AccountBatches implements ServedApi {
  constructor(private readonly ports: AccountBatchesPorts) {}

  async has(id: string, accountId: string): Promise<boolean> {
    return (await this.find(id, accountId)) !== null;
  }

  async answer(call: RelayedCall, principal: Principal): Promise<ServedAnswer | Failure> {
    const [, id = '', part = '', ...rest] = call.tail.split('/');
    const { method } = call;
    if (rest.length > 0 || (part !== '' && part !== 'cancel')) return noSuchPath(call);
    if (id === '') {
      if (method === 'POST') return this.create(call, principal);
      return method === 'GET' ? this.list(call.query, principal) : noSuchPath(call);
    }
    if (part === 'cancel') return method === 'POST' ? this.cancel(id, principal) : noSuchPath(call);
    if (method !== 'GET') return noSuchPath(call);
    const batch = await this.find(id, principal.account.id);
    return batch === null ? batchGone() : shown(batch);
  }

  private async find(id: string, accountId: string): Promise<Batch | null> {
    const batch = await this.ports.batches.find(id, accountId);
    if (batch === null || batch.api !== 'openai') return null;
    return batch.expiresAtMs !== null && batch.expiresAtMs <= this.ports.clock.nowMs() ? null : batch;
  }

  private async list(query: URLSearchParams, { account }: Principal): Promise<ServedAnswer | Failure> {
    const page = pageQuery(query, PAGE);
    if (page instanceof Failure) return page;
    const { batches, clock } = this.ports;
    const last = page.after === null ? null : await this.find(page.after, account.id);
    if (page.after !== null && last === null) return unknownPlace('after', page.after);
    const filters = { accountId: account.id, api: 'openai', readableAtMs: clock.nowMs() } as const;
    const place = last === null ? {} : { after: last };
    const found = await batches.list({ ...filters, ...place, isAscending: page.isAscending }, page.limit + 1);
    const data = found.slice(0, page.limit).map(batchView);
    const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
    return { body: JSON.stringify({ object: 'list', data, ...ends, has_more: found.length > page.limit }) };
  }

  private async cancel(id: string, { account }: Principal): Promise<ServedAnswer | Failure> {
    const { batches, clock, runner } = this.ports;
    const batch = await this.find(id, account.id);
    if (batch === null) return batchGone();
    if (isEnded(batch.stage) || !(await batches.askToCancel(id, clock.nowMs()))) {
      return new Failure('conflict', {
        message: `The batch cannot be cancelled: it is ${isEnded(batch.stage) ? batch.stage : 'over'}.`,
        kind: 'batch_ended',
      });
    }
    runner.look();
    return shown((await batches.find(id, account.id)) ?? batch);
  }

  private async create(call: RelayedCall, { account, credential }: Principal): Promise<ServedAnswer | Failure> {
    const { batches, clock, settings, newBatchId, runner, files } = this.ports;
    const bytes = await call.readBody(account.id);
    if (bytes instanceof Failure) return bytes;
    const wanted = this.wanted(parseJsonBytes(bytes));
    if (wanted instanceof Failure) return wanted;
    if ((await files.find(wanted.inputFileId, account.id)) === null) return noInput();
    const createdAtMs = Math.floor(clock.nowMs());
    const { inputFileId, endpoint, metadata, keepOutputMs } = wanted;
    const batch: Batch = {
      ...{ id: newBatchId(), accountId: account.id, keyId: credential.id, api: 'openai', endpoint, inputFileId },
      ...{ createdAtMs, deadlineMs: createdAtMs + WINDOW_MS, keepOutputMs, stage: 'validating', lines: 0 },
      ...{ counts: NO_LINES, usage: NO_BATCH_USAGE, costNanoUsd: 0n, notes: { metadata, errors: [], model: null } },
      ...{ startedAtMs: null, cancelAskedAtMs: null, finalizingAtMs: null, endedAtMs: null, expiresAtMs: null },
      ...{ outputFileId: null, errorFileId: null, owner: null, claim: 0 },
    };
    const created = await batches.createWithin(batch, settings.maxOpenPerAccount);
    if (created === 'full') return tooManyOpen(settings.maxOpenPerAccount);
    if (created === 'no-file') return noInput();
    runner.look();
    return shown(batch);
  }

  private wanted(body: unknown): WantedBatch | Failure {
    if (!isRecord(body)) return new Failure('invalid_json', { message: 'The request body is not a JSON object.' });
    const { input_file_id: inputFileId, endpoint, completion_window: window, metadata = null } = body;
    if (typeof inputFileId !== 'string' || inputFileId === '')
      return wrong('input_file_id', 'must be the id of a file');
    if (!BATCH_ENDPOINTS.some((known) => known === endpoint) || this.ports.lines.at(String(endpoint)) === null) {
      return wrong('endpoint', `must be one of ${BATCH_ENDPOINTS.map((known) => `\`${known}\``).join(', ')}`);
    }
    if (window !== WINDOW) return wrong('completion_window', `must be \`${WINDOW}\``);
    const checked = metadataOf(metadata);
    if (checked instanceof Failure) return checked;
    const keepOutputMs = keepOf(body.output_expires_after ?? null);
    if (keepOutputMs instanceof Failure) return keepOutputMs;
    return { inputFileId, endpoint: String(endpoint), metadata: checked, keepOutputMs };
  }
}

interface WantedBatch {
  readonly inputFileId: string;
  readonly endpoint: string;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly keepOutputMs: number | null;
}

function metadataOf(metadata: unknown): Readonly<Record<string, string>> | null | Failure {
  if (metadata === null) return null;
  const rule = `must be an object of at most ${METADATA.members} texts, with keys of at most ${METADATA.key} and values of at most ${METADATA.value} characters`;
  if (!isRecord(metadata)) return wrong('metadata', rule);
  const checked: Record<string, string> = {};
  for (const [key, value] of Object.entries(metadata)) {
    if (typeof value !== 'string' || value.length > METADATA.value || key.length > METADATA.key) {
      return wrong('metadata', rule);
    }
    checked[key] = value;
  }
  return Object.keys(checked).length > METADATA.members ? wrong('metadata', rule) : checked;
}

function keepOf(expires: unknown): number | null | Failure {
  if (expires === null) return null;
  if (!isRecord(expires) || expires.anchor !== 'created_at') {
    return wrong('output_expires_after.anchor', 'must be `created_at`');
  }
  const { seconds } = expires;
  const { least, most } = EXPIRES;
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < least || seconds > most) {
    return wrong('output_expires_after.seconds', `must be a whole number from ${least} to ${most}`);
  }
  return seconds * 1_000;
}

function shown(batch: Batch): ServedAnswer {
  return { body: JSON.stringify(batchView(batch)) };
}

function noInput(): Failure {
  return new Failure('object_not_found', { ...fileGone().details, param: 'input_file_id' });
}

function tooManyOpen(most: number): Failure {
  return new Failure('conflict', {
    message: `The account has ${most} unfinished batches, which is its limit.`,
    kind: 'batch_quota',
    hint: 'Wait until one of them ends, or cancel it.',
  });
}

function batchGone(): Failure {
  return new Failure('object_not_found', {
    message: 'No such batch: it has expired, or belongs to another account.',
    kind: 'batch_not_found',
  });
}

function noSuchPath({ method, tail }: RelayedCall): Failure {
  return new Failure('object_not_found', {
    message: `The gateway has no \`${method} /v1/batches${tail.slice(0, 100)}\`.`,
    kind: 'no_such_path',
    hint: 'It has `POST` and `GET /v1/batches`, `GET /v1/batches/{id}`, and `POST /v1/batches/{id}/cancel`.',
  });
}
