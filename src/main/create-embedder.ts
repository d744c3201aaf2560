import { ChannelEmbedder, type ChannelEmbedderPorts } from '../engine/cache/channel-embedder.ts';
import type { Embedder } from '../engine/ports/question-index.ts';
import type { CacheSettings } from '../engine/settings/settings.ts';
import { LocalEmbedder } from '../providers/local/in-process/local-embedder.ts';

/** Creates the embedder for the semantic cache; `null` if it is switched off. */
export function createEmbedder(
  embeddings: CacheSettings['semantic']['embeddings'],
  ports: ChannelEmbedderPorts,
): Embedder | null {
  if (embeddings === 'none') return null;
  if (embeddings !== 'local') return new ChannelEmbedder(ports, embeddings);
  const { logger, sleep } = ports;
  return new LocalEmbedder({ sleep, failed: (why) => logger.warn({ why }, 'The embedding worker failed.') });
}
