import { S3Client } from 'bun';

/** A single request that is not an upload is cancelled after this time. */
export const S3_REQUEST_MS = 15_000;

export class S3Silent extends Error {}

/** A bucket of an S3-compatible object store, with the keys to it. */
export interface S3Bucket {
  readonly bucket: string;
  readonly region: string | null;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

/** @param endpoint `null` for Amazon's endpoint of the region */
export function s3Client(place: S3Bucket, endpoint: string | null): S3Client {
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
