import { Failure } from '../../../domain/failure/failure.ts';
import type { CallTrace } from '../../call/call-trace.ts';
import type { RequestMedia } from '../../ports/media-fetcher.ts';

/** Returns the same files, noting each fetch in the trace of the call. */
export function tracedMedia(files: RequestMedia, trace: CallTrace): RequestMedia {
  return {
    fetch: async (url, options) => {
      const fromMs = trace.elapsedMs();
      const media = await files.fetch(url, options);
      trace.stepped('media', fromMs, media, false, media instanceof Failure ? undefined : media.bytes.length);
      return media;
    },
    release: () => files.release(),
  };
}
