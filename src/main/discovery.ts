import type { DiscoveredProvider } from '../engine/admin/sync-environment-channels.ts';
import type { ProviderManifest } from '../providers/manifest.ts';

const PROBE_TIMEOUT_MS = 500;

/**
 * Asks the providers that run on one's own machine (Ollama) whether they are there. A server that is absent, slow or
 * answers something else is simply not found; nothing here can hold up a start for longer than half a second.
 */
export async function discoverLocalProviders(
  providers: ReadonlyMap<string, ProviderManifest>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<DiscoveredProvider[]> {
  const manifest = providers.get('ollama');
  if (!manifest?.discovery || !manifest.baseUrl) return [];
  const baseUrl = ollamaBaseUrl(environment['OLLAMA_HOST']) ?? manifest.baseUrl;
  try {
    const response = await fetch(`${baseUrl}${manifest.discovery.path}`, {
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
      redirect: 'error',
    });
    const models = response.ok ? manifest.discovery.modelsIn(await response.json()) : [];
    return models.length > 0 ? [{ provider: manifest.name, baseUrl, models }] : [];
  } catch {
    return [];
  }
}

/** Ollama's own variable: `host`, `host:port` or a URL; it is a listening address there, so 0.0.0.0 means this machine. */
function ollamaBaseUrl(value: string | undefined): string | null {
  if (!value) return null;
  const url = URL.parse(value.includes('://') ? value : `http://${value}`);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  const hostname = url.hostname === '0.0.0.0' ? '127.0.0.1' : url.hostname;
  const port = url.port || (value.includes('://') ? '' : '11434');
  return `${url.protocol}//${hostname}${port === '' ? '' : `:${port}`}/v1`;
}
