import { isIP } from 'node:net';
import { connect } from 'node:tls';

/** A certificate as a client of an https address sees it. */
export interface SeenCertificate {
  /** Milliseconds since 1970. */
  readonly validToMs: number;
  /** Why clients refuse it, as a code of OpenSSL; `null` if they accept it. */
  readonly problem: string | null;
}

/** Resolves to the certificate at an address; `null` if it is not an https address, or without a TLS connection. */
export function certificateAt(url: string, timeoutMs: number): Promise<SeenCertificate | null> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') return Promise.resolve(null);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const name = isIP(host) === 0 ? { servername: host } : {};
    // The certificate is wanted even if it is refused.
    const socket = connect({ host, port: Number(port || 443), ...name, rejectUnauthorized: false });
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
