/** What a model takes beside its prompt (OpenAI's published document, `CreateVideoJsonBody`). */
export interface VideoModel {
  readonly seconds: readonly number[];
  /** By resolution; of one resolution upright first, as the default is. */
  readonly sizes: Readonly<Record<string, readonly string[]>>;
}

const SMALL = ['720x1280', '1280x720'];
const SECONDS = [4, 8, 12];
const SORA: VideoModel = { seconds: SECONDS, sizes: { '720p': SMALL } };
const SORA_PRO: VideoModel = { seconds: SECONDS, sizes: { '720p': SMALL, '1024p': ['1024x1792', '1792x1024'] } };

/** What OpenAI makes where it is told nothing. */
export const DEFAULT_SECONDS = 4;
export const DEFAULT_RESOLUTION = '720p';

/** `null` for a model of another vendor, at a server that has copied the API: it is sent what the client said. */
export function videoModel(id: string): VideoModel | null {
  if (!/^(?:openai\/)?sora-/i.test(id)) return null;
  return /pro/i.test(id) ? SORA_PRO : SORA;
}
