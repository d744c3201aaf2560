import type { Server } from 'bun';
import { localOrigin } from '../engine/admin/audit/audit-trail.ts';
import { ensureFirstOperator } from '../engine/admin/people/invite.ts';
import type { DirectoryScope } from '../engine/ports/directory-store.ts';
import type { SocketHandler } from '../transports/inference/socket-route.ts';
import type { People } from './create-people.ts';
import { FIRST_START_HINT, firstKeyLines, firstLinkLines } from './first-start.ts';
import type { Gateway } from './gateway.ts';
import { localAddress } from './local-address.ts';
import { describeMemory, type MemoryInForce } from './memory.ts';
import type { ServeOptions } from './serve-options.ts';

/** The operators' own channels; those of accounts are too many for a terminal. */
export const PLATFORM: DirectoryScope = { serving: false, channelsOf: [null] };

/**
 * Prints where the gateway listens, in one write, so that a reader of the first line can read all of it. A first start on a terminal also
 * prints the first key and the link for the first operator, which are shown only once.
 */
export async function announce(
  options: ServeOptions,
  gateway: Gateway,
  server: Server<SocketHandler>,
  created: { readonly secret: string; readonly accountId: string } | null,
  people: People,
  memory: MemoryInForce,
): Promise<void> {
  const { store, host, configuration } = options;
  const address = addressOf(options, server);
  const { channels } = await store.directory.read(PLATFORM);
  const enabled = channels.filter((channel) => channel.enabled);
  const isOpen = host !== 'localhost' && !host.startsWith('127.') && host !== '::1';
  const lines = [`Switchyard listens on ${address}`];
  if (isOpen && configuration.server.metricsToken == null)
    lines.push('Metrics: from this machine only (set server.metrics_token to read them elsewhere)');
  lines.push(`Channels: ${enabled.map((channel) => channel.id).join(', ') || 'none'}`);
  lines.push(`Memory: ${describeMemory(memory)}`);
  if (created !== null) {
    const example = curlLine(address, created.secret, firstRequest(gateway));
    lines.push('', ...firstKeyLines(created.secret), '', 'Try it:', example, '');
  }
  if (options.printsSecrets) {
    lines.push(...(await firstOperatorLines(options, people, server, created?.accountId ?? null)));
  } else if (!(await store.directory.hasUsableKey(options.clock.nowMs()))) lines.push(...FIRST_START_HINT);
  options.print(lines.join('\n'));
}

async function firstOperatorLines(
  { configuration, ...options }: ServeOptions,
  { ports }: People,
  server: Server<SocketHandler>,
  accountId: string | null,
): Promise<readonly string[]> {
  const origin = localOrigin({ kind: 'gateway', name: 'first start' });
  const publicOrigin = configuration.server.publicUrl ?? addressOf(options, server);
  const made = await ensureFirstOperator(ports, { origin, isOperator: true, publicOrigin }, accountId);
  if (made?.link == null) return [];
  return firstLinkLines(made.link);
}

function addressOf({ host }: Pick<ServeOptions, 'host'>, server: Server<SocketHandler>): string {
  return localAddress({ host, port: server.port ?? 0 });
}

interface FirstRequest {
  readonly path: string;
  readonly body: object;
}

/** Returns a request that works: without a chat model, one for the built-in embedding model. */
function firstRequest({ firstChatModel, firstEmbeddingModel }: Gateway): FirstRequest {
  const embedding = firstChatModel() === null ? firstEmbeddingModel() : null;
  if (embedding !== null) return { path: '/v1/embeddings', body: { model: embedding, input: 'Hello!' } };
  const messages = [{ role: 'user', content: 'Hello!' }];
  return { path: '/v1/chat/completions', body: { model: firstChatModel() ?? 'MODEL', messages } };
}

function curlLine(address: string, key: string, { path, body }: FirstRequest): string {
  // Only single quotes need escaping within the shell's single quotes.
  const text = JSON.stringify(body).replaceAll("'", "'\\''");
  return `  curl ${address}${path} -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${text}'`;
}
