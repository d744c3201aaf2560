import { errorCodeOf } from '../shared/error-code.ts';
import { firstLine, StoreOpenError } from '../shared/store-open-error.ts';

/** Returns the server, port and database of a URL without user and password, so that it can be printed. */
export function databaseName(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return 'in DATABASE_URL';
  return `${parsed.pathname.slice(1) || parsed.username} on ${parsed.host || 'this machine'}`;
}

/** Converts an error from opening the database to one for operators. Never contains the password. */
export function toStoreOpenError(name: string, error: unknown): StoreOpenError {
  if (error instanceof StoreOpenError) return error;
  return new StoreOpenError(`Cannot open the database ${name}: ${explain(error)}`, { cause: error });
}

/** Returns the error for a URL that is not PostgreSQL's. It may be a secret, so it is not shown. */
export function wrongUrlError(): StoreOpenError {
  return new StoreOpenError('DATABASE_URL must be a URL such as postgres://user:password@host:5432/database.');
}

function explain(thrown: unknown): string {
  // The connection's own message is about statements; its cause is more useful.
  const error = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  const code = errorCodeOf(error) ?? '';
  if (code === 'ECONNREFUSED' || code === 'ENOENT')
    return 'nothing is listening there; start PostgreSQL or correct DATABASE_URL.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host is unknown; correct DATABASE_URL.';
  if (code.startsWith('28')) return 'it rejects the user or the password; correct them in DATABASE_URL.';
  if (code === '3D000') return 'it does not exist; create it or correct DATABASE_URL.';
  if (code === '42501') return 'the user may not change its tables; make that user the owner of the database.';
  if (code === '53300') return 'it has no free connections; raise its max_connections or stop other clients.';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return 'its certificate is for another host name; use that name in DATABASE_URL.';
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return `its certificate is not trusted (${code}); add sslrootcert=FILE to DATABASE_URL, or sslmode=no-verify to skip the check.`;
  }
  return `${firstLine(error) || code}; fix the cause, then start again.`;
}
