import { randomUUID } from 'node:crypto';
import { type Answered, type Fields, FileBatchUpstream, others, type SimulatedBatch } from './file-batch-upstream.ts';

const STATUSES: Readonly<Record<string, string>> = {
  in_progress: 'RUNNING',
  completed: 'SUCCESS',
  failed: 'FAILED',
  expired: 'TIMEOUT_EXCEEDED',
  cancelling: 'CANCELLATION_REQUESTED',
  cancelled: 'CANCELLED',
};
const MEMBERS = ['input_files', 'requests', 'endpoint', 'model', 'agent_id', 'metadata', 'timeout_hours'];

/** Mistral's files and batch jobs as a strict upstream, by its published document. */
export class MistralJobs extends FileBatchUpstream {
  protected readonly prefix = '/v1/';
  protected readonly batchesAt = 'batch/jobs';

  protected override newId(): string {
    return randomUUID();
  }

  protected refuse(status: number, message: string): Response {
    return Response.json({ object: 'error', message, type: 'invalid_request_error', code: '3000' }, { status });
  }

  protected problemOfForm(form: Fields): string | null {
    return form.get('purpose') === 'batch' ? null : 'purpose: Input should be fine-tune, batch or ocr';
  }

  protected fileIn({ input_files: files }: Readonly<Record<string, unknown>>): unknown {
    return Array.isArray(files) && files.length === 1 ? files[0] : null;
  }

  protected problemOfCreation(asked: Readonly<Record<string, unknown>>): string | null {
    if (others(asked, MEMBERS).length > 0) return 'extra inputs are not permitted';
    if (asked.endpoint !== '/v1/chat/completions') return 'endpoint: no such endpoint';
    const metadata = Object.entries((asked.metadata ?? {}) as Readonly<Record<string, unknown>>);
    const isWrong = metadata.some(
      ([name, value]) => name.length > 32 || typeof value !== 'string' || value.length > 512,
    );
    return isWrong || typeof asked.model !== 'string' ? 'metadata and model must be texts' : null;
  }

  protected problemOfLine(line: Readonly<Record<string, unknown>>): string | null {
    return others(line, ['custom_id', 'body']).length > 0 ? 'extra inputs are not permitted' : null;
  }

  protected shown({ id, fileId, asked, createdAtS, lines, status, outputId, errorId }: SimulatedBatch): object {
    return {
      ...{ id, object: 'batch', input_files: [fileId], endpoint: asked.endpoint, model: asked.model, errors: [] },
      ...{ metadata: asked.metadata ?? null, output_file: outputId, error_file: errorId, status: STATUSES[status] },
      ...{ created_at: createdAtS, total_requests: lines.length, completed_requests: 0 },
      ...{ succeeded_requests: 0, failed_requests: 0, started_at: null, completed_at: null },
    };
  }

  /** The newest jobs are on page 0. */
  protected listed(params: URLSearchParams): Response {
    const [page, size] = [Number(params.get('page') ?? 0), Number(params.get('page_size') ?? 100)];
    const data = this.batches.slice(page * size, (page + 1) * size).map((one) => this.shown(one));
    return Response.json({ object: 'list', data, total: this.batches.length });
  }

  /** The body of an error is a text. */
  protected override resultOf(one: Answered): object {
    const isGood = one.status === 200;
    return super.resultOf(isGood ? one : { ...one, body: JSON.stringify(one.body) });
  }
}
