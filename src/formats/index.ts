import type { Format } from './format.ts';
import { openaiChat } from './openai-chat/index.ts';

/** Every wire format, by name. */
export const formats: ReadonlyMap<string, Format> = new Map([openaiChat].map((format) => [format.name, format]));
