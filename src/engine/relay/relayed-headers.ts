import type { AnswerHeaders } from '../../domain/http/answer-headers.ts';
import type { RelayedCall } from './relayed-call.ts';
import { uploadBase } from './upstream-place.ts';

/**
 * The request headers that the APIs use, besides those that the gateway sends with every request. All others are between the client and the
 * gateway.
 */
const SENT: readonly string[] = [
  'accept',
  'range',
  'idempotency-key',
  'openai-beta',
  'openai-safety-identifier',
  'anthropic-version',
  'anthropic-beta',
  'api-revision',
  'last-event-id',
  'x-goog-upload-protocol',
  'x-goog-upload-command',
  'x-goog-upload-offset',
  'x-goog-upload-file-name',
  'x-goog-upload-header-content-length',
  'x-goog-upload-header-content-type',
];
/** Headers that describe the encoding of a body. A body that the gateway has read has been decoded, and is sent decoded. */
const OF_BODY = { none: [], read: ['content-type'], passing: ['content-type', 'content-encoding'] } as const;

/** Response headers that describe a body or an upload. Cookies, organisation names and limits of the channel's owner are not relayed. */
const GIVEN: readonly string[] = [
  'content-type',
  'content-disposition',
  'content-range',
  'accept-ranges',
  'retry-after',
  'x-goog-upload-status',
  'x-goog-upload-size-received',
  'x-goog-upload-chunk-granularity',
  'x-goog-upload-control-url',
];
const PRINTABLE = /^[\x20-\x7e]{0,4096}$/;

/** Returns the upstream request's headers. The channel's own take precedence, because they are its credentials. */
export function sentHeaders(
  call: Pick<RelayedCall, 'header'>,
  own: Readonly<Record<string, string>>,
  body: keyof typeof OF_BODY,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of [...SENT, ...OF_BODY[body]]) {
    const value = call.header(name);
    if (value !== null && PRINTABLE.test(value)) headers[name] = value;
  }
  const version = headers['anthropic-version'];
  // Otherwise the answer's length would be that of compressed bytes, which the client does not get.
  const sent = { ...headers, ...own, 'accept-encoding': 'identity' };
  return version === undefined ? sent : { ...sent, 'anthropic-version': version };
}

/** Returns the answer's headers for the client. Stored HTML must not run at the gateway's address. */
export function givenHeaders(headers: AnswerHeaders): Record<string, string> {
  const given: Record<string, string> = {
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
  };
  for (const name of GIVEN) {
    const value = headers.get(name);
    if (value !== null && PRINTABLE.test(value)) given[name] = value;
  }
  return given;
}

/** Returns Google's address for the rest of a file, mapped to the gateway; `null` if it is not below the called API. */
export function uploadUrlHere(url: string, baseUrl: string, origin: string): string | null {
  const there = URL.parse(url);
  const uploads = URL.parse(uploadBase(baseUrl));
  if (there === null || uploads === null || there.origin !== uploads.origin) return null;
  if (!there.pathname.startsWith(`${uploads.pathname}/`)) return null;
  there.searchParams.delete('key');
  return `${origin}/upload/v1beta${there.pathname.slice(uploads.pathname.length)}?${there.searchParams}`;
}
