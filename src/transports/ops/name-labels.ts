import type { HealthSource } from '../../engine/ports/health-store.ts';

/**
 * The label that replaces names chosen by accounts: an account may have any number of channels and models, and each would create series
 * that are never removed.
 */
export const PRIVATE = 'PRIVATE';

/** Limits labels to names that operators have defined. Without a source of names, labels stay unchanged. */
export class NameLabels {
  constructor(private readonly names: Pick<HealthSource, 'isPlatformChannel' | 'isPlatformModel'> | undefined) {}

  channel(channelId: string | null): string {
    if (channelId === null || channelId === '') return '';
    return this.names?.isPlatformChannel(channelId) === false ? PRIVATE : channelId;
  }

  model(modelId: string | null): string {
    if (modelId === null || modelId === '') return '';
    return this.names?.isPlatformModel(modelId) === false ? PRIVATE : modelId;
  }

  /** Returns a failure's kind, such as `http_503`; for PRIVATE channels, whose upstreams may answer with any status, `http_5xx`. */
  kind(channelId: string, kind: string): string {
    return this.channel(channelId) === PRIVATE ? kind.replace(/^http_(\d)\d*$/, 'http_$1xx') : kind;
  }
}
