import type { DescribedApi } from '../../shared/openapi/described-endpoint.ts';
import { FILE_TAGS, fileEndpoints } from './file-endpoints.ts';
import { LIST_TAGS, listEndpoints } from './list-endpoints.ts';
import { MEDIA_TAGS, mediaEndpoints } from './media-endpoints.ts';
import { SERVICE_TAGS, serviceEndpoints } from './service-endpoints.ts';
import { TASK_TAGS, taskEndpoints } from './task-endpoints.ts';
import { TEXT_TAGS, textEndpoints } from './text-endpoints.ts';
import { USAGE_TAGS, usageEndpoints } from './usage-endpoints.ts';
import { videoEndpoints } from './video-endpoints.ts';

/**
 * Describes everything that clients can call with an API key.
 *
 * @param vendorKey the member of a Model object that holds the gateway's own metadata
 */
export function inferenceApi(vendorKey: string): DescribedApi {
  return {
    schemaPrefix: '',
    tags: [...TEXT_TAGS, ...LIST_TAGS, ...MEDIA_TAGS, ...TASK_TAGS, ...USAGE_TAGS, ...FILE_TAGS, ...SERVICE_TAGS],
    endpoints: [
      ...textEndpoints,
      ...listEndpoints(vendorKey),
      ...mediaEndpoints,
      ...taskEndpoints,
      ...usageEndpoints,
      ...videoEndpoints,
      ...fileEndpoints(),
      ...serviceEndpoints,
    ],
  };
}
