import { Resolver } from 'node:dns/promises';
import { readFileSync, statSync } from 'node:fs';

export interface NameResolverOptions {
  /** `address` or `address:port` of the name servers, replacing the system's. */
  readonly servers?: readonly string[];
  /** Replaces `/etc/hosts`. */
  readonly hostsFile?: string;
  /** Replaces `/etc/resolv.conf`, of which only the search list is read here. */
  readonly resolverFile?: string;
  /** How long one query waits for one server. */
  readonly queryTimeoutMs?: number;
}

/** How many queries are sent, and how long each waits; the caller's signal limits them in total. */
const TRIES = 3;
const QUERY_TIMEOUT_MS = 1_000;
/** How long a name with addresses of one family waits for those of the other. */
const OTHER_KIND_MS = 250;
/** The limit of the system's resolver. */
const MAX_SEARCH_DOMAINS = 6;
const LOOPBACK: readonly string[] = ['127.0.0.1', '::1'];

/**
 * Resolves names that clients have chosen. It queries name servers itself (c-ares), on its own sockets and without threads: the system's
 * `getaddrinfo`, which `fetch` uses for upstreams, has a few threads, each of which an unresponsive name server would block for seconds.
 * `/etc/hosts` and the search list apply as usual.
 */
export class NameResolver {
  private readonly hosts: WatchedFile<ReadonlyMap<string, readonly string[]>>;
  private readonly search: WatchedFile<readonly string[]>;

  constructor(private readonly options: NameResolverOptions = {}) {
    this.hosts = new WatchedFile(options.hostsFile ?? '/etc/hosts', hostsOf, new Map());
    this.search = new WatchedFile(options.resolverFile ?? '/etc/resolv.conf', searchDomainsOf, []);
  }

  /** Resolves to all addresses of the name, possibly none. Rejects once the signal has fired. */
  async resolve(hostname: string, signal: AbortSignal): Promise<readonly string[]> {
    const name = hostname.replace(/\.$/, '').toLowerCase();
    const listed = this.hosts.read().get(name);
    if (listed !== undefined) return listed;
    // RFC 6761, section 6.3: such a name is never queried.
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK;
    for (const candidate of this.candidates(name, hostname.endsWith('.'))) {
      const addresses = await this.ask(candidate, signal);
      if (addresses.length > 0) return addresses;
    }
    return [];
  }

  /** Returns the names to try: a name with a dot is tried as it is first, one without a dot only after the search list's domains. */
  private candidates(name: string, isComplete: boolean): readonly string[] {
    if (isComplete) return [name];
    const searched = this.search.read().map((domain) => `${name}.${domain}`);
    return name.includes('.') ? [name, ...searched] : [...searched, name];
  }

  private async ask(name: string, signal: AbortSignal): Promise<readonly string[]> {
    signal.throwIfAborted();
    // One resolver per name, since `cancel` ends all its queries.
    const resolver = new Resolver({ timeout: this.options.queryTimeoutMs ?? QUERY_TIMEOUT_MS, tries: TRIES });
    if (this.options.servers !== undefined) resolver.setServers([...this.options.servers]);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const orNone = (found: Promise<string[]>) =>
      found.then(
        (addresses) => {
          if (addresses.length > 0) timer ??= setTimeout(cancel, OTHER_KIND_MS);
          return addresses;
        },
        () => [],
      );
    try {
      const [four, six] = await Promise.all([orNone(resolver.resolve4(name)), orNone(resolver.resolve6(name))]);
      signal.throwIfAborted();
      return inTurns(four, six);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    }
  }
}

/** Alternates IPv4 and IPv6 addresses: only the first few are tried, and a machine may lack one of the families. */
function inTurns(four: readonly string[], six: readonly string[]): readonly string[] {
  const length = Math.max(four.length, six.length);
  return Array.from({ length }, (_, index) => [four[index], six[index]]).flatMap((pair) =>
    pair.filter((address) => address !== undefined),
  );
}

/** The parsed content of a small system file, read again when it changes. */
class WatchedFile<Value> {
  private version = '';
  private value: Value;

  constructor(
    private readonly path: string,
    private readonly parse: (text: string) => Value,
    private readonly none: Value,
  ) {
    this.value = none;
  }

  read(): Value {
    try {
      const { mtimeMs, size, ino } = statSync(this.path);
      const version = `${mtimeMs} ${size} ${ino}`;
      if (version !== this.version) this.value = this.parse(readFileSync(this.path, 'utf8'));
      this.version = version;
    } catch {
      this.value = this.none;
      this.version = '';
    }
    return this.value;
  }
}

function hostsOf(text: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  for (const [address, ...names] of linesOf(text)) {
    if (address === undefined) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      hosts.set(key, [...(hosts.get(key) ?? []), address]);
    }
  }
  return hosts;
}

/** Returns the domains of the last `search` or `domain` line (resolv.conf(5)). */
function searchDomainsOf(text: string): readonly string[] {
  const last = linesOf(text).findLast(([word]) => word === 'search' || word === 'domain');
  const domains = (last ?? []).slice(1).map((domain) => domain.replace(/\.$/, ''));
  return domains.filter((domain) => domain !== '').slice(0, MAX_SEARCH_DOMAINS);
}

/** Returns the words of each line, without comments. */
function linesOf(text: string): string[][] {
  return text.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .split(/\s+/)
      .filter((word) => word !== ''),
  );
}
