import type { ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, type Dialect, encodeRequest, PRICED_OPTIONS, V2, V3 } from './request.ts';
import { decodeFailure, tripoJobs } from './response.ts';

function tripo(name: string, dialect: Dialect): TaskWire<ThreeDRequest> {
  return {
    name,
    operations: ['3d.generations'],
    takesUrls: true,
    harmlessOptions: [
      ...['pbr', 'auto_size', 'orientation', 'texture_alignment', 'compress', 'export_uv', 'enable_image_autofix'],
      ...['image_seed', 'model_seed', 'texture_seed'],
    ],
    pricedOptions: PRICED_OPTIONS,
    // A model takes ten seconds to two minutes; its files' URLs are valid for five minutes, or one.
    intervals: { firstMs: 5_000, leastMs: 3_000, mostMs: 10_000 },
    asks,
    encodeRequest: (request, target) => encodeRequest(request, target, dialect),
    ...tripoJobs(dialect.jobPath),
    decodeFailure,
  };
}

/** Tripo's 3D models over API v3 (developers.tripo3d.ai), the only version that Tripo itself still serves. */
export const tripo3d = tripo('tripo-3d', V3);

/** The same over API v2 (platform.tripo3d.ai/docs), which resellers still speak. */
export const tripo3dV2 = tripo('tripo-3d-v2', V2);
