/** A mail server as people know it. */
export interface SmtpServer {
  readonly host: string;
  /** Empty for the usual one. */
  readonly port: string;
  /** Encrypted from the start, or after `STARTTLS`. */
  readonly security: 'tls' | 'starttls';
  /** Empty without signing in. */
  readonly user: string;
  readonly password: string;
}

/** Returns the address in the form of the configuration file; empty without a host. */
export function smtpUrlOf({ host, port, security, user, password }: SmtpServer): string {
  const name = host.trim();
  if (name === '') return '';
  const credentials = user === '' ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;
  // An IPv6 address.
  const place = name.includes(':') && !name.startsWith('[') ? `[${name}]` : name;
  return `${security === 'tls' ? 'smtps' : 'smtp'}://${credentials}${place}${port.trim() === '' ? '' : `:${port.trim()}`}`;
}
