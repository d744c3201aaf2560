import { falThreeD } from './fal-3d/index.ts';
import { falMusic } from './fal-music/index.ts';
import { falVideos } from './fal-videos/index.ts';
import { openaiVideos } from './openai-videos/index.ts';
import { replicateThreeD } from './replicate-3d/index.ts';
import { replicateMusic } from './replicate-music/index.ts';
import { replicateVideos } from './replicate-videos/index.ts';
import { veo } from './veo/index.ts';
import type { TaskWire } from './wire.ts';
import { xaiVideos } from './xai-videos/index.ts';

const wires: readonly TaskWire[] = [
  falMusic,
  falThreeD,
  falVideos,
  openaiVideos,
  replicateMusic,
  replicateThreeD,
  replicateVideos,
  veo,
  xaiVideos,
];

/** The wires of work that outlives the request (videos, music, 3D models), by name. */
export const taskWires: ReadonlyMap<string, TaskWire> = new Map(wires.map((wire) => [wire.name, wire]));
