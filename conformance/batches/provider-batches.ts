import { type Fields, FileBatchUpstream, others, type SimulatedBatch } from './file-batch-upstream.ts';

const CHAT = '/v1/chat/completions';

/** OpenAI's files and batches as a strict upstream. */
export class ProviderBatches extends FileBatchUpstream {
  protected readonly prefix: string = '/v1/';
  protected readonly batchesAt = 'batches';

  protected refuse(status: number, message: string): Response {
    return Response.json({ error: { message, type: 'invalid_request_error', param: null, code: null } }, { status });
  }

  protected problemOfForm(form: Fields): string | null {
    return form.get('purpose') === 'batch' ? null : 'purpose is required';
  }

  protected fileIn(asked: Readonly<Record<string, unknown>>): unknown {
    return asked.input_file_id;
  }

  protected problemOfCreation(asked: Readonly<Record<string, unknown>>): string | null {
    const unknown = others(asked, ['input_file_id', 'endpoint', 'completion_window', 'metadata']);
    return asked.endpoint === CHAT && asked.completion_window === '24h' && unknown.length === 0
      ? null
      : 'wrong members';
  }

  protected problemOfLine(line: Readonly<Record<string, unknown>>): string | null {
    const unknown = others(line, ['custom_id', 'method', 'url', 'body']);
    if (unknown.length > 0) return `unknown members: ${unknown}`;
    return line.method === 'POST' && line.url === CHAT ? null : 'method and url must be those of the batch';
  }

  protected shown({ id, fileId, asked, createdAtS, lines, status, outputId, errorId }: SimulatedBatch): object {
    return {
      ...{ id, object: 'batch', endpoint: CHAT, completion_window: '24h', metadata: asked.metadata, status },
      ...{ input_file_id: fileId, created_at: createdAtS, output_file_id: outputId, error_file_id: errorId },
      request_counts: { total: lines.length, completed: 0, failed: 0 },
    };
  }

  protected listed(params: URLSearchParams): Response {
    if (Number(params.get('limit')) > 100) return this.refuse(400, 'limit must be at most 100');
    return Response.json({ object: 'list', data: this.batches.map((one) => this.shown(one)), has_more: false });
  }
}
