import type { Batch } from '../../../domain/batches/batch.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { parseJsonBytes } from '../../../formats/shared/json/json-text.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';
import type { BatchStore, StoredResult } from '../../ports/batch-store.ts';
import type { FileStore } from '../../ports/file-store.ts';
import type { RelayedStream } from '../../relay/relayed-call.ts';
import { FileRanges, fileGone } from '../file-reader.ts';
import { messageResult, unrunResult } from './message-result.ts';

/** The results that are in memory at once, in bytes of JSON. */
const AT_ONCE_BYTES = 512 * 1024;

export interface MessageResultsPorts {
  readonly batches: Pick<BatchStore, 'results'>;
  readonly files: Pick<FileStore, 'chunk'>;
}

/** Streams the results of a batch in the order of its requests, as fast as the client takes them. */
export class MessageResults implements RelayedStream {
  private readonly input: FileRanges;
  private after = 0;
  private hasLeft = false;

  constructor(
    private readonly ports: MessageResultsPorts,
    private readonly batch: Pick<Batch, 'id' | 'inputFileId'>,
  ) {
    this.input = new FileRanges(ports.files, batch.inputFileId);
  }

  async next(): Promise<Uint8Array | null | Failure> {
    const results = this.hasLeft ? [] : await this.ports.batches.results(this.batch.id, this.after, AT_ONCE_BYTES);
    if (results.length === 0) return null;
    let text = '';
    for (const result of results) {
      const line = result.json === null ? await this.unrun(result) : messageResult(result.json);
      // A batch without its requests cannot say which of them did not run.
      if (line === null) return fileGone();
      text += line;
      this.after = result.number;
    }
    return new TextEncoder().encode(text);
  }

  clientLeft(): void {
    this.hasLeft = true;
  }

  private async unrun({ offset, bytes, outcome }: StoredResult): Promise<string | null> {
    const line = await this.input.read(offset, bytes);
    const request = line === null ? null : parseJsonBytes(line);
    if (!isRecord(request) || typeof request.custom_id !== 'string') return null;
    return unrunResult(request.custom_id, outcome);
  }
}
