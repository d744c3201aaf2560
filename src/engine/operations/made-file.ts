import { Failure } from '../../domain/failure/failure.ts';
import type { OpenCall } from '../call/operation.ts';
import type { FetchedMedia, MediaFetcher, RequestMedia } from '../ports/media-fetcher.ts';

/** Fetches for one call what upstreams keep at a URL. */
export interface CallFiles {
  readonly files: () => RequestMedia;
  readonly signal: () => AbortSignal;
}

/** The file has been made and paid for, so a connection that fails once is no reason to give it up. */
const FETCHES = 3;

/** `unreadable` is the failure for a file that cannot be fetched, from what went wrong at last. */
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

/** The URL is the upstream's, so the client has made no mistake, and another upstream would make, and charge, it all again. */
export function unreadableResult(message: string, { kind }: Failure): Failure {
  return new Failure('upstream_error', { kind: `result_${kind}`, message, retry: 'never' });
}

/** Opened when the first file is to be fetched. */
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
