import type { Outbound } from '../../engine/call/answering.ts';
import type { OutboundStream } from '../../engine/call/client-stream.ts';
import type { BodyLease } from './body-budget.ts';

/** The response for an answer of the engine. The memory of the request's body is given back when the answer is over. */
export function toResponse(outbound: Outbound, lease: BodyLease): Response {
  if (outbound.kind === 'whole') {
    lease.end();
    return new Response(outbound.body, { status: outbound.status, headers: outbound.headers });
  }
  return new Response(readable(outbound.stream, lease), { status: 200, headers: outbound.headers });
}

/** Pulled only when the client has room: with a mark of 0 nothing is read ahead. */
function readable(stream: OutboundStream, lease: BodyLease): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stream.onPing = (bytes) => controller.enqueue(bytes);
      },
      pull: (controller) =>
        stream.next().then(
          (piece) => {
            if (piece !== null) {
              controller.enqueue(piece);
              return;
            }
            lease.end();
            if (stream.isCut) throw new Error('the answer was cut off');
            controller.close();
          },
          (error: unknown) => {
            lease.end();
            throw error;
          },
        ),
      cancel() {
        lease.end();
        stream.clientLeft();
      },
    },
    { highWaterMark: 0 },
  );
}
