import type { MusicRequest } from '../../../domain/tasks/generation-request.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, encodeRequest } from './request.ts';
import { batch, SUNO_JOBS } from './response.ts';

/**
 * Songs and lyrics over a Suno proxy, in the format of the open-source project Suno-API, which new-api and others speak
 * (docs.newapi.pro/api/suno-music). A job cannot be looked up by a name that the gateway gave it.
 */
export const sunoMusic: TaskWire<MusicRequest> = {
  name: 'suno-music',
  operations: ['music.generations'],
  harmlessOptions: ['prompt', 'make_instrumental', 'negative_tags', 'generation_type'],
  // A song takes one to three minutes, lyrics a few seconds.
  intervals: { firstMs: 4_000, leastMs: 4_000, mostMs: 15_000 },
  asks,
  encodeRequest,
  ...SUNO_JOBS,
  batch,
  decodeFailure,
};
