import type { RecognizedServer } from './recognize-server.ts';

/** As JSON: which program serves a channel, and whether the settings say so; `null` where it is not known. */
export function serverView({ family, source }: RecognizedServer) {
  return family === null || source === null ? null : { name: family.name, label: family.label, source };
}
