import type { ClientFormat, UpstreamFormat } from './format.ts';
import { openaiChat } from './openai-chat/index.ts';

const client: readonly ClientFormat[] = [openaiChat];

const upstreamOnly: readonly UpstreamFormat[] = [];

/** The formats that clients speak, by name. */
export const clientFormats: ReadonlyMap<string, ClientFormat> = new Map(client.map((format) => [format.name, format]));

/** Every format that an upstream may speak, by name. */
export const upstreamFormats: ReadonlyMap<string, UpstreamFormat> = new Map(
  [...client, ...upstreamOnly].map((format) => [format.name, format]),
);
