import { CAPTURE_HEADER } from '../../domain/access/account.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { FormRules } from '../../domain/media/uploaded-file.ts';
import type { CallCapture } from '../captures/call-capture.ts';
import type { OutboundStream } from './client-stream.ts';
import type { FormInbound, Inbound } from './operation.ts';
import type { Outbound } from './responder.ts';

const utf8 = new TextEncoder();

type AnswerCapture = Pick<CallCapture, 'answers' | 'said' | 'end'>;

/**
 * Returns whether the client declines the capture of its request. Any value of the header but `none` is refused: a misspelled one must not
 * have the prompt stored.
 */
export function declinesCapture(inbound: Pick<Inbound, 'header'>): boolean | Failure {
  const value = inbound.header(CAPTURE_HEADER);
  if (value === null) return false;
  if (value.trim().toLowerCase() === 'none') return true;
  return new Failure('invalid_value', {
    message: `The header \`${CAPTURE_HEADER}\` has only the value \`none\`.`,
    param: CAPTURE_HEADER,
    hint: `Send \`${CAPTURE_HEADER}: none\` to have this request not captured, or leave the header out.`,
  });
}

/** Returns the same call, capturing what is read of its body. */
export function overheard<In extends Inbound>(inbound: In, capture: Pick<CallCapture, 'asked' | 'askedByForm'>): In {
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
  // Everything else is inherited from the call, whatever it is.
  return Object.create(inbound, own) as In;
}

function takesForms(inbound: Inbound): inbound is FormInbound {
  return 'readForm' in inbound;
}

/** Returns the same response, capturing what is sent of it. */
export function noted(outbound: Outbound, capture: AnswerCapture): Outbound {
  capture.answers(outbound.headers['content-type'] ?? null);
  if (outbound.kind === 'stream') return { ...outbound, stream: new NotedStream(outbound.stream, capture) };
  const { body } = outbound;
  capture.said(typeof body === 'string' ? utf8.encode(body) : body);
  capture.end();
  return outbound;
}

/** Captures the pieces that the client takes. Pings between them are not part of the answer. */
class NotedStream implements OutboundStream {
  constructor(
    private readonly stream: OutboundStream,
    private readonly capture: AnswerCapture,
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

  refuse(failure: Failure): Uint8Array | null {
    const frame = this.stream.refuse?.(failure) ?? null;
    if (frame !== null) this.capture.said(frame);
    this.capture.end();
    return frame;
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
