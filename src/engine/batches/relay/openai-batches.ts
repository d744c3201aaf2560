import { randomBytes } from 'node:crypto';
import type { RelayedBatch } from '../../../domain/batches/relayed-batch.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';
import type { RelayAddress, RelayChannel } from '../../directory/relay-channel.ts';
import type { UpstreamBody } from '../../ports/upstream.ts';
import type { BatchApi, MakeInput, ProviderBatch } from './batch-api.ts';
import { readOpenAiResult } from './line-content.ts';
import { comingBody, idIn, type ProviderApi, textIn } from './provider-api.ts';
import { ProviderRefusal } from './provider-refusal.ts';

const PAGE = 100;
/** The most pages of batches that are searched for one. */
const MOST_PAGES = 20;
/** The provider's clock may differ from this one. */
const CLOCKS_DIFFER_S = 600;
const ENDED = ['completed', 'failed', 'expired', 'cancelled'];

/** OpenAI's files and batches. A batch is found again by its input file, which no other batch has. */
export class OpenAiBatches implements BatchApi {
  readonly lineOf = readOpenAiResult;
  private readonly files: RelayAddress | null;
  private readonly batches: RelayAddress | null;

  constructor(
    private readonly api: ProviderApi,
    channel: Pick<RelayChannel, 'addressOf'>,
  ) {
    this.files = channel.addressOf('files');
    this.batches = channel.addressOf('batches');
  }

  async upload(id: string, makeInput: MakeInput): Promise<string | ProviderRefusal> {
    const input = await makeInput({ head: '', separator: '\n', tail: '\n' });
    const boundary = `switchyard${randomBytes(16).toString('hex')}`;
    const part = (head: string) => `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n`;
    const before = Buffer.from(
      `${part('name="purpose"')}\r\nbatch\r\n${part(`name="file"; filename="${id}.jsonl"`)}content-type: application/jsonl\r\n\r\n`,
    );
    const body = comingBody(input, before, Buffer.from(`\r\n--${boundary}--\r\n`));
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    return idIn(await this.api.json(this.files, { method: 'POST', path: '/files', body, headers }));
  }

  async create({ id, endpoint, upstreamFileId }: RelayedBatch): Promise<string | ProviderRefusal> {
    const asked = { input_file_id: upstreamFileId, endpoint, completion_window: '24h', metadata: { relay: id } };
    const body = Buffer.from(JSON.stringify(asked));
    const headers = { 'content-type': 'application/json' };
    return idIn(await this.api.json(this.batches, { method: 'POST', path: '/batches', body, headers }));
  }

  async find({ upstreamFileId, submittedAtMs }: RelayedBatch): Promise<string | null | ProviderRefusal> {
    const oldest = (submittedAtMs ?? 0) / 1_000 - CLOCKS_DIFFER_S;
    let after = '';
    for (let page = 0; page < MOST_PAGES; page++) {
      const path = `/batches?limit=${PAGE}${after}`;
      const list = await this.api.json(this.batches, { method: 'GET', path });
      if (list instanceof ProviderRefusal) return list;
      const data = Array.isArray(list.data) ? list.data.filter(isRecord) : [];
      const found = data.find((one) => one.input_file_id === upstreamFileId);
      if (found !== undefined) return idIn(found);
      const last = data.at(-1);
      const isOld = typeof last?.created_at === 'number' && last.created_at < oldest;
      if (last === undefined || list.has_more !== true || isOld || typeof last.id !== 'string') return null;
      after = `&after=${encodeURIComponent(last.id)}`;
    }
    return new ProviderRefusal(null, 'the provider lists too many newer batches');
  }

  async read(id: string): Promise<ProviderBatch | ProviderRefusal> {
    const path = `/batches/${encodeURIComponent(id)}`;
    const batch = await this.api.json(this.batches, { method: 'GET', path });
    if (batch instanceof ProviderRefusal) return batch;
    const { status, output_file_id: output, error_file_id: errors } = batch;
    if (typeof status !== 'string') return new ProviderRefusal(null, 'the batch has no status');
    const results = [textIn(output), textIn(errors)].filter((one) => one !== null);
    return { id, results, isEnded: ENDED.includes(status) };
  }

  async cancel(id: string): Promise<ProviderRefusal | null> {
    const path = `/batches/${encodeURIComponent(id)}/cancel`;
    const answer = await this.api.json(this.batches, { method: 'POST', path });
    return answer instanceof ProviderRefusal ? answer : null;
  }

  open(fileId: string): Promise<UpstreamBody | ProviderRefusal> {
    return this.api.open(this.files, { method: 'GET', path: `/files/${encodeURIComponent(fileId)}/content` });
  }

  async clear({ upstreamFileId }: RelayedBatch, batch: ProviderBatch | null): Promise<void> {
    for (const fileId of [...(batch?.results ?? []), upstreamFileId]) {
      if (fileId === null) continue;
      await this.api.json(this.files, { method: 'DELETE', path: `/files/${encodeURIComponent(fileId)}` });
    }
  }
}
