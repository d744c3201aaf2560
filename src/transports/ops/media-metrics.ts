import type { Registry } from 'prom-client';
import type { MediaStore } from '../../engine/ports/media-store.ts';
import { GaugeFamily } from './fast-metrics.ts';

/** Registers what the media store holds and has refused, read at each scrape. */
export function mediaMetrics(registry: Registry, store: Pick<MediaStore, 'figures'>): void {
  new GaugeFamily(registry, 'switchyard_media_stored_bytes', 'Size of the files in the media store.', () => [
    { labels: {}, value: store.figures().bytes },
  ]);
  new GaugeFamily(registry, 'switchyard_media_stored_files', 'Files in the media store.', () => [
    { labels: {}, value: store.figures().files },
  ]);
  new GaugeFamily(
    registry,
    'switchyard_media_refused_total',
    'Files that could not be stored, and links that could not be fetched, by reason.',
    () => [...store.figures().refused].map(([reason, value]) => ({ labels: { reason }, value })),
    'counter',
  );
}
