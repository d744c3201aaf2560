import { describeError } from '../../domain/text/describe-error.ts';
import type { ExportBatch, ExportDestination, ExportedLine } from '../../engine/ports/export-destination.ts';
import type { S3Bucket } from '../../engine/ports/s3-bucket.ts';
import { errorCodeOf } from '../shared/error-code.ts';
import { S3_REQUEST_MS, s3Client, within } from '../shared/s3-client.ts';
import { ParquetBatch } from './parquet-batch.ts';
import { ParquetThread } from './parquet-thread.ts';

const PARQUET_TYPE = 'application/vnd.apache.parquet';
/** Enough for a file of the largest size at 1 MB/s. */
const UPLOAD_MS = 300_000;

interface S3DestinationOptions {
  readonly exportId: string;
  readonly bucket: S3Bucket;
  /** The name and version of the program, for the files. */
  readonly writtenBy: string;
}

/**
 * Writes Parquet files as `<prefix>dt=YYYY-MM-DD/hour=HH/<export>-<first line>-<last line>-<hash>.parquet`. The lines of a batch are in the
 * folder of the hour (UTC) in which they arrived. A batch that is sent again replaces its own files.
 */
export class S3Destination implements ExportDestination {
  private readonly client: ReturnType<typeof s3Client>;
  private readonly thread: ParquetThread;

  constructor(private readonly options: S3DestinationOptions) {
    const { bucket, writtenBy } = options;
    this.client = s3Client(bucket, bucket.endpoint);
    this.thread = new ParquetThread(writtenBy);
  }

  open(): ExportBatch {
    const { exportId, bucket } = this.options;
    return new ParquetBatch({
      thread: this.thread,
      partOf: hourOf,
      send: async ({ part, name, bytes }) => {
        const key = `${bucket.prefix}${part}/${exportId}-${name}.parquet`;
        await named(within(UPLOAD_MS, this.client.write(key, bytes, { type: PARQUET_TYPE })));
      },
    });
  }

  /** Writes an object and deletes it, since permission to list says nothing about permission to write. */
  async check(): Promise<readonly string[]> {
    const key = `${this.options.bucket.prefix}_switchyard_probe_${crypto.randomUUID()}`;
    try {
      await named(within(S3_REQUEST_MS, this.client.write(key, 'probe')));
    } catch (error) {
      const { error: reason } = describeError(error);
      return [
        `an object cannot be written (${reason}): check endpoint, region, bucket, keys and permissions (s3:PutObject)`,
      ];
    }
    if (await this.acceptsEverything()) {
      return [
        'the endpoint accepts every request, so it is not an object store: check endpoint (it is the address of the API, not of a console)',
      ];
    }
    try {
      await named(within(S3_REQUEST_MS, this.client.delete(key)));
      return [];
    } catch (error) {
      const { error: reason } = describeError(error);
      return [
        `the object ${key} was written but cannot be deleted (${reason}): exports work without; delete it yourself`,
      ];
    }
  }

  /** An object store says that an unknown object is missing, or that this must not be asked. */
  private acceptsEverything(): Promise<boolean> {
    const unknown = `${this.options.bucket.prefix}_switchyard_unknown_${crypto.randomUUID()}`;
    return within(S3_REQUEST_MS, this.client.exists(unknown)).catch(() => false);
  }

  close(): Promise<void> {
    return this.thread.close();
  }
}

/** Adds the code of an error to its message: if the server cannot be reached, the message is only `an unexpected error has occurred`. */
async function named<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const code = errorCodeOf(error);
    if (!(error instanceof Error) || code === null) throw error;
    throw new Error(`${code}: ${error.message}`, { cause: error });
  }
}

/** Query engines skip folders by these names. */
function hourOf({ record: { atMs } }: ExportedLine): string {
  // A line without a valid time is left out when it is encoded.
  const at = Number.isFinite(atMs) && Math.abs(atMs) < 8.64e15 ? new Date(atMs).toISOString() : '1970-01-01T00';
  return `dt=${at.slice(0, 10)}/hour=${at.slice(11, 13)}`;
}
