import type { Failure } from '../../domain/failure/failure.ts';
import type { PassingBody } from '../../engine/relay/relayed-call.ts';
import { cutShort, received, tooLarge } from './body.ts';
import type { ClientRequest } from './route.ts';
import type { Upload, Uploads } from './uploads.ts';

type Bytes = Uint8Array<ArrayBuffer>;

export interface PassingBounds {
  readonly accountId: string;
  readonly limitBytes: number;
  readonly uploads: Uploads;
  /** `null` if the client does not announce it. */
  readonly length: number | null;
}

const HINT =
  'Upload the file in parts if the API supports it (`/v1/uploads`), or ask the admin to raise `server.max_upload_bytes`.';

/** Returns a body that is passed on as it arrives: nothing is read before the upstream has room for it, and nothing is kept. */
export function passingBody(request: ClientRequest, bounds: PassingBounds): PassingBody | Failure | null {
  const { limitBytes, length } = bounds;
  if (length !== null && length > limitBytes) return tooLarge(limitBytes, HINT);
  return request.body === null ? null : new StreamedBody(request.body, bounds);
}

/** A body that the upstream has begun to read. */
interface Coming {
  readonly upload: Upload;
  readonly pieces: AsyncIterator<Uint8Array>;
}

class StreamedBody implements PassingBody {
  readonly stream: ReadableStream<Bytes>;
  readonly length: number | null;
  failure: Failure | null = null;
  onTaken: (() => void) | null = null;

  constructor(body: ReadableStream<Uint8Array>, { accountId, limitBytes, uploads, length }: PassingBounds) {
    this.length = length;
    let coming: Coming | null = null;
    let passed = 0;
    // Starts when the upstream begins to read: an unread body would be watched for ever.
    const begun = (): Coming => {
      if (coming !== null) return coming;
      const upload = uploads.begin(accountId);
      coming = { upload, pieces: received(body, upload)[Symbol.asyncIterator]() };
      return coming;
    };
    const stop = (controller: ReadableStreamDefaultController<Bytes>, upload: Upload, failure: Failure) => {
      this.failure ??= failure;
      uploads.over(upload);
      controller.error(failure);
    };
    this.stream = new ReadableStream<Bytes>(
      {
        pull: async (controller) => {
          const { upload, pieces } = begun();
          upload.isPaused = false;
          let next: IteratorResult<Uint8Array>;
          try {
            next = await pieces.next();
          } catch {
            return stop(controller, upload, upload.failure ?? cutShort());
          }
          upload.isPaused = true;
          if (upload.failure !== null) return stop(controller, upload, upload.failure);
          if (next.done) {
            uploads.over(upload);
            return controller.close();
          }
          passed += next.value.length;
          if (passed > limitBytes) return stop(controller, upload, tooLarge(limitBytes, HINT));
          this.onTaken?.();
          // Copies, because `fetch` may keep the array for as long as it needs it.
          controller.enqueue(new Uint8Array(next.value));
        },
        cancel: async () => {
          if (coming === null) return;
          uploads.over(coming.upload);
          await coming.pieces.return?.(undefined);
        },
      },
      { highWaterMark: 0 },
    );
  }
}
