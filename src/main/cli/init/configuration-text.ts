// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${NAME}` is the notation of the files that this writes.

import type { ProviderManifest } from '../../../providers/manifest.ts';

export const SITUATIONS = ['laptop', 'server', 'cluster'] as const;
export type Situation = (typeof SITUATIONS)[number];

/** The answers that a configuration file is made from. */
export interface InitAnswers {
  readonly situation: Situation;
  /** Providers that need nothing but a key, with their models (`isInitProvider`). */
  readonly providers: readonly ProviderManifest[];
  /** The gateway's address for its clients; `null` if it is not known yet. */
  readonly publicUrl: string | null;
  /** The address ranges of reverse proxies. */
  readonly trustedProxies: readonly string[];
  /** The S3 bucket for generated files; `null` for none. */
  readonly bucket: string | null;
}

/** Returns whether a channel to the provider needs only a key: its address, settings and models are known. */
export function isInitProvider({
  baseUrl,
  keyRequired,
  keyVariables,
  settings,
  models = () => [],
}: ProviderManifest): boolean {
  return (
    baseUrl !== null &&
    keyRequired &&
    keyVariables.length > 0 &&
    models().length > 0 &&
    (settings?.safeParse({}).success ?? true)
  );
}

/** Returns the environment variables that a gateway with the file needs, in the order of their use. */
export function neededVariables({ situation, providers, bucket }: InitAnswers): readonly string[] {
  return [
    ...(situation === 'cluster' ? ['SWITCHYARD_SECRET', 'DATABASE_URL', 'REDIS_URL'] : []),
    ...providers.map(keyVariableOf),
    ...(situation === 'laptop' ? [] : ['METRICS_TOKEN']),
    ...(bucket === null ? [] : ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']),
  ];
}

/** Returns a configuration file, in which a comment explains every field. Secrets are names of environment variables. */
export function configurationText(answers: InitAnswers): string {
  const { situation } = answers;
  const blocks = [
    HEADS[situation],
    channelsBlock(answers),
    ...(situation === 'laptop' ? [] : [SANDBOX, serverBlock(answers), SIGN_IN]),
    ...(situation === 'cluster' ? [BILLING, mediaStoreBlock(answers)] : []),
    RETENTION,
    ...(situation === 'laptop' ? [] : [MAIL]),
  ];
  return blocks.join('\n');
}

const HEAD = `# Every key is described in docs/configuration-reference.md. After a change, run "switchyard apply --check" with this file.
# \${NAME} is the environment variable NAME, or the content of the file whose path is in NAME_FILE. Keep secrets out of this file.
`;

const HEADS: Readonly<Record<Situation, string>> = {
  laptop: `# Switchyard on a laptop: one person, no other service. The database is a file in the data folder.
${HEAD}`,
  server: `# Switchyard on one server, with the database in its data folder. Back that folder up: it also holds the master secret.
# Set HOST=0.0.0.0 if a reverse proxy on another machine connects to it.
${HEAD}`,
  cluster: `# Switchyard on several nodes behind a load balancer. Each node has this file and the same SWITCHYARD_SECRET ("switchyard secret
# generate" prints one), DATABASE_URL (PostgreSQL) and REDIS_URL in its environment, and HOST=0.0.0.0.
${HEAD}`,
};

function channelsBlock({ providers }: InitAnswers): string {
  if (providers.length > 0) return `${CHANNELS}channels:\n${providers.map(channelText).join('')}`;
  return `${CHANNELS}# None is declared here. Add channels in the dashboard, or remove the # from the example and correct it.
# channels:
#   - id: openai
#     provider: openai
#     api_key: \${OPENAI_API_KEY}
#     models: [gpt-4o-mini]
`;
}

const CHANNELS =
  '# A channel is a way to a provider. Several channels with the same model replace each other when one fails.\n';

function channelText(provider: ProviderManifest): string {
  const models = (provider.models?.() ?? []).map(({ id }) => `      - ${plainOrQuoted(id)}\n`);
  return `  # The id of the channel in the log, in metrics and in the dashboard. It can be chosen freely.
  - id: ${provider.name}
    # The provider, here ${provider.label}. "switchyard catalog list" shows all with their models.
    provider: ${provider.name}
    # The key for the provider.
    api_key: \${${keyVariableOf(provider)}}
    # The models that clients may use. Prices and limits come from the catalog. Delete what nobody needs.
    models:
${models.join('')}`;
}

function keyVariableOf({ keyVariables }: ProviderManifest): string {
  return keyVariables[0] ?? '';
}

const SANDBOX = `# Whether the provider with made-up answers exists. true is for trying things out.
sandbox: false
`;

function serverBlock({ publicUrl, trustedProxies }: InitAnswers): string {
  const url =
    publicUrl === null ? '  # public_url: https://ai.example.com' : `  public_url: ${JSON.stringify(publicUrl)}`;
  const proxies =
    trustedProxies.length === 0
      ? '  # trusted_proxies: ["10.0.0.0/8"]'
      : `  trusted_proxies: [${trustedProxies.map((range) => JSON.stringify(range)).join(', ')}]`;
  return `# The listener and its limits.
server:
  # The address that clients use. Links for signing in and to generated files begin with it.
${url}
  # The addresses of your reverse proxies, whose X-Forwarded-For is believed. Without it all clients seem to have one address.
${proxies}
  # The token with which Prometheus reads /metrics, at least 16 characters.
  metrics_token: \${METRICS_TOKEN}
`;
}

const SIGN_IN = `# How people sign in to the dashboard. The first start prints a link for the first admin.
sign_in:
  # Who must have a second factor: none, operators (admins) or all.
  require_two_factor: operators
`;

const BILLING = `# Limits and prepaid balances.
billing:
  # While Redis cannot be reached, "local" lets each node admit its part of the limits, and "refuse" refuses requests.
  when_counters_are_away: local
`;

function mediaStoreBlock({ bucket }: InitAnswers): string {
  const head = '# Where generated images and videos are stored. All nodes need the same place.\nmedia_store:\n';
  if (bucket === null) {
    return `${head}  # "none" returns files within answers instead of links. Use "s3" with a bucket, or "folder" with a folder that all nodes share.
  kind: none
`;
  }
  return `${head}  # Object storage with the S3 API.
  kind: s3
  # The bucket and how to reach it. Set endpoint and region for anything but Amazon's default region.
  s3:
    # The name of the bucket.
    bucket: ${plainOrQuoted(bucket)}
    # endpoint: https://s3.eu-central-1.amazonaws.com
    # region: eu-central-1
    # The access key. docs/media-store.md lists the permissions that it needs.
    access_key_id: \${S3_ACCESS_KEY_ID}
    # The secret of the access key.
    secret_access_key: \${S3_SECRET_ACCESS_KEY}
`;
}

const RETENTION = `# How long data is kept: docs/retention.md lists everything.
retention:
  # Days for which a line of the request log is kept.
  request_log_days: 30
`;

const MAIL = `# The mail server for invitations, new passwords and alerts. Without it, links are shown to whoever creates them.
# mail:
#   smtp_url: \${SMTP_URL}
#   from: Switchyard <gateway@example.com>
`;

/** Ids and names that YAML reads as text are written without quotes. */
function plainOrQuoted(text: string): string {
  return /^[A-Za-z][A-Za-z0-9_./-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text);
}
