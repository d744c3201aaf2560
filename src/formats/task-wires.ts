import { openaiVideos } from './openai-videos/index.ts';
import { veo } from './veo/index.ts';
import type { TaskWire } from './wire.ts';
import { xaiVideos } from './xai-videos/index.ts';

const wires: readonly TaskWire[] = [openaiVideos, veo, xaiVideos];

/** The wires of work that outlives the request (videos, music, 3D models), by name. */
export const taskWires: ReadonlyMap<string, TaskWire> = new Map(wires.map((wire) => [wire.name, wire]));
