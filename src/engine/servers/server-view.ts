import type { RecognizedServer } from './recognize-server.ts';

/** Returns as JSON which program serves a channel, and whether the settings name it; `null` if unknown. */
export function serverView({ family, source }: RecognizedServer) {
  return family === null || source === null ? null : { name: family.name, label: family.label, source };
}
