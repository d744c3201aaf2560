/** The rules of a model besides its prompt (OpenAI's published document, `CreateVideoJsonBody`). */
export interface VideoModel {
  readonly seconds: readonly number[];
  /** The sizes by resolution; portrait first, as in OpenAI's default. */
  readonly sizes: Readonly<Record<string, readonly string[]>>;
}

const SMALL = ['720x1280', '1280x720'];
const SECONDS = [4, 8, 12];
const SORA: VideoModel = { seconds: SECONDS, sizes: { '720p': SMALL } };
const SORA_PRO: VideoModel = { seconds: SECONDS, sizes: { '720p': SMALL, '1024p': ['1024x1792', '1792x1024'] } };

/** OpenAI's default values. */
export const DEFAULT_SECONDS = 4;
export const DEFAULT_RESOLUTION = '720p';

/** Returns `null` for another vendor's model, at a server that has copied the API: it gets the client's values. */
export function videoModel(id: string): VideoModel | null {
  if (!/^(?:openai\/)?sora-/i.test(id)) return null;
  return /pro/i.test(id) ? SORA_PRO : SORA;
}
