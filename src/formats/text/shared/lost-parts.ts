import type { Loss, Losses } from '../../../domain/exchange/loss.ts';
import { isMedia, type MediaPart, type Part } from '../../../domain/exchange/part.ts';

/**
 * Returns the loss of a part's opaque state. Each client format has a different member for it, which the engine finds; for an
 * image that a model made, the state is the whole record of its creation.
 */
export function lostState(part: Part, why: string): Loss {
  const path = part.path ?? 'messages';
  return isMedia(part)
    ? { field: path, verdict: 'approximated', why }
    : { field: `${path}.state`, verdict: 'dropped', why };
}

/** Describes a medium that the answer's format cannot hold, so that the answer is not mistaken for an empty one. */
export function lostMediaText({ type, mediaType, source }: MediaPart): string {
  if (source.kind === 'url') return type === 'image' ? `![image](${source.url})` : source.url;
  const size = source.kind === 'base64' ? `, ${Math.ceil((source.data.length * 3) / 4 / 1024)} KB` : '';
  const kind = mediaType === null ? type : `${type} (${mediaType}${size})`;
  const place = type === 'image' ? ' Use /v1/chat/completions or /v1/images/generations to get it.' : '';
  return `[The model made this: ${kind}. Responses of this API only have text, so it is left out.${place}]`;
}

const WHY = 'only documents can have a name or description, and this file is not a document';

/** Notes the loss of a file's name and description, for APIs that have neither for images, audio and video. */
export function noteNameless({ type, fileName, title, context, path }: MediaPart, losses: Losses): void {
  if (type === 'document' || (fileName ?? title ?? context) === undefined) return;
  losses.note({ field: path ?? type, verdict: 'approximated', why: WHY });
}
