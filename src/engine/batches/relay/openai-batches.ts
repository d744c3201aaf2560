import { randomBytes } from 'node:crypto';
import { Failure } from '../../../domain/failure/failure.ts';
import { parseJsonBytes } from '../../../formats/shared/json/json-text.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';
import type { RelayAddress, RelayChannel } from '../../directory/relay-channel.ts';
import type { ComingBody, Upstream, UpstreamAnswer, UpstreamBody, UpstreamRequest } from '../../ports/upstream.ts';

const MOST_ANSWER_BYTES = 8 * 1024 * 1024;
const LONGEST_ID = 256;
const PAGE = 100;
/** The most pages of batches that are searched for one. */
const MOST_PAGES = 20;
/** The provider's clock may differ from this one. */
const CLOCKS_DIFFER_S = 600;

/** Why the provider has not done what it was asked for. */
export class ProviderRefusal {
  constructor(
    /** `null` if it is unknown whether the request arrived. */
    readonly status: number | null,
    readonly message: string,
  ) {}

  /** Whether the provider has refused the request for good. */
  get isFinal(): boolean {
    const { status } = this;
    return status !== null && status >= 400 && status < 500 && ![401, 403, 408, 409, 425, 429].includes(status);
  }
}

/** A batch at the provider. */
export interface ProviderBatch {
  readonly id: string;
  /** Whether nothing of it changes any more. */
  readonly isEnded: boolean;
  readonly status: string;
  readonly outputFileId: string | null;
  readonly errorFileId: string | null;
}

/** The input of a batch as a stream. */
export interface ProviderInput {
  readonly name: string;
  readonly length: number;
  readonly pieces: AsyncIterator<Uint8Array>;
}

const ENDED = ['completed', 'failed', 'expired', 'cancelled'];

/** OpenAI's files and batches at one upstream key. */
export class OpenAiBatches {
  private readonly files: RelayAddress | null;
  private readonly batches: RelayAddress | null;

  constructor(
    private readonly upstream: Pick<Upstream, 'send'>,
    private readonly channel: RelayChannel,
    private readonly accountId: string,
    private readonly signal: AbortSignal,
  ) {
    this.files = channel.addressOf('files');
    this.batches = channel.addressOf('batches');
  }

  /** Uploads the input of a batch. Resolves to the id of the file. */
  async upload(input: ProviderInput): Promise<string | ProviderRefusal> {
    const boundary = `switchyard${randomBytes(16).toString('hex')}`;
    const part = (head: string) => `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n`;
    const before = Buffer.from(
      `${part('name="purpose"')}\r\nbatch\r\n${part(`name="file"; filename="${input.name}"`)}content-type: application/jsonl\r\n\r\n`,
    );
    const after = Buffer.from(`\r\n--${boundary}--\r\n`);
    const body = comingBody(before, input, after);
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    return idIn(await this.json(this.files, { method: 'POST', path: '/files', body, headers }));
  }

  async create(fileId: string, endpoint: string, relayId: string): Promise<string | ProviderRefusal> {
    const asked = { input_file_id: fileId, endpoint, completion_window: '24h', metadata: { relay: relayId } };
    const body = Buffer.from(JSON.stringify(asked));
    const headers = { 'content-type': 'application/json' };
    return idIn(await this.json(this.batches, { method: 'POST', path: '/batches', body, headers }));
  }

