import type { HealthSource } from '../../engine/ports/health-source.ts';

/**
 * The value of a label in the place of the names that accounts give: they may have any number of channels and models, and each would make
 * series of its own that are never removed.
 */
export const PRIVATE = 'PRIVATE';

/** Labels that are bounded by what operators have made. Without names that are known, all labels stay as they are. */
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
}
