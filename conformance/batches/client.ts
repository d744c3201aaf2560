import OpenAI, { toFile } from 'openai';
import { until } from '../shared/until.ts';

/* Batches as OpenAI's SDK makes and reads them. */

export interface ResultLine {
  readonly custom_id: string;
  readonly response: {
    readonly status_code: number;
    readonly request_id: string;
    readonly body: Readonly<Record<string, unknown>>;
  } | null;
  readonly error: { readonly code: string } | null;
}

export type Endpoint = OpenAI.BatchCreateParams['endpoint'];

const LOOK_EVERY_MS = 100;
const ENDED = ['completed', 'failed', 'cancelled', 'expired'];

/** Returns one line of an input file. */
export function inputLine(customId: string, url: Endpoint, body: object): string {
  return JSON.stringify({ custom_id: customId, method: 'POST', url, body });
}

export function chatBody(model: string): object {
  return { model, max_tokens: 20, messages: [{ role: 'user', content: 'Hello' }] };
}

/** A key's client. `port` is asked before each request, because a gateway that is restarted may have another one. */
export class BatchClient {
  constructor(
    private readonly apiKey: string,
    private readonly port: () => number,
  ) {}

  get openai(): OpenAI {
    return new OpenAI({ apiKey: this.apiKey, baseURL: `http://127.0.0.1:${this.port()}/v1`, maxRetries: 0 });
  }

  async begin(endpoint: Endpoint, lines: readonly string[]): Promise<OpenAI.Batch> {
    const { files, batches } = this.openai;
    const content = await toFile(Buffer.from(`${lines.join('\n')}\n`), 'lines.jsonl');
    const file = await files.create({ purpose: 'batch', file: content });
    return batches.create({ input_file_id: file.id, endpoint, completion_window: '24h' });
  }

  batch(id: string): Promise<OpenAI.Batch> {
    return this.openai.batches.retrieve(id);
  }

  async ended(id: string): Promise<OpenAI.Batch> {
    let batch = await this.batch(id);
    await until('the batch has ended', async () => {
      // Real time: the gateway must not be busy with this question.
      await Bun.sleep(LOOK_EVERY_MS);
      batch = await this.batch(id);
      return ENDED.includes(batch.status);
    });
    return batch;
  }

  /** Resolves to the lines of an output or error file; to none for a batch without it. */
  async lines(fileId: string | null | undefined): Promise<readonly ResultLine[]> {
    if (fileId == null) return [];
    const text = await (await this.openai.files.content(fileId)).text();
    return text
      .trimEnd()
      .split('\n')
      .map((json): ResultLine => JSON.parse(json));
  }
}
