import type { Losses } from '../../../domain/exchange/loss.ts';
import type { MediaPart } from '../../../domain/exchange/part.ts';

const WHY = 'only documents can have a name or description, and this file is not a document';

/** Notes the loss of a file's name and description, for APIs that have neither for images, audio and video. */
export function noteNameless({ type, fileName, title, context, path }: MediaPart, losses: Losses): void {
  if (type === 'document' || (fileName ?? title ?? context) === undefined) return;
  losses.note({ field: path ?? type, verdict: 'approximated', why: WHY });
}
