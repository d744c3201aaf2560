import type { Registry } from 'prom-client';
import type { MediaStore } from '../../engine/ports/media-store.ts';
import { GaugeFamily } from './fast-metrics.ts';

/** Registers what the media store holds and has refused, read at each scrape. */
export function mediaMetrics(registry: Registry, store: Pick<MediaStore, 'figures'>): void {
  new GaugeFamily(registry, 'switchyard_media_stored_bytes', 'What files that links lead to take of the store.', () => [
    { labels: {}, value: store.figures().bytes },
  ]);
  new GaugeFamily(registry, 'switchyard_media_stored_files', 'Files that links lead to.', () => [
    { labels: {}, value: store.figures().files },
  ]);
  new GaugeFamily(
    registry,
    'switchyard_media_refused_total',
    'Files that were not stored, and links that could not be followed, by reason.',
    () => [...store.figures().refused].map(([reason, value]) => ({ labels: { reason }, value })),
    'counter',
  );
}
