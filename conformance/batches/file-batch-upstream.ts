import { createHash } from 'node:crypto';
import { BatchUpstream } from './batch-upstream.ts';

/* Providers whose batches are made from an uploaded file, as strict upstreams: each refuses what its documentation says that it refuses. */

export interface InputLine {
  readonly custom_id: string;
  readonly body: Readonly<Record<string, unknown>> & { readonly model: string; readonly messages?: unknown };
}

export interface SimulatedBatch {
  readonly id: string;
  readonly fileId: string;
  /** The body of the request that has created it. */
  readonly asked: Readonly<Record<string, unknown>>;
  readonly createdAtS: number;
  readonly lines: readonly InputLine[];
  status: string;
  outputId: string | null;
  errorId: string | null;
}

export interface Answered {
  readonly customId: string;
  /** `null` for an error without a response. */
  readonly status: number | null;
  readonly body: unknown;
}

/** The upstream's part of a test: how lines are answered, and what goes wrong. */
export interface ProviderPlan {
  /** Returns the line of the output file, or several, or none. By default, a short answer with 50 and 8 tokens. */
  readonly answers: (line: InputLine) => readonly Answered[];
  /** The status that a batch ends with. */
  readonly status: string;
  /** Whether batches end at all. */
  readonly isSlow: boolean;
  /** Whether the answer to the next request that creates a batch gets lost after the batch was created. */
  readonly losesAnswer: boolean;
}

export const completion = (model: string, usage: object = {}) => ({
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1_790_000_000, model },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Relayed.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 50, completion_tokens: 8, total_tokens: 58, ...usage },
});

export const answered = ({ custom_id: customId, body: { model } }: InputLine, usage?: object): Answered => ({
  ...{ customId, status: 200, body: completion(model, usage) },
});

export const USUAL: ProviderPlan = {
  answers: (line) => [answered(line)],
  status: 'completed',
  isSlow: false,
  losesAnswer: false,
};

type Members = Readonly<Record<string, unknown>>;

/** The part of a form that is read. */
export interface Fields {
  get(name: string): unknown;
}

/** Returns the names of the members that are not among those. */
export function others(value: Members, known: readonly string[]): readonly string[] {
  return Object.keys(value).filter((name) => !known.includes(name));
}

export abstract class FileBatchUpstream extends BatchUpstream<SimulatedBatch> {
  readonly files = new Map<string, string>();
  plan: ProviderPlan = USUAL;
  private ids = 0;

  protected abstract readonly prefix: string;
  protected abstract readonly batchesAt: string;
  protected readonly uploadAt: string = 'files';

  /** Returns why a form is refused. */
  protected abstract problemOfForm(form: Fields): string | null;
  /** Returns why the request that creates a batch is refused. */
  protected abstract problemOfCreation(asked: Members): string | null;
  protected abstract fileIn(asked: Members): unknown;
  /** Returns why a line of the input is refused. */
  protected abstract problemOfLine(line: Members): string | null;
  protected abstract shown(batch: SimulatedBatch): object;
  protected abstract listed(params: URLSearchParams): Response;
  protected abstract refuse(status: number, message: string): Response;

  /** Returns the answer to the request that has created a batch. */
  protected created(batch: SimulatedBatch): object {
    return this.shown(batch);
  }

  protected uploaded(id: string, file: File): object {
    return { id, object: 'file', bytes: file.size, filename: file.name, purpose: 'batch' };
  }

  /** Returns what the API says of a file; `null` if it has no such request. */
  protected fileShown(_id: string): object | null {
    return null;
  }

  protected isAllowed({ headers }: Request): boolean {
    return headers.get('authorization') === 'Bearer upstream-key';
  }

  protected newId(kind: 'file' | 'batch'): string {
    return `${kind}-up-${++this.ids}`;
  }

  protected resultOf({ customId: custom_id, status: status_code, body }: Answered): object {
    const id = `batch_req_${createHash('sha256').update(custom_id).digest('hex').slice(0, 8)}`;
    return { id, custom_id, response: { status_code, request_id: id, body }, error: null };
  }

  /** Returns the status of an answer to a chat request outside of batches; 200 by default. */
  protected directStatus(_model: string): number {
    return 200;
  }

