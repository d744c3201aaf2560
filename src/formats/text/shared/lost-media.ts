import type { MediaPart } from '../../../domain/exchange/part.ts';

/** Describes a medium that the answer's format cannot hold, so that the answer is not mistaken for an empty one. */
export function lostMediaText({ type, mediaType, source }: MediaPart): string {
  if (source.kind === 'url') return type === 'image' ? `![image](${source.url})` : source.url;
  const size = source.kind === 'base64' ? `, ${Math.ceil((source.data.length * 3) / 4 / 1024)} KB` : '';
  const kind = mediaType === null ? type : `${type} (${mediaType}${size})`;
  const place = type === 'image' ? ' Use /v1/chat/completions or /v1/images/generations to get it.' : '';
  return `[The model made this: ${kind}. Responses of this API only have text, so it is left out.${place}]`;
}
