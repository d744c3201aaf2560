import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { cancelBy } from '../../shared/tasks/job-cancel.ts';
import { jobs } from '../../shared/tasks/job-tables.ts';
import { taskList } from '../../shared/tasks/task-list.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, encodeRequest, SECOND_API } from './request.ts';
import { decodeFailure, decodePoll, JOBS, jobNumber, secondJob } from './response.ts';

/** Videos at MiniMax: Hailuo, whose file is requested after the job, and H3 on a second API of the same host. */
export const minimaxVideos: TaskWire<VideoRequest> = {
  name: 'minimax-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  harmlessOptions: ['prompt_optimizer', 'fast_pretreatment', 'aigc_watermark'],
  // The guide polls every ten seconds.
  intervals: { firstMs: 10_000, leastMs: 10_000, mostMs: 30_000 },
  asks,
  encodeRequest,
  ...jobs(JOBS),
  decodePoll,
  batch: {
    // "List tasks" of the second API.
    ...taskList(`${SECOND_API}/query/video_generation`, jobNumber, secondJob),
    takes: ({ api }) => api === '2',
  },
  // "Cancel or delete task" of the second API: a queued task is cancelled, one that runs is an error, a finished one is deleted.
  cancel: cancelBy({
    ...{ method: 'DELETE', means: 'ended' },
    pathOf: ({ id = '', api }) => (api === '2' ? `${SECOND_API}/video_generation/${encodeURIComponent(id)}` : null),
  }),
  decodeFailure,
};
