import { falThreeD } from './hosts/fal-3d/index.ts';
import { falMusic } from './hosts/fal-music/index.ts';
import { falVideos } from './hosts/fal-videos/index.ts';
import { replicateThreeD } from './hosts/replicate-3d/index.ts';
import { replicateMusic } from './hosts/replicate-music/index.ts';
import { replicateVideos } from './hosts/replicate-videos/index.ts';
import { sandboxMusic, sandboxThreeD, sandboxVideos } from './hosts/sandbox-jobs/index.ts';
import { sunoMusic } from './music/suno-music/index.ts';
import { meshy3d } from './three-d/meshy-3d/index.ts';
import { tripo3d, tripo3dV2 } from './three-d/tripo-3d/index.ts';
import { arkVideos } from './video/ark-videos/index.ts';
import { dashscopeVideos } from './video/dashscope-videos/index.ts';
import { klingVideos } from './video/kling-videos/index.ts';
import { lumaVideos } from './video/luma-videos/index.ts';
import { minimaxVideos } from './video/minimax-videos/index.ts';
import { openaiVideos } from './video/openai-videos/index.ts';
import { runwayVideos } from './video/runway-videos/index.ts';
import { togetherVideos } from './video/together-videos/index.ts';
import { veo } from './video/veo/index.ts';
import { viduVideos } from './video/vidu-videos/index.ts';
import { xaiVideos } from './video/xai-videos/index.ts';
import type { TaskWire } from './wire.ts';

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

/** The wires for work that outlives the request (videos, music, 3D models), by name. */
export const taskWires: ReadonlyMap<string, TaskWire> = new Map(wires.map((wire) => [wire.name, wire]));
