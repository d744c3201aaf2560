import { randomBytes } from 'node:crypto';
import type { RelayedBatch } from '../../../domain/batches/relayed-batch.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';
import type { FileBatchRules } from '../../../providers/shared/batch-rules.ts';
import { RELAYED_APIS } from '../../../providers/shared/relayed-apis.ts';
import type { RelayAddress, RelayChannel } from '../../directory/relay-channel.ts';
import type { UpstreamBody } from '../../ports/upstream.ts';
import type { BatchApi, MakeInput, ProviderBatch } from './batch-api.ts';
import { readFileResult } from './line-content.ts';
import { comingBody, idIn, type ProviderApi, textIn } from './provider-api.ts';
import { ProviderRefusal } from './provider-refusal.ts';

const PAGE = 100;
/** The most pages of batches that are searched for one. */
const MOST_PAGES = 20;
/** The provider's clock may differ from this one. */
const CLOCKS_DIFFER_S = 600;
/** The statuses of a file that is not ready yet. */
const PROCESSING = ['pending', 'running'];

/** Batches whose lines are a file at the provider. A batch is found again by its input file, which no other batch has. */
export class FileBatches implements BatchApi {
  readonly lineOf = readFileResult;
  private readonly files: RelayAddress | null;
  private readonly batches: RelayAddress | null;
  private readonly path: string;

  constructor(
    private readonly api: ProviderApi,
    channel: Pick<RelayChannel, 'addressOf'>,
    private readonly rules: FileBatchRules,
  ) {
    this.files = channel.addressOf('files');
    this.batches = channel.addressOf(rules.api);
    this.path = `/${RELAYED_APIS[rules.api].path}`;
  }

  async upload(id: string, makeInput: MakeInput): Promise<string | ProviderRefusal> {
    const { path, purpose, hasFileName } = this.rules.upload;
    const input = await makeInput({ head: '', separator: '\n', tail: '\n' });
    const boundary = `switchyard${randomBytes(16).toString('hex')}`;
    const name = `${id}.jsonl`;
    const part = (head: string) => `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n`;
    const field = (label: string, value: string) => `${part(`name="${label}"`)}\r\n${value}\r\n`;
    const fields = field('purpose', purpose) + (hasFileName === true ? field('file_name', name) : '');
    const before = `${fields}${part(`name="file"; filename="${name}"`)}content-type: application/jsonl\r\n\r\n`;
    const body = comingBody(input, Buffer.from(before), Buffer.from(`\r\n--${boundary}--\r\n`));
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    return idIn(await this.api.json(this.files, { method: 'POST', path, body, headers }));
  }

  async create({ id, endpoint, model, upstreamFileId }: RelayedBatch): Promise<string | ProviderRefusal> {
    const fileId = upstreamFileId ?? '';
    const isEarly = this.rules.processesFiles === true ? await this.notReady(fileId) : null;
    if (isEarly !== null) return isEarly;
    const body = Buffer.from(JSON.stringify(this.rules.creationOf({ id, fileId, endpoint, model })));
    const headers = { 'content-type': 'application/json' };
    const made = await this.api.json(this.batches, { method: 'POST', path: this.path, body, headers });
    const { createdIn } = this.rules;
    if (made instanceof ProviderRefusal || createdIn === undefined) return idIn(made);
    const batch = made[createdIn];
    return idIn(isRecord(batch) ? batch : {});
  }

  /** Resolves to why no batch can be created from the file now. */
  private async notReady(fileId: string): Promise<ProviderRefusal | null> {
    const file = await this.api.json(this.files, { method: 'GET', path: pathOfFile(fileId) });
    if (file instanceof ProviderRefusal) return file;
    const status = String(file.status).toLowerCase();
    if (status === 'error') return new ProviderRefusal(400, 'the provider could not process the file');
    return PROCESSING.includes(status) ? new ProviderRefusal(425, 'the provider still processes the file') : null;
  }

  async find({ upstreamFileId, submittedAtMs }: RelayedBatch): Promise<string | null | ProviderRefusal> {
    const oldest = (submittedAtMs ?? 0) / 1_000 - CLOCKS_DIFFER_S;
    let last: Readonly<Record<string, unknown>> | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const list = await this.api.value(this.batches, { method: 'GET', path: this.path + this.pageOf(page, last) });
      if (list instanceof ProviderRefusal) return list;
      const { data: inList, has_more: hasMore } = isRecord(list) ? list : { data: list };
      if (!Array.isArray(inList)) return new ProviderRefusal(null, 'the provider has sent no list of batches');
      const data = inList.filter(isRecord);
      const found = data.find((one) => this.hasInput(one, upstreamFileId));
      if (found !== undefined) return idIn(found);
      last = data.at(-1);
      const isOld = last !== undefined && secondsOf(last.created_at) < oldest;
      const isLast = this.rules.list === 'after' ? hasMore !== true : data.length < PAGE;
      if (last === undefined || isLast || isOld || this.rules.list === 'whole') return null;
      if (typeof last.id !== 'string') return null;
    }
    return new ProviderRefusal(null, 'the provider lists too many newer batches');
  }

  private pageOf(page: number, last: Readonly<Record<string, unknown>> | undefined): string {
    if (this.rules.list === 'whole') return '';
    if (this.rules.list === 'pages') return `?page=${page}&page_size=${PAGE}`;
    return `?limit=${PAGE}${last === undefined ? '' : `&after=${encodeURIComponent(String(last.id))}`}`;
  }

  private hasInput(batch: Readonly<Record<string, unknown>>, fileId: string | null): boolean {
    const input = batch[this.rules.members.input];
    return fileId !== null && (Array.isArray(input) ? input.includes(fileId) : input === fileId);
  }

  async read(id: string): Promise<ProviderBatch | ProviderRefusal> {
    const path = `${this.path}/${encodeURIComponent(id)}`;
    const batch = await this.api.json(this.batches, { method: 'GET', path });
    if (batch instanceof ProviderRefusal) return batch;
    const { members, ended } = this.rules;
    const { status } = batch;
    if (typeof status !== 'string') return new ProviderRefusal(null, 'the batch has no status');
    const results = members.results.map((name) => textIn(batch[name])).filter((one) => one !== null);
    return { id, results, isEnded: ended.includes(status.toLowerCase()) };
  }

  async cancel(id: string): Promise<ProviderRefusal | null> {
    const path = `${this.path}/${encodeURIComponent(id)}/cancel`;
    const answer = await this.api.json(this.batches, { method: 'POST', path });
    return answer instanceof ProviderRefusal ? answer : null;
  }

  open(fileId: string): Promise<UpstreamBody | ProviderRefusal> {
    return this.api.open(this.files, { method: 'GET', path: `${pathOfFile(fileId)}/content` });
  }

  async clear({ upstreamFileId }: RelayedBatch, batch: ProviderBatch | null): Promise<readonly string[]> {
    const left: string[] = [];
    for (const fileId of [...(batch?.results ?? []), upstreamFileId]) {
      if (fileId !== null && !(await this.api.remove(this.files, pathOfFile(fileId)))) left.push(fileId);
    }
    return left;
  }
}

function pathOfFile(fileId: string): string {
  return `/files/${encodeURIComponent(fileId)}`;
}

/** Returns seconds since 1970, which some providers write as a date; `NaN` for neither. */
function secondsOf(time: unknown): number {
  return typeof time === 'number' ? time : Date.parse(String(time)) / 1_000;
}
