import { Failure } from '../../domain/failure/failure.ts';
import type { OpenCall } from '../call/operation.ts';
import type { FetchedMedia, MediaFetcher, RequestMedia } from '../ports/media-fetcher.ts';

/** Fetches files at upstream URLs for one call. */
export interface CallFiles {
  readonly files: () => RequestMedia;
  readonly signal: () => AbortSignal;
}

/** The file has been made and paid for, so a failed connection is retried. */
const FETCHES = 3;

/** Fetches a file that an upstream made. `unreadable` makes the failure from the last error. */
export async function fetchMade(
  url: string,
  { files, signal }: CallFiles,
  unreadable: (failure: Failure) => Failure,
): Promise<FetchedMedia | Failure> {
  for (let fetches = 1; ; fetches++) {
    const media = await files().fetch(url, { signal: signal() });
    if (!(media instanceof Failure) || signal().aborted) return media;
    if (fetches === FETCHES) return unreadable(media);
  }
}

/**
 * Returns the failure for a result that cannot be read. The URL is the upstream's, so the client made no error, and another upstream would
 * make, and charge, everything again.
 */
export function unreadableResult(message: string, { kind }: Failure): Failure {
  return new Failure('upstream_error', { kind: `result_${kind}`, message, retry: 'never' });
}

/** Returns a function that opens the request's files on first use. */
export function filesOf(media: MediaFetcher, accountId: string, outcome: OpenCall['outcome']): () => RequestMedia {
  let opened: RequestMedia | null = null;
  return () => {
    if (opened === null) {
      const files = media.open(accountId);
      outcome.whenOver(() => files.release());
      opened = files;
    }
    return opened;
  };
}
