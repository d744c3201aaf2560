import type { MusicRequest, ThreeDRequest, VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { cancelBy } from '../../shared/tasks/job-cancel.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asksOfMusic, asksOfThreeD, asksOfVideo, encodeMusic, encodeThreeD, encodeVideo } from './request.ts';
import { SANDBOX_JOBS } from './response.ts';

/** Shared by the three kinds of jobs. The sandbox is free, so no option changes a price. */
const COMMON = {
  takesUrls: true,
  holdsFiles: true,
  harmlessOptions: ['delay_ms', 'outcome', 'fail_submit', 'poll_failures_ms', 'progress'],
  intervals: { firstMs: 250, leastMs: 250, mostMs: 2_000 },
  ...SANDBOX_JOBS,
  cancel: cancelBy({
    ...{ method: 'POST', means: 'ended', endsBegun: 'free' },
    pathOf: ({ id = '' }) => `/jobs/${encodeURIComponent(id)}/cancel`,
  }),
  decodeFailure,
} as const satisfies Partial<TaskWire>;

/** The sandbox's jobs (docs/sandbox.md, "Videos, music and 3D models"). */
export const sandboxVideos: TaskWire<VideoRequest> = {
  ...COMMON,
  name: 'sandbox-videos',
  operations: ['videos.generations'],
  asks: asksOfVideo,
  encodeRequest: encodeVideo,
};

export const sandboxMusic: TaskWire<MusicRequest> = {
  ...COMMON,
  name: 'sandbox-music',
  operations: ['music.generations'],
  asks: asksOfMusic,
  encodeRequest: encodeMusic,
};

export const sandboxThreeD: TaskWire<ThreeDRequest> = {
  ...COMMON,
  name: 'sandbox-3d',
  operations: ['3d.generations'],
  asks: asksOfThreeD,
  encodeRequest: encodeThreeD,
};
