import { arkVideos } from './ark-videos/index.ts';
import { dashscopeVideos } from './dashscope-videos/index.ts';
import { falThreeD } from './fal-3d/index.ts';
import { falMusic } from './fal-music/index.ts';
import { falVideos } from './fal-videos/index.ts';
import { klingVideos } from './kling-videos/index.ts';
import { lumaVideos } from './luma-videos/index.ts';
import { meshy3d } from './meshy-3d/index.ts';
import { minimaxVideos } from './minimax-videos/index.ts';
import { openaiVideos } from './openai-videos/index.ts';
import { replicateThreeD } from './replicate-3d/index.ts';
import { replicateMusic } from './replicate-music/index.ts';
import { replicateVideos } from './replicate-videos/index.ts';
import { runwayVideos } from './runway-videos/index.ts';
import { sandboxMusic, sandboxThreeD, sandboxVideos } from './sandbox-jobs/index.ts';
import { sunoMusic } from './suno-music/index.ts';
import { togetherVideos } from './together-videos/index.ts';
import { tripo3d, tripo3dV2 } from './tripo-3d/index.ts';
import { veo } from './veo/index.ts';
import { viduVideos } from './vidu-videos/index.ts';
import type { TaskWire } from './wire.ts';
import { xaiVideos } from './xai-videos/index.ts';

const wires: readonly TaskWire[] = [
  arkVideos,
  dashscopeVideos,
  falMusic,
  falThreeD,
  falVideos,
  klingVideos,
  lumaVideos,
  meshy3d,
  minimaxVideos,
  openaiVideos,
  replicateMusic,
  replicateThreeD,
  replicateVideos,
  runwayVideos,
  sandboxMusic,
  sandboxThreeD,
  sandboxVideos,
  sunoMusic,
  tripo3d,
  tripo3dV2,
  togetherVideos,
  veo,
  viduVideos,
  xaiVideos,
];

/** The wires of work that outlives the request (videos, music, 3D models), by name. */
export const taskWires: ReadonlyMap<string, TaskWire> = new Map(wires.map((wire) => [wire.name, wire]));
