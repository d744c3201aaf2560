import { RequestSplitter } from '../../../domain/batches/request-splitter.ts';
import type { StoredFile } from '../../../domain/batches/stored-file.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FileStore } from '../../ports/file-store.ts';
import type { PassingBody, RelayedCall } from '../../relay/relayed-call.ts';
import type { FileSettings } from '../../settings/settings.ts';
import { quotaFailure } from '../account-files.ts';
import { SeenIds } from '../batch-line.ts';
import { FileWriter, UPLOAD_MS } from '../file-writer.ts';
import { messageLine } from './message-line.ts';

export interface RequestBounds {
  /** The most bytes of the body. */
  readonly bodyBytes: number;
  /** The most bytes of one request. */
  readonly requestBytes: number;
  /** The most requests of a batch. */
  readonly requests: number;
}

export interface RequestsFilePorts {
  readonly files: FileStore;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly bounds: RequestBounds;
  readonly fileSettings: FileSettings;
}

/** More than a request grows by when it becomes a line. */
const ADDED_BYTES = 64;
/** The file is kept for this long beyond the time of the settings, because its batch may run for a day. */
const KEPT_LONGER_MS = 86_400_000;

/** The input file of a message batch, which is written while the requests arrive. */
export class RequestsFile {
  readonly id: string;

  constructor(
    private readonly ports: RequestsFilePorts,
    private readonly owner: Pick<StoredFile, 'id' | 'accountId' | 'keyId'>,
  ) {
    this.id = owner.id;
  }

  /** Resolves to the number of requests. Nothing is left of a body that is refused. */
  async receive(call: RelayedCall): Promise<number | Failure> {
    const encoding = call.header('content-encoding') ?? 'identity';
    if (encoding.toLowerCase() !== 'identity') {
      return new Failure('unsupported_content_type', {
        message: 'The requests of a message batch must not be compressed: send them without `Content-Encoding`.',
        status: 415,
      });
    }
    const { bodyBytes } = this.ports.bounds;
    if (call.bodyBytes !== null && call.bodyBytes > bodyBytes) return tooLarge(bodyBytes);
    const body = call.passBody(this.owner.accountId);
    if (body instanceof Failure) return body;
    if (body === null) return new Failure('empty_body', { message: 'The request body is empty.' });
    const createdAtMs = Math.floor(this.ports.clock.nowMs());
    const { files, fileSettings } = this.ports;
    const { accountId } = this.owner;
    const file: StoredFile = {
      ...this.owner,
      purpose: 'batch',
      name: 'requests.jsonl',
      bytes: this.mostBytes(call),
      createdAtMs,
      expiresAtMs: createdAtMs + UPLOAD_MS,
      isWhole: false,
    };
    const most = { files: fileSettings.maxFiles, bytes: fileSettings.maxBytes };
    if (!(await files.createWithin(file, most))) {
      return quotaFailure(await files.amountOf(accountId), fileSettings);
    }
    let isKept = false;
    try {
      const lines = await this.write(body);
      isKept = !(lines instanceof Failure);
      return lines;
    } finally {
      if (!isKept) await this.remove();
    }
  }

  async remove(): Promise<void> {
    await this.ports.files.delete(this.owner.id, this.owner.accountId).catch(() => false);
  }

  /** Returns the size that the file can reach. */
  private mostBytes(call: RelayedCall): number {
    const { bodyBytes, requests } = this.ports.bounds;
    const bytes = call.bodyBytes ?? bodyBytes;
    return bytes + Math.min(requests * ADDED_BYTES, bytes * 2);
  }

  private async write(body: PassingBody): Promise<number | Failure> {
    const { files, bounds, clock, fileSettings } = this.ports;
    const writer = new FileWriter(files, this.owner.id);
    const splitter = new RequestSplitter(bounds.requestBytes);
    const ids = new SeenIds();
    const reader = body.stream.getReader();
    let received = 0;
    try {
      for (;;) {
        const piece = await next(reader, body);
        if (piece instanceof Failure) return piece;
        if (piece === null) break;
        received += piece.length;
        if (received > bounds.bodyBytes) return tooLarge(bounds.bodyBytes);
        for (const request of splitter.push(piece)) {
          const line = messageLine(request, ids.size);
          if (line instanceof Failure) return line;
          if (ids.isKnown(line.customId)) return repeated(line.customId, ids.size);
          if (ids.size > bounds.requests) return tooMany(bounds.requests);
          if (!(await writer.write(new TextEncoder().encode(line.json)))) return removed();
        }
        if (splitter.failure !== null) return splitter.failure;
      }
    } finally {
      // Does nothing if the body has ended.
      await reader.cancel().catch(() => undefined);
    }
    const broken = splitter.finish();
    if (broken !== null) return broken;
    if (ids.size === 0) return empty();
    const expiresAtMs = Math.floor(clock.nowMs()) + KEPT_LONGER_MS + fileSettings.keepMs;
    return (await writer.finish(expiresAtMs)) ? ids.size : removed();
  }
}

interface Reader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
}

/** Resolves to the next bytes, `null` at the end, or why the body ended early. */
async function next(reader: Reader, body: PassingBody): Promise<Uint8Array | null | Failure> {
  try {
    const { done, value } = await reader.read();
    return done || value === undefined ? null : value;
  } catch (error) {
    if (body.failure !== null) return body.failure;
    throw error;
  }
}

function tooLarge(limitBytes: number): Failure {
  return new Failure('payload_too_large', {
    message: `The requests of a message batch may have ${limitBytes} bytes together.`,
    hint: 'Create several batches.',
  });
}

function tooMany(limit: number): Failure {
  return new Failure('invalid_value', {
    message: `\`requests\` has more than ${limit} requests, the most that a batch may have.`,
    param: 'requests',
    hint: 'Create several batches.',
  });
}

function empty(): Failure {
  return new Failure('invalid_value', { message: '`requests` must have at least one request.', param: 'requests' });
}

function repeated(customId: string, index: number): Failure {
  return new Failure('invalid_value', {
    message: `\`requests[${index}].custom_id\` is \`${customId}\`, as in an earlier request; each must be used once.`,
    param: `requests[${index}].custom_id`,
  });
}

/** Returns the failure for requests whose file was deleted before their batch was there. */
export function removed(): Failure {
  return new Failure('conflict', { message: 'The requests were deleted while they arrived.', kind: 'file_deleted' });
}
