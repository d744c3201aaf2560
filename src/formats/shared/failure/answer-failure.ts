import { Failure } from '../../../domain/failure/failure.ts';

/*
 * Failures of responses with status 200. All upstream formats use the same messages; `kind` tells the causes apart in logs and
 * metrics.
 */

export function bodyNotJson(): Failure {
  return garbage('The upstream answered 200 with a body that is not JSON.');
}

export function eventNotJson(): Failure {
  return garbage('The upstream sent an event that is not JSON.');
}

/** Returns the failure for a JSON body that is not an answer of the upstream's own format. */
export function bodyNoAnswer(): Failure {
  return garbage('The upstream answered 200 with a body that is not a valid response.');
}

export function garbage(message: string): Failure {
  return new Failure('upstream_error', { kind: 'garbage', message });
}

export function truncatedStream(): Failure {
  return new Failure('upstream_error', {
    kind: 'truncated_stream',
    message: 'The upstream ended the stream before the response was complete.',
  });
}

export function emptyStream(): Failure {
  return new Failure('upstream_error', {
    kind: 'empty_stream',
    message: 'The upstream answered 200 with an empty stream.',
  });
}

/** Returns the failure for an event that exceeds `MAX_EVENT_BYTES`, of which the splitter passes nothing through. */
export function eventTooLarge(): Failure {
  return new Failure('upstream_error', {
    kind: 'event_too_large',
    message: 'The upstream sent an event that is too large.',
  });
}
