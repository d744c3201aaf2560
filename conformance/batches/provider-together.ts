import { type Answered, type Fields, FileBatchUpstream, others, type SimulatedBatch } from './file-batch-upstream.ts';

/** Together's files and batches as a strict upstream, by its published document and its page about batches. */
export class TogetherBatches extends FileBatchUpstream {
  protected readonly prefix = '/v1/';
  protected readonly batchesAt = 'batches';
  protected override readonly uploadAt = 'files/upload';

  protected refuse(status: number, error: string): Response {
    return Response.json({ error }, { status });
  }

  protected problemOfForm(form: Fields): string | null {
    if (form.get('purpose') !== 'batch-api') return 'purpose: no such purpose';
    return typeof form.get('file_name') === 'string' ? null : 'file_name is required';
  }

  protected override uploaded(id: string, file: File): object {
    const { purpose } = { purpose: 'batch-api' };
    return { id, object: 'file', bytes: file.size, filename: file.name, purpose, FileType: 'jsonl', Processed: false };
  }

  protected fileIn(asked: Readonly<Record<string, unknown>>): unknown {
    return asked.input_file_id;
  }

  protected problemOfCreation(asked: Readonly<Record<string, unknown>>): string | null {
    const known = ['endpoint', 'input_file_id', 'completion_window', 'priority', 'model_id'];
    const isWrong = others(asked, known).length > 0 || asked.endpoint !== '/v1/chat/completions';
    return isWrong ? 'wrong members' : null;
  }

  protected problemOfLine(line: Readonly<Record<string, unknown>>): string | null {
    return others(line, ['custom_id', 'body']).length > 0 ? 'unknown members' : null;
  }

  /** There is no status for a batch that is being cancelled, and members without a value are absent. */
  protected shown({ id, fileId, asked, createdAtS, lines, status, outputId, errorId }: SimulatedBatch): object {
    return {
      ...{ id, user_id: 'user-up', input_file_id: fileId, file_size_bytes: lines.length, endpoint: asked.endpoint },
      ...{ status: status === 'cancelling' ? 'IN_PROGRESS' : status.toUpperCase(), progress: 0 },
      ...{ created_at: new Date(createdAtS * 1000).toISOString() },
      ...(outputId !== null && { output_file_id: outputId }),
      ...(errorId !== null && { error_file_id: errorId }),
    };
  }

  protected override created(batch: SimulatedBatch): object {
    return { job: this.shown(batch), warning: '' };
  }

  protected listed(): Response {
    return Response.json([...this.batches].reverse().map((one) => this.shown(one)));
  }

  /** An error has no response. */
  protected override resultOf(one: Answered): object {
    if (one.status === 200) return super.resultOf(one);
    return { custom_id: one.customId, error: { message: 'Broken.', code: 'invalid_request' } };
  }
}
