import type { Channel } from '../../domain/catalog/channel.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import type { ChannelTry } from './test-job.ts';

type Hint = (facts: HintFacts) => string;

interface HintFacts {
  readonly channel: Channel;
  readonly manifest: ProviderManifest;
  readonly failure: Failure;
  readonly host: string;
}

const HINTS: Readonly<Record<string, Hint>> = {
  upstream_auth: ({ channel, manifest }) => {
    const [variable] = manifest.keyVariables;
    const where = channel.origin === 'environment' && variable !== undefined ? variable : 'api_key';
    return channel.apiKey === null && manifest.keyRequired
      ? `the channel has no key: set ${where}`
      : `correct the credentials (${where}) and give them the right to use this model`;
  },
  upstream_quota: ({ manifest }) => `add credit or raise the limit of the account at ${manifest.label}`,
  rate_limit_exceeded: ({ failure }) => `wait ${failure.retryAfterSeconds ?? 1} s and test again`,
  connect_refused: ({ host }) => `nothing is listening at ${host}: start it, or correct base_url`,
  dns: ({ channel, host }) =>
    `could not resolve ${host}: check this machine's DNS and network${channel.baseUrl === null ? '' : ', or correct base_url'}`,
  unreachable: ({ host }) => `there is no route to ${host}: check the network, the firewall and HTTPS_PROXY`,
  connect_timeout: ({ host }) => `${host} does not respond: check the network, the firewall and timeouts.connect_ms`,
  tls: ({ host }) => `${host} has no valid certificate or does not use TLS: check https or http in base_url`,
  reset: ({ host }) =>
    `${host} or a proxy before it dropped the connection: test again, then check base_url and proxies`,
  first_byte_timeout: () => 'the model may be slow to load: test again, or raise timeouts.first_byte_ms',
  idle_timeout: () => 'the response stalled: test again, or raise timeouts.idle_ms',
  total_timeout: () => 'allow more time: --timeout of the command, or timeout_seconds',
  address_refused: ({ host }) => `${host} must be an address on the public internet: correct base_url`,
  http_404: ({ host }) => `check the version in base_url (${host}) and the model's upstream id`,
  http_405: ({ host }) => `check the version in base_url (${host}) and the channel's formats`,
  garbage: ({ host }) => `${host} returned something else: check base_url and the channel's formats`,
  empty_stream: ({ host }) =>
    `${host} returned something else: check base_url, formats and proxies that buffer streams`,
  truncated_stream: ({ host }) =>
    `${host} or a proxy before it ends streams early: check proxies and their time limits`,
};

/** Returns what an operator can do about a failed test. */
export function testHint(
  channel: Channel,
  manifest: ProviderManifest,
  { address }: Pick<ChannelTry, 'address'>,
  failure: Failure,
): string {
  const facts = { channel, manifest, failure, host: hostOf(address) };
  const hint = Object.hasOwn(HINTS, failure.kind) ? HINTS[failure.kind] : undefined;
  if (hint !== undefined) return hint(facts);
  if (/^http_3\d\d$/.test(failure.kind))
    return `${facts.host} redirects, which the gateway does not follow: correct base_url`;
  if (/^http_5\d\d$/.test(failure.kind))
    return `${manifest.label} has problems: test again later, or check its status page`;
  if (failure.side === 'client') return "check the channel's settings and formats, and the model's upstream id";
  return 'test again; "switchyard doctor" checks the installation';
}

function hostOf(address: string): string {
  return /^https?:\/\/[^/]+/.exec(address)?.[0] ?? address;
}
