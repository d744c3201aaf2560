import { Failure } from '../domain/failure/failure.ts';

/*
 * Failures for a file of a prompt that cannot be fetched. The client chose the URL, so all failures but a full queue or memory are the
 * client's. A message names only the host, since paths and queries may contain signatures, and never the resolved address, which would
 * reveal the network behind the gateway.
 */

const INLINE = 'send the data inline (base64) instead';

export function invalidUrl(): Failure {
  return refuse('invalid_url', 'The media URL is not a valid URL.', `Use an https URL, or ${INLINE}.`);
}

export function urlTooLong(limit: number): Failure {
  return refuse('invalid_url', `The media URL is longer than ${limit} characters.`, `Use a shorter one, or ${INLINE}.`);
}

export function wrongScheme(place: string, protocol: string, allowHttp: boolean): Failure {
  const shown = protocol.slice(0, 20);
  const what = `${place} has the scheme "${shown}", but media is fetched from ${allowHttp ? 'http and https' : 'https'} URLs only.`;
  const operator = shown === 'http:' ? ', or ask the admin to set media.allow_http' : '';
  return refuse('scheme', what, `Use an https URL, or ${INLINE}${operator}.`);
}

export function credentialsInUrl(place: string): Failure {
  return refuse(
    'credentials',
    `The URL of ${place} contains a user name or password.`,
    `Use one without, or ${INLINE}.`,
  );
}

/** Returns the same message for a nonexistent name: clients must not learn which names exist in the operator's network. */
export function addressRefused(place: string): Failure {
  return refuse(
    'address_refused',
    `${place} cannot be resolved, or is at an address that this gateway does not connect to (private, loopback, link-local, metadata, reserved or its own).`,
    `Check the URL, use a public one, or ${INLINE}, or ask the admin to add the range to media.allowed_ranges.`,
  );
}

export function connectTimedOut(place: string, limitMs: number): Failure {
  return refuse(
    'connect_timeout',
    `${place} could not be reached within ${limitMs} ms.`,
    `Check the URL, or ${INLINE}.`,
  );
}

export function totalTimedOut(place: string, limitMs: number): Failure {
  const advice = `Use a faster host or a smaller file, or ${INLINE}.`;
  return refuse('total_timeout', `${place} did not deliver the file within ${limitMs} ms.`, advice);
}

export function idleTimedOut(place: string, limitMs: number): Failure {
  const advice = `Use a faster host, or ${INLINE}.`;
  return refuse('idle_timeout', `${place} sent no data for ${limitMs} ms.`, advice);
}

export function answeredWith(place: string, status: number): Failure {
  const advice = status >= 500 ? `Try again later, or ${INLINE}.` : `Check that the URL is public, or ${INLINE}.`;
  return refuse(`http_${status}`, `${place} returned status ${status}.`, advice);
}

export function encodedContent(place: string): Failure {
  const what = `${place} sent the file with a content encoding that was not requested.`;
  return refuse('content_encoding', what, `Use a host that sends it unencoded, or ${INLINE}.`);
}

export function emptyContent(place: string): Failure {
  return refuse('empty', `${place} sent an empty file.`, `Check the URL, or ${INLINE}.`);
}

export function badRedirect(place: string): Failure {
  return refuse('redirect', `${place} redirects to an invalid URL.`, `Check the URL, or ${INLINE}.`);
}

export function tooManyRedirects(place: string, limit: number): Failure {
  const what = `${place} redirects more than ${limit} times.`;
  return refuse('too_many_redirects', what, `Use the URL of the file itself, or ${INLINE}.`);
}

export function tooLarge(place: string, limitBytes: number): Failure {
  return new Failure('payload_too_large', {
    kind: 'media_too_large',
    message: `The file at ${place} is larger than ${limitBytes} bytes, the limit. Use a smaller one.`,
  });
}

/** The client did not cause this failure and may repeat the request. */
export function queueFull(): Failure {
  return new Failure('rate_limit_exceeded', {
    kind: 'media_queue_full',
    side: 'gateway',
    retry: 'never',
    retryAfterMs: 1_000,
    message: 'Too many media files are being fetched at the moment.',
    hint: `Send the request again after retry_after seconds, or ${INLINE}.`,
  });
}

/** The memory is shared with the account or with all, and is released as requests end; the client may repeat the request. */
export function memoryFull(): Failure {
  return new Failure('rate_limit_exceeded', {
    kind: 'media_memory_full',
    side: 'gateway',
    retry: 'never',
    retryAfterMs: 1_000,
    message: 'Too many bytes of media files are in memory for requests in flight.',
    hint: `Send the request again after retry_after seconds, or use smaller or fewer files.`,
  });
}

export function clientGone(): Failure {
  return new Failure('client_closed_request', { message: 'The client closed the connection.' });
}

const TLS_ERROR = /CERT|TLS|SSL|SIGNED|EPROTO|ALTNAME|ISSUER/i;

/** Converts an error of a socket or the HTTP parser. */
export function transportProblem(place: string, error: unknown): Failure {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (TLS_ERROR.test(code)) {
    return refuse(
      'tls',
      `The TLS certificate or handshake of ${place} is not valid.`,
      `Use another host, or ${INLINE}.`,
    );
  }
  const what = code.startsWith('HPE_')
    ? `${place} did not return valid HTTP.`
    : `The connection to ${place} failed or was dropped.`;
  return refuse('transport', what, `Check the URL, or ${INLINE}.`);
}

function refuse(kind: string, what: string, advice: string): Failure {
  const message = `${what.charAt(0).toUpperCase()}${what.slice(1)} ${advice}`;
  return new Failure('invalid_value', { kind: `media_${kind}`, message });
}