  protected async answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const { method } = request;
    if (!this.isAllowed(request)) return this.refuse(401, 'wrong key');
    if (!pathname.startsWith(this.prefix)) return this.refuse(404, 'no such path');
    const path = pathname.slice(this.prefix.length);
    if (path === 'chat/completions' && method === 'POST') return this.chat(request);
    if (path === this.uploadAt && method === 'POST') return this.upload(request);
    const [, fileId, ofFile] = /^files\/([^/]+)(\/content)?$/.exec(path) ?? [];
    if (fileId !== undefined) return this.ofFile(method, fileId, ofFile !== undefined);
    if (path === this.batchesAt) return method === 'POST' ? this.create(request) : this.listed(searchParams);
    if (!path.startsWith(`${this.batchesAt}/`)) return this.refuse(404, 'no such path');
    const [id = '', verb] = path.slice(this.batchesAt.length + 1).split('/');
    return this.ofBatch(method, id, verb);
  }

  private async chat(request: Request): Promise<Response> {
    const { model } = (await request.json()) as { readonly model: string };
    this.direct.push(model);
    const status = this.directStatus(model);
    return status === 200 ? Response.json(completion(model)) : this.refuse(status, 'The model takes batches only.');
  }

  private async upload(request: Request): Promise<Response> {
    const form = await request.formData();
    const file = form.get('file');
    const problem = file instanceof File ? this.problemOfForm(form) : 'file is required';
    if (problem !== null || !(file instanceof File)) return this.refuse(400, problem ?? '');
    return Response.json(this.uploaded(this.store(await file.text()), file));
  }

  private ofFile(method: string, id: string, isContent: boolean): Response {
    const content = this.files.get(id);
    if (content === undefined) return this.refuse(404, 'no such file');
    if (method === 'DELETE' && !isContent) {
      this.files.delete(id);
      return Response.json({ id, object: 'file', deleted: true });
    }
    if (isContent) return new Response(content);
    const shown = this.fileShown(id);
    return shown === null ? this.refuse(404, 'no such path') : Response.json(shown);
  }

  private async create(request: Request): Promise<Response> {
    const asked = (await request.json()) as Members;
    const fileId = String(this.fileIn(asked));
    const content = this.files.get(fileId);
    const problem = this.problemOfCreation(asked) ?? (content === undefined ? 'no such file' : null);
    if (problem !== null) return this.refuse(400, problem);
    const lines = this.linesIn(content ?? '');
    if (typeof lines === 'string') return this.refuse(400, lines);
    const batch: SimulatedBatch = {
      ...{ id: this.newId('batch'), fileId, asked, createdAtS: Math.floor(Date.now() / 1000), lines },
      ...{ status: 'in_progress', outputId: null, errorId: null },
    };
    this.batches.unshift(batch);
    if (!this.plan.losesAnswer) return Response.json(this.created(batch));
    this.plan = { ...this.plan, losesAnswer: false };
    return this.refuse(502, 'the answer was lost');
  }

  /** Returns the lines of an input file, or why they are refused. */
  private linesIn(content: string): readonly InputLine[] | string {
    const seen = new Set<string>();
    const found: InputLine[] = [];
    for (const text of content.split('\n').filter((one) => one !== '')) {
      const line = JSON.parse(text) as InputLine;
      const { custom_id, body } = line;
      if (typeof custom_id !== 'string' || custom_id.length > 64 || seen.has(custom_id))
        return 'custom_id must be unique';
      const problem = this.problemOfLine(line as unknown as Members);
      if (problem !== null) return problem;
      if (body.stream === true) return 'streams are not supported';
      if (found[0] !== undefined && found[0].body.model !== body.model) return 'a batch has one model';
      seen.add(custom_id);
      found.push({ custom_id, body });
    }
    return found.length === 0 ? 'the file is empty' : found;
  }

  private ofBatch(method: string, id: string, verb: string | undefined): Response {
    const batch = this.batches.find((one) => one.id === id);
    if (batch === undefined) return this.refuse(404, 'no such batch');
    if (method === 'POST' && verb === 'cancel') batch.status = 'cancelling';
    else if (method !== 'GET' || verb !== undefined) return this.refuse(404, 'no such path');
    else if (batch.status === 'cancelling') this.end(batch, 'cancelled');
    else if (!this.plan.isSlow && batch.status === 'in_progress') this.end(batch, this.plan.status);
    return Response.json(this.shown(batch));
  }

  private end(batch: SimulatedBatch, status: string): void {
    const results = batch.lines.flatMap((line) => this.plan.answers(line));
    const good = results.filter((one) => one.status !== null && one.status < 300);
    const bad = results.filter((one) => !good.includes(one));
    const stored = (some: readonly Answered[]) =>
      some.length === 0 ? null : this.store(some.map((one) => `${JSON.stringify(this.resultOf(one))}\n`).join(''));
    batch.status = status;
    if (status === 'failed') return;
    batch.outputId = stored(good);
    batch.errorId = stored(bad);
  }

  private store(content: string): string {
    const id = this.newId('file');
    this.files.set(id, content);
    return id;
  }
}
