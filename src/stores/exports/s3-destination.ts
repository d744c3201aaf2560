import { describeError } from '../../domain/text/describe-error.ts';
import type { ExportBatch, ExportDestination, ExportedLine } from '../../engine/ports/export-destination.ts';
import type { S3Bucket } from '../../engine/ports/s3-bucket.ts';
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
        await within(UPLOAD_MS, this.client.write(key, bytes, { type: PARQUET_TYPE }));
      },
    });
  }

  /** Writes an object and deletes it, since permission to list says nothing about permission to write. */
  async check(): Promise<readonly string[]> {
    const key = `${this.options.bucket.prefix}_switchyard_probe_${crypto.randomUUID()}`;
    try {
      await within(S3_REQUEST_MS, this.client.write(key, 'probe'));
    } catch (error) {
      const { error: reason } = describeError(error);
      return [
        `an object cannot be written (${reason}): check endpoint, region, bucket, keys and permissions (s3:PutObject)`,
      ];
    }
    try {
      await within(S3_REQUEST_MS, this.client.delete(key));
      return [];
    } catch (error) {
      const { error: reason } = describeError(error);
      return [
        `the object ${key} was written but cannot be deleted (${reason}): exports work without; delete it yourself`,
      ];
    }
  }

  close(): Promise<void> {
    return this.thread.close();
  }
}

/** Query engines skip folders by these names. */
function hourOf({ record: { atMs } }: ExportedLine): string {
  // A line without a valid time is left out when it is encoded.
  const at = Number.isFinite(atMs) && Math.abs(atMs) < 8.64e15 ? new Date(atMs).toISOString() : '1970-01-01T00';
  return `dt=${at.slice(0, 10)}/hour=${at.slice(11, 13)}`;
}
