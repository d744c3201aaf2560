import type { Clock } from '../../../../engine/ports/clock.ts';
import { certificateAt, type SeenCertificate } from '../../../seen-certificate.ts';
import { type Finding, fail, ok, warn } from '../finding.ts';

const SUBJECT = 'certificate';
const DAY_MS = 86_400_000;
/** Tools that renew certificates do so a month before. */
const SOON_DAYS = 14;

/** Checks that clients accept the certificate at an https address, and for how long. */
export async function checkCertificate(url: string, clock: Clock, timeoutMs: number): Promise<readonly Finding[]> {
  const seen = await certificateAt(url, timeoutMs);
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
