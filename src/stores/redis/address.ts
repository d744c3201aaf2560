/** The address of Redis in one of its three topologies. */
export type RedisAddress =
  | (Common & { readonly kind: 'single'; readonly host: HostAndPort; readonly db: number })
  | (Common & { readonly kind: 'cluster'; readonly hosts: readonly HostAndPort[] })
  | (Common & {
      readonly kind: 'sentinel';
      readonly hosts: readonly HostAndPort[];
      /** The sentinels' name for the servers. */
      readonly name: string;
      readonly sentinelPassword: string | null;
      readonly db: number;
    });

interface Common {
  readonly username: string | null;
  readonly password: string | null;
  readonly tls: boolean;
}

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** Never contains the address itself, which may include a password. */
export class RedisAddressError extends Error {}

const DEFAULT_PORT = 6379;
const DEFAULT_SENTINEL_PORT = 26_379;
const FORMS =
  'redis://[user:password@]host[:port][/database], for a cluster several hosts separated by commas, or ' +
  'redis+sentinel://[user:password@]host[:port],…/name[/database][?sentinel_password=…]; rediss:// for TLS';
const SHAPE = /^(rediss?)(\+sentinel|\+cluster)?:\/\/(?:([^@/?]*)@)?([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;

/**
 * Parses `REDIS_URL`. Several hosts are nodes of one cluster, or its sentinels with `redis+sentinel`; `redis+cluster` is a cluster of which
 * one host is given. Throws `RedisAddressError`.
 */
export function parseRedisAddress(text: string): RedisAddress {
  // A list may repeat the scheme before each host.
  const parts = SHAPE.exec(text.trim().replace(/,\s*rediss?(\+\w+)?:\/\//g, ','));
  if (parts === null) throw new RedisAddressError(`the Redis URL must be ${FORMS}`);
  const [, scheme, kind, user, hostList = '', path = '', query = ''] = parts;
  const common = { ...credentialsOf(user), tls: scheme === 'rediss' };
  const defaultPort = kind === '+sentinel' ? DEFAULT_SENTINEL_PORT : DEFAULT_PORT;
  const hosts = hostList.split(',').map((host) => hostOf(host.trim(), defaultPort));
  const [first] = hosts;
  if (first === undefined) throw new RedisAddressError('the Redis URL has no host');
  const segments = path.split('/').filter((segment) => segment !== '');
  if (kind === '+sentinel') {
    const [name, db, ...rest] = segments;
    if (name === undefined || rest.length > 0) {
      throw new RedisAddressError(
        'a sentinel URL must end in /name, the name under which the sentinels know the servers',
      );
    }
    const sentinelPassword = new URLSearchParams(query).get('sentinel_password');
    return { ...common, kind: 'sentinel', hosts, name: decoded(name), sentinelPassword, db: databaseOf(db) };
  }
  if (query !== '' || segments.length > 1) throw new RedisAddressError(`the Redis URL must be ${FORMS}`);
  const db = databaseOf(segments[0]);
  if (kind !== '+cluster' && hosts.length === 1) return { ...common, kind: 'single', host: first, db };
  if (db !== 0) throw new RedisAddressError('a Redis cluster has only database 0');
  return { ...common, kind: 'cluster', hosts };
}

/** Describes the address for logs, without user and password. */
export function describeAddress(address: RedisAddress): string {
  const hosts = address.kind === 'single' ? [address.host] : address.hosts;
  const list = hosts.map(({ host, port }) => `${host}:${port}`).join(',');
  return address.kind === 'single' ? list : `${address.kind} ${list}`;
}

function credentialsOf(user: string | undefined): Pick<Common, 'username' | 'password'> {
  if (user === undefined || user === '') return { username: null, password: null };
  const [name = '', ...rest] = user.split(':');
  const password = rest.length === 0 ? null : decoded(rest.join(':'));
  return { username: name === '' ? null : decoded(name), password };
}

function hostOf(text: string, defaultPort: number): HostAndPort {
  const [, bracketed, plain, portText] = /^(?:\[([\da-f:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = portText === undefined ? defaultPort : Number(portText);
  if (host === undefined || port < 1 || port > 65_535) {
    throw new RedisAddressError('each host in the Redis URL must be host, host:port or [IPv6]:port');
  }
  return { host, port };
}

function databaseOf(text: string | undefined): number {
  if (text === undefined) return 0;
  if (!/^\d{1,5}$/.test(text)) throw new RedisAddressError('the database in the Redis URL must be a number');
  return Number(text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RedisAddressError('in the Redis URL, % must be followed by two hexadecimal digits');
  }
}
