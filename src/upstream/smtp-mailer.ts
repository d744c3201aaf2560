import { KnownSecrets } from '../domain/text/known-secrets.ts';
import { percentDecoded } from '../domain/text/percent-decoded.ts';
import {
  type Mail,
  MailError,
  type MailProblem,
  type MailRefusal,
  type MailTransport,
} from '../engine/ports/mailer.ts';
import type { MailSettings } from '../engine/settings/settings.ts';
import { cleanMessage } from '../formats/shared/failure/clean-message.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** The limit for each answer of the server. */
const ANSWER_TIMEOUT_MS = 20_000;
/** The limit for a whole email: a server that sends a byte now and then must not hold the sender. */
const WHOLE_TIMEOUT_MS = 30_000;

interface SmtpMailerOptions extends Pick<MailSettings, 'smtpUrl' | 'from'> {
  readonly wholeTimeoutMs?: number;
}

/**
 * Creates a mailer that opens a connection per mail, since mails are few. Without implicit TLS it offers STARTTLS. The library is loaded
 * with the first mail.
 */
export function createSmtpMailer({
  smtpUrl,
  from,
  wholeTimeoutMs = WHOLE_TIMEOUT_MS,
}: SmtpMailerOptions): MailTransport {
  const { hostname, port, protocol, username, password } = new URL(smtpUrl);
  const isSecure = protocol === 'smtps:';
  const auth = { user: percentDecoded(username) ?? username, pass: percentDecoded(password) ?? password };
  const server = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    ...(username === '' ? {} : { auth, requireTLS: !isSecure }),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: ANSWER_TIMEOUT_MS,
    socketTimeout: ANSWER_TIMEOUT_MS,
    // A mail is plain text: nothing in it may name a file or an address to be fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const open = async () => (await import('nodemailer')).createTransport(server);
  const words = new ServerWords(password, auth);
  let transport: ReturnType<typeof open> | null = null;
  return {
    async send({ to, subject, text }: Mail) {
      try {
        transport ??= open();
        const opened = await transport;
        const mail = { from, to: { name: '', address: to }, subject: oneLine(subject), text };
        await within(wholeTimeoutMs, opened.sendMail(mail));
      } catch (error) {
        const message = `The mail server ${hostname} did not accept the email: ${reasonOf(error)}`;
        throw new MailError(message, refusalOf(error, words));
      }
    },
  };
}

/** The time for a whole email has passed. */
class TooSlow extends Error {
  readonly code = 'ETIMEDOUT';
}

async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TooSlow(`no complete answer within ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').slice(0, 200);
}

/** Returns the reason without the server's message, which may contain credentials. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown };
  return [code, responseCode].filter((part) => part !== undefined).join(' ') || 'unknown reason';
}

const LONGEST_WORDS = 500;
/** `KnownSecrets` leaves shorter texts in place, which may be ordinary words. */
const SHORTEST_FOUND = 8;

/** Removes the mail server's credentials, in any of the spellings in which SMTP sends them, from what the server says. */
class ServerWords {
  readonly #secrets: KnownSecrets;
  readonly #short: readonly string[];

  constructor(written: string, { user, pass }: { readonly user: string; readonly pass: string }) {
    const spellings = [written, pass, base64(pass), base64(`\0${user}\0${pass}`)].filter((one) => one !== '');
    this.#secrets = new KnownSecrets(() => spellings);
    this.#short = [written, pass].filter((one) => one !== '' && one.length < SHORTEST_FOUND);
  }

  /** Returns `null` if nothing is left, or if a password that is as short as a word may be in it. */
  clean(text: string): string | null {
    if (this.#short.some((one) => text.includes(one))) return null;
    const cleaned = cleanMessage(this.#secrets.redact(text)).slice(0, LONGEST_WORDS).toWellFormed();
    return cleaned === '' ? null : cleaned;
  }
}

function base64(text: string): string {
  return text === '' ? '' : Buffer.from(text).toString('base64');
}

/** The codes of nodemailer, and those of the connection below it. */
const KINDS: Readonly<Record<string, MailProblem>> = {
  EDNS: 'host_not_found',
  ENOTFOUND: 'host_not_found',
  ECONNECTION: 'unreachable',
  ECONNREFUSED: 'unreachable',
  ECONNRESET: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ESOCKET: 'unreachable',
  ETLS: 'tls',
  ETIMEDOUT: 'timeout',
  EAUTH: 'credentials_refused',
  ENOAUTH: 'credentials_refused',
  EENVELOPE: 'address_refused',
  EMESSAGE: 'message_refused',
};

/** The replies that ask for other credentials, whichever command they answer (RFC 4954, section 6). */
const CREDENTIAL_REPLIES: ReadonlySet<unknown> = new Set([530, 534, 535, 538]);

function refusalOf(error: unknown, words: ServerWords): MailRefusal {
  if (!(error instanceof Error)) return { kind: 'failed', status: null, said: null };
  const { code, response, responseCode } = error as Readonly<Record<string, unknown>> & Error;
  // For all problems of a connection, with and without TLS, the library has one code.
  const isTls = code === 'ESOCKET' && /certificate|\bTLS\b|\bSSL\b|handshake/i.test(error.message);
  const known = (typeof code === 'string' ? KINDS[code] : undefined) ?? 'failed';
  return {
    kind: isTls ? 'tls' : CREDENTIAL_REPLIES.has(responseCode) ? 'credentials_refused' : known,
    status: typeof responseCode === 'number' ? responseCode : null,
    said: words.clean(typeof response === 'string' && response !== '' ? response : error.message),
  };
}