  /** Finds the batch that was created from a file; `null` if there is none among those that were created since then. */
  async findByInput(fileId: string, sinceMs: number): Promise<string | null | ProviderRefusal> {
    const oldest = sinceMs / 1_000 - CLOCKS_DIFFER_S;
    let after = '';
    for (let page = 0; page < MOST_PAGES; page++) {
      const path = `/batches?limit=${PAGE}${after}`;
      const list = await this.json(this.batches, { method: 'GET', path });
      if (list instanceof ProviderRefusal) return list;
      const data = Array.isArray(list.data) ? list.data.filter(isRecord) : [];
      const found = data.find((one) => one.input_file_id === fileId);
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
    const batch = await this.json(this.batches, { method: 'GET', path });
    if (batch instanceof ProviderRefusal) return batch;
    const { status, output_file_id: output, error_file_id: errors } = batch;
    if (typeof status !== 'string') return new ProviderRefusal(null, 'the batch has no status');
    const [outputFileId, errorFileId] = [textIn(output), textIn(errors)];
    return { id, status, outputFileId, errorFileId, isEnded: ENDED.includes(status) };
  }

  async cancel(id: string): Promise<ProviderRefusal | null> {
    const path = `/batches/${encodeURIComponent(id)}/cancel`;
    const answer = await this.json(this.batches, { method: 'POST', path });
    return answer instanceof ProviderRefusal ? answer : null;
  }

  /** Opens the content of a file as a stream. */
  async content(fileId: string): Promise<UpstreamBody | ProviderRefusal> {
    const path = `/files/${encodeURIComponent(fileId)}/content`;
    const answer = await this.send(this.files, { method: 'GET', path });
    if (answer instanceof ProviderRefusal) return answer;
    return isGood(answer) ? answer.body : this.refusal(answer);
  }

  async removeFile(fileId: string): Promise<void> {
    await this.json(this.files, { method: 'DELETE', path: `/files/${encodeURIComponent(fileId)}` });
  }

  private async json(at: RelayAddress | null, question: Question): Promise<Record<string, unknown> | ProviderRefusal> {
    const answer = await this.send(at, question);
    if (answer instanceof ProviderRefusal) return answer;
    if (!isGood(answer)) return this.refusal(answer);
    const bytes = await answer.body.readAll({ limitBytes: MOST_ANSWER_BYTES });
    const value = bytes instanceof Failure ? null : parseJsonBytes(bytes);
    return isRecord(value) ? value : new ProviderRefusal(null, 'the provider has sent no JSON object');
  }

  private async refusal({ status, body }: UpstreamAnswer): Promise<ProviderRefusal> {
    const bytes = await body.readAll({ limitBytes: 64 * 1024, withinMs: 10_000 });
    const value = bytes instanceof Failure ? null : parseJsonBytes(bytes);
    const error = isRecord(value) && isRecord(value.error) ? value.error.message : null;
    const cleaned = this.channel.secrets.cleaned(
      new Failure('upstream_error', { message: typeof error === 'string' ? error.slice(0, 300) : `HTTP ${status}` }),
    );
    return new ProviderRefusal(status >= 500 ? null : status, cleaned.details.message);
  }

  private async send(at: RelayAddress | null, question: Question): Promise<UpstreamAnswer | ProviderRefusal> {
    if (at === null) return new ProviderRefusal(404, 'the provider has no such API');
    const { method, path, body = null, headers = {} } = question;
    const { local, isGuarded, timeouts } = this.channel;
    const answer = await this.upstream.send({
      ...{ method, body, local, isGuarded, timeouts: timeouts.whole },
      url: at.baseUrl + path,
      headers: { accept: 'application/json', ...at.headers, ...headers },
      client: { signal: this.signal, accountId: this.accountId },
    });
    if (!(answer instanceof Failure)) return answer;
    return new ProviderRefusal(null, this.channel.secrets.cleaned(answer).details.message);
  }
}

interface Question {
  readonly method: UpstreamRequest['method'];
  readonly path: string;
  readonly body?: UpstreamRequest['body'];
  readonly headers?: Readonly<Record<string, string>>;
}

function isGood({ status }: UpstreamAnswer): boolean {
  return status >= 200 && status <= 299;
}

function idIn(value: Record<string, unknown> | ProviderRefusal): string | ProviderRefusal {
  if (value instanceof ProviderRefusal) return value;
  return textIn(value.id) ?? new ProviderRefusal(null, 'the provider has given no id');
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_ID ? value : null;
}

/** Returns a body that is read from the store while it is sent. */
function comingBody(before: Uint8Array, input: ProviderInput, after: Uint8Array): ComingBody {
  const chunk = (bytes: Uint8Array) => new Uint8Array(bytes);
  let isBegun = false;
  const body: ComingBody = {
    length: before.length + input.length + after.length,
    onTaken: null,
    stream: new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        async pull(controller) {
          body.onTaken?.();
          if (!isBegun) {
            isBegun = true;
            controller.enqueue(chunk(before));
            return;
          }
          const { done, value } = await input.pieces.next();
          controller.enqueue(chunk(done === true ? after : value));
          if (done === true) controller.close();
        },
      },
      { highWaterMark: 0 },
    ),
  };
  return body;
}
