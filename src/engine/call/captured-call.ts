import { Failure } from '../../domain/failure/failure.ts';
import type { FormRules } from '../../domain/media/uploaded-file.ts';
import type { CallCapture } from '../captures/call-capture.ts';
import type { Outbound } from './answering.ts';
import type { OutboundStream } from './client-stream.ts';
import type { FormInbound, Inbound } from './operation.ts';

const utf8 = new TextEncoder();

/** The same call; what is read of its body is noted, too. */
export function overheard<In extends Inbound>(inbound: In, capture: CallCapture): In {
  const readBody = async (accountId: string) => {
    const body = await inbound.readBody(accountId);
    if (!(body instanceof Failure)) capture.asked(body);
    return body;
  };
  const own: PropertyDescriptorMap = { readBody: { value: readBody } };
  if (takesForms(inbound)) {
    const readForm = (accountId: string, rules: FormRules) => {
      capture.askedByForm();
      return inbound.readForm(accountId, rules);
    };
    own.readForm = { value: readForm };
  }
  // All else is the call's own, whatever it is.
  return Object.create(inbound, own) as In;
}

function takesForms(inbound: Inbound): inbound is FormInbound {
  return 'readForm' in inbound;
}

/** The same answer; what is sent of it is noted, too. */
export function noted(outbound: Outbound, capture: CallCapture): Outbound {
  capture.answers(outbound.headers['content-type'] ?? null);
  if (outbound.kind === 'stream') return { ...outbound, stream: new NotedStream(outbound.stream, capture) };
  const { body } = outbound;
  capture.said(typeof body === 'string' ? utf8.encode(body) : body);
  capture.end();
  return outbound;
}

/** Notes the pieces that the client takes; the pings between them are not part of the answer. */
class NotedStream implements OutboundStream {
  constructor(
    private readonly stream: OutboundStream,
    private readonly capture: CallCapture,
  ) {}

  next(): Promise<Uint8Array | null> {
    return this.stream.next().then((piece) => {
      if (piece === null) this.capture.end();
      else this.capture.said(piece);
      return piece;
    });
  }

  clientLeft(): void {
    this.stream.clientLeft();
    this.capture.end();
  }

  get isCut(): boolean {
    return this.stream.isCut;
  }

  get onPing(): ((bytes: Uint8Array) => void) | null {
    return this.stream.onPing;
  }

  set onPing(send: ((bytes: Uint8Array) => void) | null) {
    this.stream.onPing = send;
  }
}
