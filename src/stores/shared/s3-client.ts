import { S3Client } from 'bun';
import type { S3Bucket } from '../../engine/ports/s3-bucket.ts';

/** A single request that is not an upload is cancelled after this time. */
export const S3_REQUEST_MS = 15_000;

export class S3Silent extends Error {}

/** @param endpoint `null` for Amazon's endpoint of the region */
export function s3Client(place: Omit<S3Bucket, 'endpoint' | 'prefix'>, endpoint: string | null): S3Client {
  return new S3Client({
    bucket: place.bucket,
    accessKeyId: place.accessKeyId,
    secretAccessKey: place.secretAccessKey,
    ...(endpoint === null ? {} : { endpoint }),
    ...(place.region === null ? {} : { region: place.region }),
    ...(place.sessionToken === null ? {} : { sessionToken: place.sessionToken }),
  });
}

/** Rejects with `S3Silent` if the work takes longer. */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new S3Silent('the object storage does not respond')), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
