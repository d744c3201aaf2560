import type { TaskWire } from './wire.ts';

const wires: readonly TaskWire[] = [];

/** The wires of work that outlives the request (videos, music, 3D models), by name. */
export const taskWires: ReadonlyMap<string, TaskWire> = new Map(wires.map((wire) => [wire.name, wire]));
