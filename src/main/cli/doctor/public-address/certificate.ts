import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { Clock } from '../../../../engine/ports/clock.ts';
import { type Finding, fail, ok, warn } from '../finding.ts';

const SUBJECT = 'certificate';
const DAY_MS = 86_400_000;
/** Tools that renew certificates do so a month before. */
const SOON_DAYS = 14;

interface SeenCertificate {
  /** Milliseconds since 1970. */
  readonly validToMs: number;
  /** Why clients refuse it, as a code of OpenSSL; `null` if they accept it. */
  readonly problem: string | null;
}

/** Checks that clients accept the certificate at an https address, and for how long. */
export async function checkCertificate(url: string, clock: Clock, timeoutMs: number): Promise<readonly Finding[]> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') return [];
  const host = hostname.replace(/^\[|\]$/g, '');
  const seen = await certificateAt(host, Number(port || 443), timeoutMs);
  // The finding about the address explains why there is no connection.
  return seen === null ? [] : [judgeCertificate(seen, clock.nowMs())];
}

export function judgeCertificate({ validToMs, problem }: SeenCertificate, nowMs: number): Finding {
  const day = new Date(validToMs).toISOString().slice(0, 10);
  if (validToMs <= nowMs) return fail(SUBJECT, `expired on ${day}: renew it, and check the job that should have`);
  if (problem !== null) {
    return fail(
      SUBJECT,
      `clients do not accept it (${problem}): serve the whole chain of a certificate for this name, or let the clients trust its issuer`,
    );
  }
  const days = Math.floor((validToMs - nowMs) / DAY_MS);
  if (days < SOON_DAYS) return warn(SUBJECT, `expires in ${days} days, on ${day}: check the job that renews it`);
  return ok(SUBJECT, `valid until ${day}`);
}

/** Resolves to `null` without a TLS connection. */
function certificateAt(host: string, port: number, timeoutMs: number): Promise<SeenCertificate | null> {
  return new Promise((resolve) => {
    const name = isIP(host) === 0 ? { servername: host } : {};
    // The certificate is wanted even if it is refused.
    const socket = connect({ host, port, ...name, rejectUnauthorized: false });
    const end = (seen: SeenCertificate | null) => {
      socket.destroy();
      resolve(seen);
    };
    socket.setTimeout(timeoutMs, () => end(null));
    socket.once('error', () => end(null));
    socket.once('secureConnect', () => {
      const validToMs = Date.parse(socket.getPeerCertificate().valid_to);
      const problem = socket.authorized ? null : String(socket.authorizationError ?? 'not trusted');
      end(Number.isNaN(validToMs) ? null : { validToMs, problem });
    });
  });
}
