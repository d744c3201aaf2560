import { Failure } from '../domain/failure/failure.ts';
import type { DiscoveredProvider } from '../engine/admin/channels/sync-environment-channels.ts';
import { readModelList } from '../engine/channel-tests/reachable-models.ts';
import type { Upstream } from '../engine/ports/upstream.ts';
import type { ProviderManifest } from '../providers/manifest.ts';

const PROBE_TIMEOUT_MS = 500;

/**
 * Finds the providers that run on this machine (Ollama). A server that is absent, slow or different is not found; this delays a start by
 * half a second at most.
 */
export async function discoverLocalProviders(
  providers: ReadonlyMap<string, ProviderManifest>,
  environment: Readonly<Record<string, string | undefined>>,
  upstream: Upstream,
): Promise<DiscoveredProvider[]> {
  const candidates = [...providers.values()].filter((manifest) => manifest.discovery?.atStart);
  const found = await Promise.all(candidates.map((manifest) => probe(manifest, environment, upstream)));
  return found.filter((provider) => provider !== null);
}

async function probe(
  { name, baseUrl: usual, modelList }: ProviderManifest,
  environment: Readonly<Record<string, string | undefined>>,
  upstream: Upstream,
): Promise<DiscoveredProvider | null> {
  const baseUrl = (name === 'ollama' ? ollamaBaseUrl(environment.OLLAMA_HOST) : null) ?? usual;
  if (!modelList || !baseUrl) return null;
  const limit = PROBE_TIMEOUT_MS;
  const answer = await upstream.send({
    url: `${baseUrl}${modelList.path}`,
    method: 'GET',
    headers: { accept: 'application/json' },
    body: null,
    timeouts: { connectMs: limit, firstByteMs: limit, idleMs: limit, totalMs: limit },
  });
  if (answer instanceof Failure || answer.status !== 200) return null;
  const listed = await readModelList(answer.body, modelList);
  return listed instanceof Failure || listed.ids.length === 0
    ? null
    : { provider: name, baseUrl, models: [...listed.ids] };
}

/** Parses Ollama's own variable: `host`, `host:port` or a URL; it is a listening address there, so 0.0.0.0 means this machine. */
function ollamaBaseUrl(value: string | undefined): string | null {
  if (!value) return null;
  const url = URL.parse(value.includes('://') ? value : `http://${value}`);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  const hostname = url.hostname === '0.0.0.0' ? '127.0.0.1' : url.hostname;
  const port = url.port || (value.includes('://') ? '' : '11434');
  return `${url.protocol}//${hostname}${port === '' ? '' : `:${port}`}/v1`;
}
