import type { Channel } from '../../domain/catalog/channel.ts';
import { Failure, type FailureDetails } from '../../domain/failure/failure.ts';
import { KnownSecrets } from '../../domain/text/known-secrets.ts';
import { percentDecoded } from '../../domain/text/percent-decoded.ts';

type Headers = Readonly<Record<string, string>>;

/** The number of recent requests whose signatures may still be quoted in an answer. */
const REMEMBERED_SIGNATURES = 16;
/** Matches the names of secret members in credential files and settings. */
const SECRET_NAME = /key|secret|token|password|passwd|credential|signature/i;
const DEEPEST = 8;

/**
 * The secrets that authorize a channel's requests. `cleaned` removes them from the texts of every upstream failure before any other code
 * reads them. Successful answers are not changed.
 */
export class UpstreamSecrets {
  private readonly known: KnownSecrets;
  private readonly signed: Headers[] = [];
  private signatures = 0;

  constructor(channel: Secretive) {
    this.known = new KnownSecrets(() => secretsOf(channel));
  }

  /** Remembers the headers that authorize one request; some, such as access tokens, stay valid for long. */
  sent(headers: Headers): void {
    this.signed[this.signatures++ % REMEMBERED_SIGNATURES] = headers;
  }

  /** Returns the failure with secrets removed from all its texts; the same object if it has none. */
  cleaned(failure: Failure): Failure {
    const recent = this.signed.length === 0 ? null : new KnownSecrets(() => this.signed.flatMap(signaturesIn));
    const redact = (text: string) => this.known.redact(recent === null ? text : recent.redact(text));
    const { publicCode, kind, ...details } = failure.details;
    const clean = redactedIn(details, redact, 0) as Omit<FailureDetails, 'publicCode' | 'kind'>;
    const code = publicCode === undefined ? undefined : redact(publicCode);
    if (clean === details && code === publicCode) return failure;
    return new Failure(failure.code, {
      ...clean,
      ...(kind === undefined ? {} : { kind }),
      // A code that contained a secret is meaningless.
      ...(code === undefined || code !== publicCode ? {} : { publicCode: code }),
    });
  }
}

/** Returns the value with every text in it redacted; the same value if nothing changed. */
function redactedIn(value: unknown, redact: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => redactedIn(item, redact, depth + 1));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  const members = Object.entries(value).map(([name, member]) => [name, redactedIn(member, redact, depth + 1)] as const);
  const before: Readonly<Record<string, unknown>> = { ...value };
  return members.some(([name, member]) => member !== before[name]) ? Object.fromEntries(members) : value;
}

/** The parts of a channel that may hold secrets. */
type Secretive = Pick<Channel, 'apiKey' | 'apiKeys' | 'settings' | 'baseUrl'>;

function secretsOf({ apiKey, apiKeys = [], settings, baseUrl }: Secretive): string[] {
  const keys = [apiKey, ...apiKeys.map(({ key }) => key)];
  const ofKeys = [...new Set(keys)].flatMap((key) => secretsInKey(key ?? ''));
  return ofKeys.concat(secretsIn(settings, 0), secretsInAddress(baseUrl));
}

/** Returns a key and its parts (AWS), or the secret members of a credential file (Google). */
function secretsInKey(apiKey: string): string[] {
  if (!apiKey.trimStart().startsWith('{')) return [apiKey, ...apiKey.split(/[:;,|\s]+/)];
  try {
    return secretsIn(JSON.parse(apiKey), 0);
  } catch {
    return [apiKey];
  }
}

function secretsIn(value: unknown, depth: number): string[] {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (typeof member !== 'string') return secretsIn(member, depth + 1);
    // A `token_uri` is public, and PEM header lines are the same in every key.
    if (!SECRET_NAME.test(name) || /^https?:/.test(member)) return [];
    return member.replace(/-----[A-Z ]+-----/g, '').split(/\s+/);
  });
}

function secretsInAddress(address: string | null): string[] {
  const url = address === null ? null : URL.parse(address);
  if (url === null) return [];
  const named = [...url.searchParams].flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : []));
  return [url.username, url.password, ...named].flatMap((part) => [part, percentDecoded(part) ?? part]);
}

/** In AWS's `authorization` header only the signature is secret, and error messages quote the rest. */
function signaturesIn(headers: Headers): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (name.toLowerCase() !== 'authorization') return SECRET_NAME.test(name) ? [value] : [];
    return [...value.matchAll(/\b(?:Bearer\s+|Signature=)(\S+)/g)].map(([, secret = '']) => secret);
  });
}
