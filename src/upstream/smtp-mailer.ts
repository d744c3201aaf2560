import { type Mail, MailError, type MailTransport } from '../engine/ports/mailer.ts';
import type { MailSettings } from '../engine/settings/settings.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** The limit for each answer of the server. */
const ANSWER_TIMEOUT_MS = 20_000;

/**
 * Creates a mailer that opens a connection per mail, since mails are few. Without implicit TLS it offers STARTTLS. The library is loaded
 * with the first mail.
 */
export function createSmtpMailer({ smtpUrl, from }: Pick<MailSettings, 'smtpUrl' | 'from'>): MailTransport {
  const { hostname, port, protocol, username, password } = new URL(smtpUrl);
  const isSecure = protocol === 'smtps:';
  const server = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    ...(username === ''
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) }, requireTLS: !isSecure }),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: ANSWER_TIMEOUT_MS,
    socketTimeout: ANSWER_TIMEOUT_MS,
    // A mail is plain text: nothing in it may name a file or an address to be fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const open = async () => (await import('nodemailer')).createTransport(server);
  let transport: ReturnType<typeof open> | null = null;
  return {
    async send({ to, subject, text }: Mail) {
      try {
        transport ??= open();
        await (await transport).sendMail({ from, to: { name: '', address: to }, subject: oneLine(subject), text });
      } catch (error) {
        throw new MailError(`The mail server ${hostname} did not accept the email: ${reasonOf(error)}`);
      }
    },
  };
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
