import type { OutboundStream } from '../../engine/call/client-stream.ts';
import type { Outbound } from '../../engine/call/responder.ts';
import type { AnswerHeaders } from './answer-headers.ts';
import type { BodyLease } from './body-budget.ts';
import { asStreamed } from './streamed-responses.ts';

/** Converts an answer of the engine into a response. The memory of the request's body is released when the answer has ended. */
export function toResponse(outbound: Outbound, lease: BodyLease, answerHeaders: AnswerHeaders): Response {
  const headers = answerHeaders.of(outbound.headers);
  if (outbound.kind === 'whole') {
    if (outbound.stillHolds === undefined) lease.end();
    else void outbound.stillHolds.finally(() => lease.end());
    return new Response(outbound.body, { status: outbound.status, headers });
  }
  return asStreamed(new Response(readable(outbound.stream, lease), { status: 200, headers }));
}

/** Returns a stream that pulls only when the client has room: a high-water mark of 0 prevents reading ahead. */
function readable(stream: OutboundStream, lease: BodyLease): ReadableStream<Uint8Array> {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  // Created once rather than for every piece.
  const onPiece = (piece: Uint8Array | null) => {
    if (piece !== null) {
      controller.enqueue(piece);
      return;
    }
    lease.end();
    if (stream.isCut) throw new Error('the response was cut off');
    controller.close();
  };
  const onError = (error: unknown) => {
    lease.end();
    throw error;
  };
  return new ReadableStream<Uint8Array>(
    {
      start(started) {
        controller = started;
        stream.onPing = (bytes) => started.enqueue(bytes);
      },
      pull: () => stream.next().then(onPiece, onError),
      cancel() {
        lease.end();
        stream.clientLeft();
      },
    },
    { highWaterMark: 0 },
  );
}
