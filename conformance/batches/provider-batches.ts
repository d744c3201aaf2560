import { createHash } from 'node:crypto';
import { BatchUpstream } from './batch-upstream.ts';

/* OpenAI's files and batches as a strict upstream: it refuses what OpenAI's documentation says that it refuses. */

interface InputLine {
  readonly custom_id: string;
  readonly body: Readonly<Record<string, unknown>> & { readonly model: string; readonly messages?: unknown };
}

interface SimulatedBatch {
  readonly id: string;
  readonly input_file_id: string;
  readonly metadata: unknown;
  readonly created_at: number;
  readonly lines: readonly InputLine[];
  status: string;
  output_file_id: string | null;
  error_file_id: string | null;
}

export interface Answered {
  readonly customId: string;
  readonly status: number;
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

function refuse(status: number, message: string): Response {
  return Response.json({ error: { message, type: 'invalid_request_error', param: null, code: null } }, { status });
}

function shown({ lines, ...batch }: SimulatedBatch): object {
  return {
    ...{ ...batch, object: 'batch', endpoint: '/v1/chat/completions', completion_window: '24h' },
    request_counts: { total: lines.length, completed: 0, failed: 0 },
  };
}

/** Returns the lines of an input file, or why they are refused. */
function parsed(content: string): readonly InputLine[] | string {
  const seen = new Set<string>();
  const found: InputLine[] = [];
  for (const line of content.split('\n').filter((one) => one !== '')) {
    const { custom_id, method, url, body, ...rest } = JSON.parse(line);
    if (Object.keys(rest).length > 0) return `unknown members: ${Object.keys(rest)}`;
    if (typeof custom_id !== 'string' || seen.has(custom_id)) return 'custom_id must be unique';
    if (method !== 'POST' || url !== '/v1/chat/completions') return 'method and url must be those of the batch';
    if (body.stream === true) return 'streams are not supported';
    if (found[0] !== undefined && found[0].body.model !== body.model) return 'a batch has one model';
    seen.add(custom_id);
    found.push({ custom_id, body });
  }
  return found.length === 0 ? 'the file is empty' : found;
}

function resultText(results: readonly Answered[]): string {
  return results
    .map(({ customId: custom_id, status: status_code, body }) => {
      const id = `batch_req_${createHash('sha256').update(custom_id).digest('hex').slice(0, 8)}`;
      return `${JSON.stringify({ id, custom_id, response: { status_code, request_id: id, body }, error: null })}\n`;
    })
    .join('');
}

export class ProviderBatches extends BatchUpstream<SimulatedBatch> {
  readonly files = new Map<string, string>();
  plan: ProviderPlan = USUAL;
  private ids = 0;

  protected async answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const [, , api = '', id, verb] = pathname.split('/');
    const { method } = request;
    if (request.headers.get('authorization') !== 'Bearer upstream-key') return refuse(401, 'wrong key');
    if (api === 'chat' && method === 'POST') {
      const { model } = (await request.json()) as { readonly model: string };
      this.direct.push(model);
      return Response.json(completion(model));
    }
    if (api === 'files') return id === undefined ? this.upload(request) : this.ofFile(method, id);
    if (api !== 'batches') return refuse(404, 'no such path');
    if (id !== undefined) return this.ofBatch(method, id, verb);
    if (method === 'POST') return this.create(request);
    if (Number(searchParams.get('limit')) > 100) return refuse(400, 'limit must be at most 100');
    return Response.json({ object: 'list', data: this.batches.map(shown), has_more: false });
  }

  private async upload(request: Request): Promise<Response> {
    if (request.method !== 'POST') return refuse(404, 'no such path');
    const form = await request.formData();
    const file = form.get('file');
    if (form.get('purpose') !== 'batch' || !(file instanceof File)) return refuse(400, 'purpose and file are required');
    const id = this.store(await file.text());
    return Response.json({ id, object: 'file', bytes: file.size, filename: file.name, purpose: 'batch' });
  }

  private ofFile(method: string, id: string): Response {
    const content = this.files.get(id);
    if (content === undefined) return refuse(404, 'no such file');
    if (method !== 'DELETE') return new Response(content);
    this.files.delete(id);
    return Response.json({ id, deleted: true });
  }

  private async create(request: Request): Promise<Response> {
    const asked = (await request.json()) as Record<string, unknown>;
    const { input_file_id: fileId, endpoint, completion_window, metadata, ...rest } = asked;
    const input_file_id = String(fileId);
    const content = this.files.get(input_file_id);
    if (content === undefined) return refuse(400, 'no such file');
    if (endpoint !== '/v1/chat/completions' || completion_window !== '24h' || Object.keys(rest).length > 0) {
      return refuse(400, 'wrong members');
    }
    const lines = parsed(content);
    if (typeof lines === 'string') return refuse(400, lines);
    const id = `batch_up_${++this.ids}`;
    const made = { id, input_file_id, metadata, created_at: Math.floor(Date.now() / 1000), lines };
    const batch: SimulatedBatch = { ...made, status: 'in_progress', output_file_id: null, error_file_id: null };
    this.batches.unshift(batch);
    if (!this.plan.losesAnswer) return Response.json(shown(batch));
    this.plan = { ...this.plan, losesAnswer: false };
    return refuse(502, 'the answer was lost');
  }

  private ofBatch(method: string, id: string, verb: string | undefined): Response {
    const batch = this.batches.find((one) => one.id === id);
    if (batch === undefined) return refuse(404, 'no such batch');
    if (method === 'POST' && verb === 'cancel') batch.status = 'cancelling';
    else if (batch.status === 'cancelling') this.end(batch, 'cancelled');
    else if (!this.plan.isSlow && batch.status === 'in_progress') this.end(batch, this.plan.status);
    return Response.json(shown(batch));
  }

  private end(batch: SimulatedBatch, status: string): void {
    const results = batch.lines.flatMap((line) => this.plan.answers(line));
    const [good, bad] = [results.filter((one) => one.status < 300), results.filter((one) => one.status >= 300)];
    batch.status = status;
    if (status === 'failed') return;
    batch.output_file_id = good.length === 0 ? null : this.store(resultText(good));
    batch.error_file_id = bad.length === 0 ? null : this.store(resultText(bad));
  }

  private store(content: string): string {
    const id = `file-up-${++this.ids}`;
    this.files.set(id, content);
    return id;
  }
}
